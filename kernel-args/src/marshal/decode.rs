//! The arguments of a launch as text: names, offsets, bytes and values.

use super::DecodedArgs;
use core::fmt;
use kernel_args_abi::{Class, CppBase, Parameter, cpp};

impl fmt::Display for DecodedArgs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width =
            |text: fn(&Parameter<'_>) -> usize| self.parameters.iter().map(text).max().unwrap_or(0);
        let names = width(|parameter| parameter.name.chars().count());
        let types = width(|parameter| parameter.spelling.chars().count()).min(32);
        for (i, (parameter, bytes)) in self.iter().enumerate() {
            if i > 0 {
                f.write_str("\n")?;
            }
            write!(
                f,
                "  {:names$}  {:types$}  @ {:<4} = ",
                parameter.name,
                parameter.spelling,
                parameter.offset.unwrap_or(0),
            )?;
            Value(parameter, bytes).fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Debug for DecodedArgs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One value: decoded if its type is known, then its bytes.
struct Value<'v>(&'v Parameter<'v>, &'v [u8]);

/// The maximum number of bytes that are shown for a value.
const SHOWN: usize = 32;

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(parameter, bytes) = *self;
        let decoded = match (parameter.class, parameter.cpp.base) {
            _ if parameter.cpp.is_array() => false,
            (Class::Pointer, _) => Scalar::Address.write(f, bytes)?,
            (_, CppBase::Bool) => Scalar::Bool.write(f, bytes)?,
            (Class::Integer, CppBase::Integer { signed: true, .. }) => {
                Scalar::Signed.write(f, bytes)?
            }
            (Class::Integer, _) => Scalar::Unsigned.write(f, bytes)?,
            (Class::Float, _) => Scalar::Float.write(f, bytes)?,
            (_, CppBase::Named(name)) => vector(name, bytes, f)?,
            _ => false,
        };
        f.write_str(if decoded { "  [" } else { "[" })?;
        for (i, byte) in bytes.iter().take(SHOWN).enumerate() {
            write!(
                f,
                "{}{byte:02x}",
                if i > 0 && i % 4 == 0 { " " } else { "" }
            )?;
        }
        if bytes.len() > SHOWN {
            write!(f, " … {} bytes", bytes.len())?;
        }
        f.write_str("]")
    }
}

#[derive(Clone, Copy)]
enum Scalar {
    Address,
    Bool,
    Signed,
    Unsigned,
    Float,
}

impl Scalar {
    /// Writes the value of little-endian `bytes`; `false` if a value of this kind cannot have this size.
    fn write(self, f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> Result<bool, fmt::Error> {
        if bytes.is_empty() || bytes.len() > 16 {
            return Ok(false);
        }
        let mut wide = [0; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        let number = u128::from_le_bytes(wide);
        let unused = 128 - 8 * bytes.len() as u32;
        match (self, bytes.len()) {
            (Self::Address, _) if number == 0 => f.write_str("null"),
            (Self::Address, _) => write!(f, "{number:#x}"),
            (Self::Bool, _) if number < 2 => write!(f, "{}", number == 1),
            (Self::Bool | Self::Unsigned, _) => write!(f, "{number}"),
            (Self::Signed, _) => write!(f, "{}", (number << unused).cast_signed() >> unused),
            (Self::Float, 4) => write!(f, "{:?}", f32::from_bits(number as u32)),
            (Self::Float, 8) => write!(f, "{:?}", f64::from_bits(number as u64)),
            (Self::Float, _) => return Ok(false),
        }?;
        Ok(true)
    }
}

/// Writes the components of a CUDA vector type; `false` if `name` is not a CUDA vector of this size.
fn vector(name: &str, bytes: &[u8], f: &mut fmt::Formatter<'_>) -> Result<bool, fmt::Error> {
    let Some(row) = cpp::builtin(name).filter(|row| row.size == bytes.len()) else {
        return Ok(false);
    };
    let scalar = match row.element {
        "i8" | "i16" | "i32" | "i64" | "CLong" => Scalar::Signed,
        "u8" | "u16" | "u32" | "u64" | "CULong" => Scalar::Unsigned,
        "f32" | "f64" => Scalar::Float,
        _ => return Ok(false),
    };
    if row.components == 0 {
        return Ok(false);
    }
    f.write_str("(")?;
    for (i, component) in bytes.chunks_exact(row.size / row.components).enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        scalar.write(f, component)?;
    }
    f.write_str(")")?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use kernel_args_abi::{CppType, Layout};
    use std::string::ToString;
    use std::{format, string::String};

    fn decoded(cpp: &'static str, bytes: &[u8]) -> String {
        let layout = Layout::from_size_align(bytes.len(), 1).unwrap();
        let parameter = Parameter::field("v", "V", 0, layout, Class::Bytes, CppType::named(cpp));
        format!("{}", Value(&parameter, bytes))
    }

    #[test]
    fn a_vector_is_decoded_by_its_components() {
        assert_eq!(decoded("char2", &[1, 0xff]), "(1, -1)  [01ff]");
        assert_eq!(decoded("uchar3", &[1, 2, 255]), "(1, 2, 255)  [0102ff]");
        let minus_one = decoded("long1", &[0xff; size_of::<crate::device::vector::CLong>()]);
        assert!(minus_one.starts_with("(-1)  ["), "{minus_one}");
        assert_eq!(
            decoded("cuComplex", &[0, 0, 0x80, 0x3f, 0, 0, 0, 0]),
            "(1.0, 0.0)  [0000803f 00000000]"
        );
    }

    /// A user's struct can have any name.
    #[test]
    fn a_name_that_is_not_a_vector_of_this_size_is_not_decoded() {
        for cpp in [
            "int4_t",
            "int4",
            "dim",
            "float",
            "float9",
            "cuFloatComplex",
            "é",
            "",
        ] {
            assert_eq!(decoded(cpp, &[7]), "[07]", "{cpp}");
        }
        assert_eq!(decoded("float4", &[]), "[]");
        assert_eq!(decoded("double2", &[0; 8]), "[00000000 00000000]");
    }

    /// A `cpp` attribute can contain every name of the table, for a type of any size.
    #[test]
    fn no_row_and_no_size_panics() {
        for row in &cpp::BUILTINS {
            for size in 0..40 {
                let text = decoded(row.cpp, &[0x55; 40][..size]);
                assert!(text.ends_with(']'), "{text}");
                assert!(size == row.size || !text.starts_with('('), "{text}");
            }
        }
    }

    /// A parameter can have any C++ type, with `#[device_type(cpp = "…")]` or an `impl` by hand.
    #[test]
    fn no_cpp_type_makes_the_text_of_a_value_panic() {
        const NAMES: [&str; 14] = [
            "int4_t",
            "char4",
            "float4",
            "double4_16a",
            "longlong3",
            "cuFloatComplex",
            "uchar1_",
            "dim",
            "dim3",
            "long",
            "longlong",
            "int9",
            "",
            "ß4",
        ];
        const CLASSES: [Class; 6] = [
            Class::Unknown,
            Class::Bits,
            Class::Integer,
            Class::Float,
            Class::Pointer,
            Class::Bytes,
        ];
        let named = NAMES.map(CppType::named);
        let others = [
            CppType::UNKNOWN,
            CppType::of(CppBase::Void),
            CppType::of(CppBase::Bool),
            CppType::of(CppBase::Float { bits: 16 }),
            CppType::integer(true, 128),
        ];
        let bytes = [0xff; 40];
        for cpp in named.into_iter().chain(others) {
            for class in CLASSES {
                for len in 0..=bytes.len() {
                    let layout = Layout::from_size_align(len, 1).expect("a layout");
                    let parameter = Parameter::field("a", "A", 0, layout, class, cpp);
                    let text = Value(&parameter, &bytes[..len]).to_string();
                    assert!(text.ends_with(']'), "{text}");
                }
            }
        }
    }
}

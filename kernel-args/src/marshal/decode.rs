//! The arguments of a launch as text: names, offsets, bytes and values.

use super::{DecodedArgs, Value};
use crate::memory::ForEachValue;
use kernel_args_abi::Parameter;

display!(DecodedArgs<'_>, |this, f| Text(&|visit| this.visit(visit)).fmt(f));

#[cfg(feature = "cudarc")]
pub(crate) fn text_of(values: &ForEachValue<'_>) -> String {
    Text(values).to_string()
}

struct Text<'v>(&'v ForEachValue<'v>);

display!(Text<'_>, |this, f| {
    let (mut names, mut types) = (0, 0);
    (this.0)(&mut |parameter, _| {
        names = names.max(parameter.name.chars().count());
        types = types.max(parameter.spelling.chars().count()).min(32);
    });
    let (mut result, mut separator) = (Ok(()), "");
    (this.0)(&mut |parameter, bytes| {
        if result.is_ok() {
            let (name, spelling, offset) = (parameter.name, parameter.spelling, parameter.offset.unwrap_or(0));
            let line = Line(parameter, bytes);
            result = write!(f, "{separator}  {name:names$}  {spelling:types$}  @ {offset:<4} = {line}");
            separator = "\n";
        }
    });
    result
});

debug_as_display!(DecodedArgs<'_>);

/// One value: decoded if its type is known, then its bytes.
struct Line<'v>(&'v Parameter<'v>, &'v [u8]);

const SHOWN: usize = 32;

display!(Line<'_>, |this, f| {
    let Self(parameter, bytes) = *this;
    match Value::of(parameter, bytes) {
        // The bytes follow.
        Value::Bytes(_) | Value::Struct(_) | Value::Array(_) => f.write_str("[")?,
        value => write!(f, "{value}  [")?,
    }
    for (i, byte) in bytes.iter().take(SHOWN).enumerate() {
        let gap = if i > 0 && i % 4 == 0 { " " } else { "" };
        write!(f, "{gap}{byte:02x}")?;
    }
    if bytes.len() > SHOWN {
        write!(f, " … {} bytes", bytes.len())?;
    }
    f.write_str("]")
});

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use kernel_args_abi::{Class, CppBase, CppType, Layout, cpp};

    fn decoded(cpp: &'static str, bytes: &[u8]) -> String {
        let layout = Layout::from_size_align(bytes.len(), 1).unwrap();
        let parameter = Parameter::field("v", "V", 0, layout, Class::Bytes, CppType::named(cpp));
        format!("{}", Line(&parameter, bytes))
    }

    #[test]
    fn a_vector_is_decoded_by_its_components() {
        assert_eq!(decoded("char2", &[1, 0xff]), "(1, -1)  [01ff]");
        assert_eq!(decoded("uchar3", &[1, 2, 255]), "(1, 2, 255)  [0102ff]");
        let minus_one = decoded("long1", &[0xff; size_of::<crate::device::vector::CLong>()]);
        assert!(minus_one.starts_with("(-1)  ["), "{minus_one}");
        assert_eq!(decoded("cuComplex", &[0, 0, 0x80, 0x3f, 0, 0, 0, 0]), "(1.0, 0.0)  [0000803f 00000000]");
    }

    /// A user's struct can have any name.
    #[test]
    fn a_name_that_is_not_a_vector_of_this_size_is_not_decoded() {
        for cpp in ["int4_t", "int4", "dim", "float", "float9", "cuFloatComplex", "é", ""] {
            assert_eq!(decoded(cpp, &[7]), "[07]", "{cpp}");
        }
        assert_eq!(decoded("float4", &[]), "[]");
        assert_eq!(decoded("double2", &[0; 8]), "[00000000 00000000]");
    }

    /// A parameter can have any C++ type, with `#[device_type(cpp = "…")]` or an `impl` by hand.
    #[test]
    fn no_cpp_type_makes_the_text_of_a_value_panic() {
        const NAMES: [&str; 9] = ["int4_t", "double4_16a", "longlong3", "uchar1_", "dim", "longlong", "int9", "", "ß4"];
        const CLASSES: [Class; 6] =
            [Class::Unknown, Class::Bits, Class::Integer, Class::Float, Class::Pointer, Class::Bytes];
        let builtins = cpp::BUILTINS.iter().map(|row| (row.cpp, Some(row.size)));
        let named = NAMES.map(|name| (name, None)).into_iter().chain(builtins);
        let others = [
            CppType::UNKNOWN,
            CppType::of(CppBase::Void),
            CppType::of(CppBase::Bool),
            CppType::of(CppBase::Float { bits: 16 }),
            CppType::integer(true, 128),
        ];
        let bytes = [0xff; 40];
        let named = named.map(|(name, size)| (CppType::named(name), size));
        for (cpp, of_size) in named.chain(others.map(|other| (other, None))) {
            for class in CLASSES {
                for len in 0..=bytes.len() {
                    let layout = Layout::from_size_align(len, 1).expect("a layout");
                    let parameter = Parameter::field("a", "A", 0, layout, class, cpp);
                    let text = Line(&parameter, &bytes[..len]).to_string();
                    assert!(text.ends_with(']'), "{text}");
                    assert!(of_size.is_none_or(|size| len == size) || !text.starts_with('('), "{text}");
                }
            }
        }
    }
}

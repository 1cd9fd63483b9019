//! The value of an argument, decoded from the bytes that the kernel receives.

use crate::{Class, CppBase, CppType, Members, Parameter, cpp};
use core::fmt;

/// The value of an argument, as far as its type is known.
///
/// The text of a value is for people: `1024`, `2.0`, `0x7f0000000000`, `null`, `(1.0, 0.0)`, `{x: 1, y: 2}`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Value<'a> {
    /// A `bool`.
    Bool(bool),
    /// A signed integer.
    Signed(i128),
    /// An unsigned integer.
    Unsigned(u128),
    /// A `float`, `__half` or `__nv_bfloat16`.
    F32(f32),
    /// A `double`.
    F64(f64),
    /// A pointer: the address on the device, 0 for null.
    Pointer(u64),
    /// An enum: the name of the variant, if a variant has this value, and the value.
    Enum(Option<&'a str>, i128),
    /// A CUDA vector: its components.
    Vector(Values<'a>),
    /// An array.
    Array(Values<'a>),
    /// A struct whose members are known.
    Struct(Fields<'a>),
    /// A value of a type that is not known, as its bytes.
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    /// Decodes little-endian `bytes`. Bytes that cannot be a value of the type are [`Value::Bytes`].
    #[must_use]
    pub fn of(parameter: &Parameter<'a>, bytes: &'a [u8]) -> Self {
        let Parameter { mut class, cpp, members, .. } = *parameter;
        // A cubin has no classes, but the name of its kernel can have types.
        if class.same(Class::Unknown) && !cpp.is_unknown() {
            class = class_of(cpp, members);
        }
        ValueType { class, cpp, members }.decode(bytes).unwrap_or(Self::Bytes(bytes))
    }
}

#[derive(Clone, Copy, Debug)]
struct ValueType<'a> {
    class: Class,
    cpp: CppType<'a>,
    members: Members<'a>,
}

impl<'a> ValueType<'a> {
    /// `None` if no value of this type has these bytes, or if the type is not known.
    fn decode(self, bytes: &'a [u8]) -> Option<Value<'a>> {
        let Self { class, cpp, members } = self;
        if cpp.is_array() {
            return self.array(bytes);
        }
        Some(match (class, cpp.base) {
            (Class::Pointer, _) => Value::Pointer(u64::try_from(unsigned(bytes)?).ok()?),
            (_, CppBase::Bool) => match unsigned(bytes)? {
                bit @ 0..2 => Value::Bool(bit == 1),
                number => Value::Unsigned(number),
            },
            (Class::Integer, _) if members.is_enum() => variant(members, bytes)?,
            (Class::Integer, base) if base.is_signed() || base == CppBase::Char && core::ffi::c_char::MIN != 0 => {
                Value::Signed(signed(bytes)?)
            }
            (Class::Integer, _) => Value::Unsigned(unsigned(bytes)?),
            (Class::Float, _) => match bytes.len() {
                2 => half("f16", bytes)?,
                4 => Value::F32(f32::from_bits(unsigned(bytes)? as u32)),
                8 => Value::F64(f64::from_bits(unsigned(bytes)? as u64)),
                _ => return None,
            },
            (_, CppBase::Named(name)) => {
                let scalar = cpp::builtin(name).and_then(|row| half(row.element, bytes));
                scalar.or_else(|| vector(name, bytes)).or_else(|| fields(members, bytes))?
            }
            _ => return None,
        })
    }

    fn array(self, bytes: &'a [u8]) -> Option<Value<'a>> {
        let size = bytes.len().checked_div(self.cpp.elements())?;
        if size == 0 || size * self.cpp.elements() != bytes.len() {
            return None;
        }
        let cpp = self.cpp.element();
        // The class of an array is the class of its bytes.
        let element = Self { class: class_of(cpp, self.members), cpp, ..self };
        Some(Value::Array(Values { bytes, size, element }))
    }
}

fn class_of(cpp: CppType<'_>, members: Members<'_>) -> Class {
    match cpp.base {
        _ if cpp.is_pointer() => Class::Pointer,
        CppBase::Integer { .. } | CppBase::Long { .. } | CppBase::Char => Class::Integer,
        CppBase::Float { .. } => Class::Float,
        _ if members.is_enum() => Class::Integer,
        _ => Class::Bytes,
    }
}

fn variant<'a>(members: Members<'a>, bytes: &'a [u8]) -> Option<Value<'a>> {
    let is_signed = members.is_signed().unwrap_or(true);
    let number = if is_signed { signed(bytes)? } else { i128::try_from(unsigned(bytes)?).ok()? };
    let found = members.variants().find(|variant| variant.value_in(bytes.len(), is_signed) == number);
    Some(Value::Enum(found.map(|variant| variant.name), number))
}

/// `None` if the members are not known, or do not fit.
fn fields<'a>(members: Members<'a>, bytes: &'a [u8]) -> Option<Value<'a>> {
    let fits = |member: Parameter<'_>| {
        let end = member.offset.and_then(|offset| offset.checked_add(member.size));
        end.is_some_and(|end| end <= bytes.len())
    };
    let is_whole = !members.is_empty() && members.iter().all(fits);
    is_whole.then_some(Value::Struct(Fields { members, bytes }))
}

fn half<'a>(format: &str, bytes: &[u8]) -> Option<Value<'a>> {
    let bits = u32::from(u16::from_le_bytes(bytes.try_into().ok()?));
    Some(Value::F32(match format {
        "bf16" => f32::from_bits(bits << 16),
        "f16" => {
            // The bias of the exponent is 112 less. The largest exponent is infinity and NaN.
            let special = if bits & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
            let magnitude = f32::from_bits((bits & 0x7fff) << 13 | special) * f32::from_bits(239 << 23);
            if bits >> 15 == 1 { -magnitude } else { magnitude }
        }
        _ => return None,
    }))
}

/// `None` if `name` is not a CUDA vector of this size.
fn vector<'a>(name: &str, bytes: &'a [u8]) -> Option<Value<'a>> {
    let row = cpp::builtin(name).filter(|row| row.size == bytes.len())?;
    let size = row.size.checked_div(row.components).filter(|size| *size > 0)?;
    let bits = 8 * size as u16;
    let cpp = CppType::of(match row.element {
        "i8" | "i16" | "i32" | "i64" | "CLong" => CppBase::Integer { signed: true, bits },
        "u8" | "u16" | "u32" | "u64" | "CULong" => CppBase::Integer { signed: false, bits },
        "f16" | "f32" | "f64" => CppBase::Float { bits },
        "bf16" => CppBase::Named("__nv_bfloat16"),
        _ => return None,
    });
    let element = ValueType { class: class_of(cpp, Members::UNKNOWN), cpp, members: Members::UNKNOWN };
    Some(Value::Vector(Values { bytes, size, element }))
}

/// `None` for no bytes, or for more than 16.
fn unsigned(bytes: &[u8]) -> Option<u128> {
    let mut wide = [0; 16];
    wide.get_mut(..bytes.len()).filter(|number| !number.is_empty())?.copy_from_slice(bytes);
    Some(u128::from_le_bytes(wide))
}

fn signed(bytes: &[u8]) -> Option<i128> {
    let number = unsigned(bytes)?;
    let unused = 128 - 8 * bytes.len() as u32;
    Some((number << unused).cast_signed() >> unused)
}

/// The elements of an array, or the components of a vector.
#[derive(Clone, Copy, Debug)]
pub struct Values<'a> {
    bytes: &'a [u8],
    /// The size of a value in bytes, which is not 0.
    size: usize,
    element: ValueType<'a>,
}

impl<'a> Values<'a> {
    /// Returns the values in order.
    pub fn iter(self) -> impl Iterator<Item = Value<'a>> {
        let Self { bytes, size, element } = self;
        bytes.chunks_exact(size).map(move |bytes| element.decode(bytes).unwrap_or(Value::Bytes(bytes)))
    }
}

/// The members of a struct.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'a> {
    members: Members<'a>,
    bytes: &'a [u8],
}

impl<'a> Fields<'a> {
    /// Returns each member, and its value.
    pub fn iter(self) -> impl Iterator<Item = (Parameter<'a>, Value<'a>)> {
        let bytes = self.bytes;
        self.members.iter().map(move |member| {
            let offset = member.offset.unwrap_or(0);
            let value = Value::of(&member, &bytes[offset..][..member.size]);
            (member, value)
        })
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Bool(value) => write!(f, "{value}"),
            Self::Signed(value) | Self::Enum(None, value) => write!(f, "{value}"),
            Self::Unsigned(value) => write!(f, "{value}"),
            Self::F32(value) => write!(f, "{value:?}"),
            Self::F64(value) => write!(f, "{value:?}"),
            Self::Pointer(0) => f.write_str("null"),
            Self::Pointer(address) => write!(f, "{address:#x}"),
            Self::Enum(Some(name), value) => write!(f, "{name} ({value})"),
            Self::Vector(components) => list(f, ["(", ")"], components),
            Self::Array(elements) => list(f, ["[", "]"], elements),
            Self::Struct(fields) => {
                f.write_str("{")?;
                for (i, (member, value)) in fields.iter().enumerate() {
                    let separator = if i > 0 { ", " } else { "" };
                    write!(f, "{separator}{}: {value}", member.name)?;
                }
                f.write_str("}")
            }
            Self::Bytes(bytes) => {
                f.write_str("0x")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

/// Writes at most 16 values: an array can have thousands.
fn list(f: &mut fmt::Formatter<'_>, [open, close]: [&str; 2], values: Values<'_>) -> fmt::Result {
    const SHOWN: usize = 16;
    let mut values = values.iter();
    f.write_str(open)?;
    for (i, value) in values.by_ref().take(SHOWN).enumerate() {
        let separator = if i > 0 { ", " } else { "" };
        write!(f, "{separator}{value}")?;
    }
    match values.count() {
        0 => f.write_str(close),
        more => write!(f, ", … {more} more{close}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Layout, Variant};
    use std::string::ToString;

    type Case<'a> = ((Class, CppType<'a>, Members<'a>), &'a [u8], &'a str);

    #[test]
    fn values_are_decoded_by_their_type() {
        let (minus_2, pair, nines) = ((-2_i32).to_le_bytes(), [1, 0, 0, 0, 2, 0, 0, 0], [9; 40]);
        let twice = pair.repeat(2);
        let variants = [Variant { name: "Off", value: -1 }, Variant { name: "Large", value: 200 }];
        let mode = |is_signed| (Class::Integer, CppType::named("Mode"), Members::of_enum(&variants, Some(is_signed)));
        let of = |base| (Class::Integer, CppType::of(base), Members::UNKNOWN);
        let int = |name, offset| {
            Parameter::field(name, "i32", offset, Layout::of::<i32>(), Class::Integer, CppType::integer(true, 32))
        };
        let members = [int("x", 0), int("y", 4)];
        let pairs = |cpp| (Class::Bytes, cpp, Members::of(&members));
        let named = CppType::named("Pair");
        let number = |name| (Class::Bytes, CppType::named(name), Members::UNKNOWN);
        let half = number("__half");
        let bytes = CppType::integer(false, 8).array(40);
        let shortened = std::format!("[{}… 24 more]", "9, ".repeat(16));
        let cases: [Case<'_>; 24] = [
            (of(CppBase::Integer { signed: true, bits: 32 }), &minus_2, "-2"),
            (of(CppBase::Integer { signed: false, bits: 32 }), &minus_2, "4294967294"),
            (of(CppBase::Long { signed: true }), &minus_2, "-2"),
            (of(CppBase::Long { signed: false }), &minus_2, "4294967294"),
            (of(CppBase::Unknown), &minus_2, "4294967294"),
            (mode(true), &[0xff], "Off (-1)"),
            (mode(false), &[0xff], "Off (255)"),
            (mode(false), &[200], "Large (200)"),
            (mode(true), &[7], "7"),
            (pairs(named), &pair, "{x: 1, y: 2}"),
            // It does not fit its bytes.
            (pairs(named), &pair[..7], "0x01000000020000"),
            (pairs(named.array(2)), &twice, "[{x: 1, y: 2}, {x: 1, y: 2}]"),
            ((Class::Bytes, bytes, Members::UNKNOWN), &nines, &shortened),
            (half, &[0, 0x3c], "1.0"),
            (half, &[0x66, 0xae], "-0.099975586"),
            (half, &[1, 0], "5.9604645e-8"),
            (half, &[0, 0x80], "-0.0"),
            (half, &[0xff, 0x7b], "65504.0"),
            (half, &[0, 0xfc], "-inf"),
            (half, &[1, 0x7c], "NaN"),
            ((Class::Float, CppType::UNKNOWN, Members::UNKNOWN), &[0, 0x3c], "1.0"),
            (number("__nv_bfloat16"), &[0x20, 0xc0], "-2.5"),
            (number("__half2"), &[0, 0x3c, 0, 0x40], "(1.0, 2.0)"),
            (number("__nv_bfloat162"), &[0x80, 0x3f, 0x20, 0xc0], "(1.0, -2.5)"),
        ];
        for ((class, cpp, members), bytes, expected) in cases {
            let layout = Layout::from_size_align(bytes.len(), 1).expect("a layout");
            let parameter = Parameter::field("v", "V", 0, layout, class, cpp).with_members(members);
            assert_eq!(Value::of(&parameter, bytes).to_string(), expected);
        }
        // `powi` need not be exact: under Miri it is not.
        let power = |exponent: i32| f32::from_bits((127 + exponent).cast_unsigned() << 23);
        for bits in 0..0x7c00_u16 {
            let (exponent, fraction) = (i32::from(bits >> 10), f32::from(bits & 0x3ff) / 1024.0);
            let expected = match exponent {
                0 => fraction * power(-14),
                _ => (1.0 + fraction) * power(exponent - 15),
            };
            for (bits, expected) in [(bits, expected), (bits | 0x8000, -expected)] {
                let Some(Value::F32(value)) = super::half("f16", &bits.to_le_bytes()) else { panic!("{bits:#x}") };
                assert_eq!(value.to_bits(), expected.to_bits(), "{bits:#x}");
            }
        }
    }
}

//! C++'s scalar types by their names.

use super::CppBase;

const fn integer(signed: bool, bits: u16) -> CppBase<'static> {
    CppBase::Integer { signed, bits }
}

/// The scalar type of this name, as demanglers spell it or people do. `None` for any other name.
pub const fn scalar(name: &[u8]) -> Option<CppBase<'static>> {
    Some(match name {
        b"void" => CppBase::Void,
        b"bool" => CppBase::Bool,
        b"char" => CppBase::Char,
        b"signed char" | b"int8_t" => integer(true, 8),
        b"unsigned char" | b"char8_t" | b"uint8_t" => integer(false, 8),
        b"short" | b"short int" | b"int16_t" => integer(true, 16),
        b"unsigned short"
        | b"unsigned short int"
        | b"short unsigned int"
        | b"char16_t"
        | b"uint16_t" => integer(false, 16),
        b"int" | b"signed" | b"signed int" | b"int32_t" => integer(true, 32),
        b"unsigned int" | b"unsigned" | b"char32_t" | b"uint32_t" => integer(false, 32),
        b"long" | b"long int" => CppBase::Long { signed: true },
        b"unsigned long" | b"unsigned long int" | b"long unsigned int" => {
            CppBase::Long { signed: false }
        }
        b"long long" | b"long long int" => integer(true, 64),
        b"unsigned long long" | b"unsigned long long int" | b"long long unsigned int" => {
            integer(false, 64)
        }
        b"__int128" => integer(true, 128),
        b"unsigned __int128" => integer(false, 128),
        b"_Float16" | b"half" => CppBase::Float { bits: 16 },
        b"float" => CppBase::Float { bits: 32 },
        b"double" => CppBase::Float { bits: 64 },
        _ => return None,
    })
}

//! C++ scalar types by name, and their Rust types.

use super::CppBase;

const fn integer(signed: bool, bits: u16) -> CppBase<'static> {
    CppBase::Integer { signed, bits }
}

/// Returns the scalar type of this name, in the spelling of demanglers or of C++ programs.
pub const fn scalar(name: &[u8]) -> Option<CppBase<'static>> {
    Some(match name {
        b"void" => CppBase::Void,
        b"bool" => CppBase::Bool,
        b"char" => CppBase::Char,
        b"signed char" | b"int8_t" => integer(true, 8),
        b"unsigned char" | b"char8_t" | b"uint8_t" => integer(false, 8),
        b"short" | b"short int" | b"int16_t" => integer(true, 16),
        b"unsigned short" | b"unsigned short int" | b"short unsigned int" | b"char16_t" | b"uint16_t" => {
            integer(false, 16)
        }
        b"int" | b"signed" | b"signed int" | b"int32_t" => integer(true, 32),
        b"unsigned int" | b"unsigned" | b"char32_t" | b"uint32_t" => integer(false, 32),
        b"long" | b"long int" => CppBase::Long { signed: true },
        b"unsigned long" | b"unsigned long int" | b"long unsigned int" => CppBase::Long { signed: false },
        b"long long" | b"long long int" => integer(true, 64),
        b"unsigned long long" | b"unsigned long long int" | b"long long unsigned int" => integer(false, 64),
        b"__int128" => integer(true, 128),
        b"unsigned __int128" => integer(false, 128),
        b"_Float16" | b"half" => CppBase::Float { bits: 16 },
        b"float" => CppBase::Float { bits: 32 },
        b"double" => CppBase::Float { bits: 64 },
        _ => return None,
    })
}

/// Returns the Rust type of a C++ scalar, or an empty text. `size` is the size in bytes of a `long` passed by value, or
/// 0: it then has its size on this host.
pub const fn rust_scalar(base: CppBase<'_>, size: usize) -> &'static str {
    match base {
        CppBase::Bool => "bool",
        CppBase::Char if core::ffi::c_char::MIN != 0 => "i8",
        CppBase::Char => "u8",
        CppBase::Integer { signed, bits } => rust_integer(signed, bits),
        CppBase::Long { signed } => {
            let windows = size == 4 || size == 0 && cfg!(windows);
            rust_integer(signed, if windows { 32 } else { 64 })
        }
        // Its address.
        CppBase::FunctionType => "u64",
        CppBase::Float { bits: 32 } => "f32",
        CppBase::Float { bits: 64 } => "f64",
        _ => "",
    }
}

/// Returns the Rust integer of this width, or an empty text.
pub const fn rust_integer(signed: bool, bits: u16) -> &'static str {
    match (signed, bits) {
        (true, 8) => "i8",
        (false, 8) => "u8",
        (true, 16) => "i16",
        (false, 16) => "u16",
        (true, 32) => "i32",
        (false, 32) => "u32",
        (true, 64) => "i64",
        (false, 64) => "u64",
        (true, 128) => "i128",
        (false, 128) => "u128",
        _ => "",
    }
}

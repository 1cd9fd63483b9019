//! What a user of `kernel-args` writes in Rust for a kernel's parameter.

use super::message::Message;
use crate::{
    class::Class,
    cpp::{CppBase, CppType, name},
    signature::Parameter,
};

/// CUDA's built-in vectors and their names here, without the count.
const VECTORS: &[(&str, &str)] = &[
    ("char", "Char"),
    ("uchar", "UChar"),
    ("short", "Short"),
    ("ushort", "UShort"),
    ("int", "Int"),
    ("uint", "UInt"),
    ("long", "Long"),
    ("ulong", "ULong"),
    ("longlong", "LongLong"),
    ("ulonglong", "ULongLong"),
    ("float", "Float"),
    ("double", "Double"),
];

/// Appends ``declare `name: f32` ``, or several such separated by "or"; without a name the types alone.
/// `false`, and nothing appended, where nothing can be said.
pub(super) const fn push_declaration<const N: usize>(
    message: &mut Message<N>,
    name: &str,
    host: Option<&Parameter<'_>>,
    kernel: &Parameter<'_>,
) -> bool {
    let verb = if name.is_empty() { "" } else { "declare " };
    if kernel.cpp.is_pointer() || matches!(kernel.class, Class::Pointer) {
        message.push(verb);
        message.push("`");
        push_field(message, name);
        push_slice(message, kernel.cpp);
        message.push("`");
        return true;
    }
    if let CppBase::Named(spelled) = kernel.cpp.base
        && half(spelled).is_empty()
        && !matches!(kernel.class, Class::Integer)
    {
        message.push(verb);
        message.push("`");
        push_field(message, name);
        push_named(message, spelled);
        message.push("`");
        return true;
    }
    let types = alternatives(host, kernel);
    if types.is_empty() {
        return false;
    }
    message.push(verb);
    let mut i = 0;
    while i < types.len() {
        if i > 0 {
            message.push(if i + 1 == types.len() { " or " } else { ", " });
        }
        message.push("`");
        push_field(message, name);
        message.push(types[i]);
        message.push("`");
        i += 1;
    }
    true
}

const fn push_field<const N: usize>(message: &mut Message<N>, name: &str) {
    if !name.is_empty() {
        message.push(name);
        message.push(": ");
    }
}

/// Appends the type of a slice on the device for a pointer: `&CudaSlice<f32>`.
const fn push_slice<const N: usize>(message: &mut Message<N>, cpp: CppType<'_>) {
    let to_const = cpp.depth > 0 && cpp.const_mask >> (cpp.depth - 1) & 1 == 1;
    let known = cpp.is_pointer();
    message.push(if known && !to_const {
        "&mut CudaSlice<"
    } else {
        "&CudaSlice<"
    });
    let element = scalar(cpp.base, 0);
    if cpp.depth != 1 {
        message.push("…");
    } else if !element.is_empty() {
        message.push(element);
    } else if let CppBase::Named(spelled) = cpp.base {
        push_named(message, spelled);
    } else {
        message.push("…");
    }
    message.push(">");
}

/// Appends the Rust name of a C++ struct or vector: `Float4` for `float4`, `Params` for `sim::Params<int>`.
const fn push_named<const N: usize>(message: &mut Message<N>, spelled: &str) {
    let half = half(spelled);
    let bytes = spelled.as_bytes();
    let mut letters = 0;
    while letters < bytes.len() && bytes[letters].is_ascii_lowercase() {
        letters += 1;
    }
    let (element, count) = spelled.split_at(letters);
    let mut i = 0;
    while i < VECTORS.len() && !name::equal(VECTORS[i].0.as_bytes(), element.as_bytes()) {
        i += 1;
    }
    if !half.is_empty() {
        message.push(half);
    } else if name::is_tensor_map(spelled) {
        message.push("TensorMap");
    } else if i < VECTORS.len() && name::is_builtin(spelled) {
        message.push(VECTORS[i].1);
        let (digit, rest) = count.split_at(1);
        message.push(digit);
        if rest.len() == 4 {
            message.push("A");
            message.push(rest.split_at(1).1.split_at(2).0);
        }
    } else {
        message.push(name::plain(spelled));
    }
}

const fn half(spelled: &str) -> &'static str {
    if name::is_half(spelled) {
        "half::f16"
    } else if name::is_bfloat16(spelled) {
        "half::bf16"
    } else {
        ""
    }
}

/// The Rust type of a C++ scalar; empty where there is none. `size` is what `long` has by value, in
/// bytes, or 0.
pub(super) const fn scalar(base: CppBase<'_>, size: usize) -> &'static str {
    match base {
        CppBase::Bool => "bool",
        CppBase::Char if core::ffi::c_char::MIN != 0 => "i8",
        CppBase::Char => "u8",
        CppBase::Integer { signed, bits } => integer(signed, bits),
        CppBase::Long { signed } => {
            let windows = size == 4 || size == 0 && cfg!(windows);
            integer(signed, if windows { 32 } else { 64 })
        }
        CppBase::Float { bits: 32 } => "f32",
        CppBase::Float { bits: 64 } => "f64",
        CppBase::Named(spelled) => half(spelled),
        _ => "",
    }
}

const fn integer(signed: bool, bits: u16) -> &'static str {
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

/// Every Rust type that a parameter may be, the likeliest first. PTX tells no signedness: `.u32` is
/// `int` as well.
const fn alternatives(
    host: Option<&Parameter<'_>>,
    kernel: &Parameter<'_>,
) -> &'static [&'static str] {
    let known: &'static [&'static str] = match scalar(kernel.cpp.base, kernel.size).as_bytes() {
        b"bool" => &["bool"],
        b"i8" => &["i8"],
        b"u8" => &["u8"],
        b"i16" => &["i16"],
        b"u16" => &["u16"],
        b"i32" => &["i32"],
        b"u32" => &["u32"],
        b"i64" => &["i64"],
        b"u64" => &["u64"],
        b"i128" => &["i128"],
        b"u128" => &["u128"],
        b"f32" => &["f32"],
        b"f64" => &["f64"],
        b"half::f16" => &["half::f16"],
        b"half::bf16" => &["half::bf16"],
        _ => &[],
    };
    if !known.is_empty() {
        return known;
    }
    let (signed, float) = match host {
        Some(host) => (
            matches!(
                host.cpp.base,
                CppBase::Integer { signed: true, .. } | CppBase::Long { signed: true }
            ),
            matches!(host.class, Class::Float),
        ),
        None => (false, false),
    };
    match (kernel.class, kernel.size) {
        (Class::Integer | Class::Unknown | Class::Bits, 1) => &["u8", "i8", "bool"],
        (Class::Integer, 2) if signed => &["i16", "u16"],
        (Class::Integer, 2) => &["u16", "i16"],
        (Class::Integer, 4) if signed => &["i32", "u32"],
        (Class::Integer, 4) => &["u32", "i32"],
        (Class::Integer, 8) if signed => &["i64", "u64", "&CudaSlice<…>"],
        (Class::Integer, 8) => &["u64", "i64", "&CudaSlice<…>"],
        (Class::Integer, 16) => &["u128", "i128"],
        (Class::Float | Class::Bytes, 2) => &["half::f16", "half::bf16"],
        (Class::Float | Class::Bits | Class::Unknown, 4) if float => &["f32"],
        (Class::Float | Class::Bits | Class::Unknown, 8) if float => &["f64"],
        (Class::Float, 4) => &["f32"],
        (Class::Float, 8) => &["f64"],
        (Class::Unknown | Class::Bits, 2) => &["u16", "i16", "half::f16"],
        (Class::Unknown | Class::Bits, 4) => &["u32", "i32", "f32"],
        (Class::Unknown | Class::Bits, 8) => &["&CudaSlice<…>", "u64", "i64", "f64"],
        (Class::Bytes, size) => match kernel.align {
            Some(align) => aligned_bytes(size, align.bytes()),
            None => &[],
        },
        _ => &[],
    }
}

/// The usual vectors of this size and alignment in bytes.
pub(super) const fn aligned_bytes(size: usize, align: usize) -> &'static [&'static str] {
    match (size, align) {
        (4, 4) => &["half2", "UChar4", "UShort2"],
        (8, 8) => &["Float2", "Int2", "UInt2"],
        (16, 16) => &["Float4", "Int4", "Double2"],
        (32, 16) => &["Double4A16", "LongLong4A16"],
        (32, 32) => &["Double4A32", "LongLong4A32"],
        (12, 4) => &["Float3", "Int3", "UInt3"],
        (128, 64 | 128) => &["TensorMap"],
        _ => &[],
    }
}

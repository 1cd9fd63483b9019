//! What a user of `kernel-args` writes in Rust for a kernel's parameter.

use super::message::Message;
use crate::{
    class::Class,
    cpp::{CppBase, CppType, name, vectors_of},
    layout::Alignment,
    signature::Parameter,
};

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
        && !matches!(kernel.class, Class::Integer)
    {
        let ty = named(spelled, kernel.align);
        if ty.is_empty() {
            return false;
        }
        message.push(verb);
        message.push("`");
        push_field(message, name);
        message.push(ty);
        message.push("`");
        return true;
    }
    let (types, count) = alternatives(host, kernel);
    let types = types.split_at(count).0;
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
    } else if let CppBase::Named(spelled) = cpp.base
        && !named(spelled, None).is_empty()
    {
        message.push(named(spelled, None));
    } else {
        message.push("…");
    }
    message.push(">");
}

/// The Rust name of a C++ struct, vector or half: `Float4` for `float4`, `Params` for `sim::Params<int>`. Empty where it
/// is a type of CUDA's that has none.
const fn named(spelled: &str, align: Option<Alignment>) -> &str {
    match name::builtin(spelled) {
        Some(row) => row.aligned_to(align).rust,
        None if name::is_builtin(spelled) => "",
        None => name::plain(spelled),
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

/// The number of types that a hint offers at most.
const OFFERED: usize = 3;

/// Every Rust type that a parameter may be, the likeliest first, and their number. PTX tells no signedness: `.u32` is
/// `int` as well.
const fn alternatives(
    host: Option<&Parameter<'_>>,
    kernel: &Parameter<'_>,
) -> ([&'static str; OFFERED], usize) {
    let known = scalar(kernel.cpp.base, kernel.size);
    if !known.is_empty() {
        return ([known, "", ""], 1);
    }
    if matches!(kernel.class, Class::Bytes)
        && kernel.size != 2
        && let Some(align) = kernel.align
    {
        return vectors_of(kernel.size, align.bytes());
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
    let offered: &[&'static str] = match (kernel.class, kernel.size) {
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
        (Class::Unknown | Class::Bits, 8) => &["&CudaSlice<…>", "u64", "i64"],
        _ => &[],
    };
    let mut types = [""; OFFERED];
    let (known, _) = types.split_at_mut(offered.len());
    known.copy_from_slice(offered);
    (types, offered.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpp::BUILTINS;
    use std::{format, string::String};

    fn parameter(cpp: CppType<'_>, size: usize, align: usize) -> Parameter<'_> {
        Parameter {
            class: Class::Bytes,
            cpp,
            align: Alignment::new(align),
            ..Parameter::record(0, size)
        }
    }

    fn declaration(kernel: &Parameter<'_>) -> Option<String> {
        let mut text = Message::<256>::new();
        push_declaration(&mut text, "v", None, kernel).then(|| String::from(text.as_str()))
    }

    /// By value and behind a pointer, by every name and with a path.
    #[test]
    fn every_type_of_cuda_is_offered_by_its_rust_name() {
        for row in &BUILTINS {
            for name in core::iter::once(&row.cpp).chain(row.aliases) {
                for path in ["", "ns::"] {
                    let name = format!("{path}{name}");
                    let cpp = CppType::named(&name);
                    let expected = format!("declare `v: {}`", row.rust);
                    assert_eq!(
                        declaration(&parameter(cpp, row.size, row.align)),
                        Some(expected)
                    );
                    if row.rust == "TensorMapA64" {
                        continue; // behind a pointer nothing tells the alignment
                    }
                    let expected = format!("declare `v: &CudaSlice<{}>`", row.rust);
                    let pointer = parameter(cpp.pointer(true), 8, 8);
                    assert_eq!(declaration(&pointer), Some(expected));
                }
            }
        }
    }

    #[test]
    fn a_type_of_cuda_without_a_rust_type_is_not_offered() {
        for name in ["__nv_fp8_e4m3", "complex<int>", "cuda::std::complex"] {
            let cpp = CppType::named(name);
            assert_eq!(declaration(&parameter(cpp, 1, 1)), None);
            let pointer = declaration(&parameter(cpp.pointer(true), 8, 8));
            assert_eq!(pointer.unwrap(), "declare `v: &CudaSlice<…>`");
        }
    }

    /// Every size and alignment of bytes, of which the C++ type is not known.
    #[test]
    fn what_is_offered_for_bytes_is_in_the_table() {
        for size in 0..300 {
            for align in [1, 2, 4, 8, 16, 32, 64, 128] {
                let (types, count) = alternatives(None, &parameter(CppType::UNKNOWN, size, align));
                for ty in &types[..count] {
                    let row = BUILTINS.iter().find(|row| row.rust == *ty).expect(ty);
                    assert_eq!(row.size, size);
                }
            }
        }
    }
}

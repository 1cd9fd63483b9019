//! How to mend a field that does not fit.

use super::{
    message::Message,
    rust::push_declaration,
    spelling::{push_bytes, push_cpp, push_layout},
};
use crate::{
    check::{Difference, Differences, expected_offset},
    class::Class,
    cpp::{CppBase, name, vectors_of},
    layout::Alignment,
    signature::{Offsets, Parameter},
};

/// A field and a parameter of two lists.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) host: &'a [Parameter<'a>],
    pub(super) kernel: &'a [Parameter<'a>],
    pub(super) base: Option<usize>,
    pub(super) field: usize,
    pub(super) parameter: usize,
}

/// Appends, without a line's end, what the usual cause of these differences is and what to write.
pub(super) const fn push<const N: usize>(
    message: &mut Message<N>,
    place: Place<'_>,
    differences: Differences,
) {
    let host = &place.host[place.field];
    let kernel = &place.kernel[place.parameter];
    match differences.first() {
        None => {}
        Some(Difference::Size | Difference::Class | Difference::Pointer | Difference::Type) => {
            push_value(message, host, kernel);
        }
        Some(Difference::Alignment) => push_alignment(message, host, kernel, kernel.align),
        Some(Difference::Offset) => push_offset(message, place),
        Some(Difference::Name) => push_name(message, host, kernel),
        Some(Difference::Signedness) => {
            message.push("the kernel takes it as `");
            push_cpp(message, kernel.cpp);
            message.push("`: ");
            push_declaration(message, host.name, Some(host), kernel);
        }
        Some(Difference::Pointee) => {
            message.push("the kernel takes a `");
            push_cpp(message, kernel.cpp);
            message.push("`: ");
            push_declaration(message, host.name, Some(host), kernel);
            message.push(", or put `#[kernel_args(opaque)]` on the field if that is meant");
        }
        Some(Difference::Constness) => {
            message.push("the kernel may write through it, pass `&mut`: ");
            push_declaration(message, host.name, Some(host), kernel);
        }
    }
}

/// A value of another size or kind.
const fn push_value<const N: usize>(
    message: &mut Message<N>,
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
) {
    let is_struct = is_aggregate(kernel);
    if kernel.cpp.is_pointer() || matches!(kernel.class, Class::Pointer) {
        message.push("the kernel takes a device pointer: ");
    } else if is_pointer(host) {
        message.push("the kernel takes the value itself, not its address: ");
    } else if is_half(kernel) && matches!(host.class, Class::Float) {
        message.push("half precision has 2 bytes: ");
    } else if matches!(host.class, Class::Float) && host.size == 8 && may_be_float(kernel, 4) {
        message.push("a float literal in Rust is f64 unless it says f32: write `2.0f32`, or ");
    } else if matches!(host.class, Class::Float) && may_be_float(kernel, 8) {
        message.push("C's `double` is f64: ");
    } else if is_struct && matches!(host.class, Class::Bytes) {
        push_struct_size(message, host, kernel);
        return;
    } else if is_struct {
        message.push("the kernel takes a struct or vector of ");
        push_layout(message, kernel.size, kernel.align);
        message.push(": ");
    } else if matches!(kernel.class, Class::Float) && !matches!(host.class, Class::Float) {
        message.push("the kernel takes a floating-point number: ");
    } else if matches!(host.class, Class::Bytes) {
        message.push("the kernel takes a plain value: ");
    } else if kernel.size == 1 && host.size != 1 {
        push_sizes(message, host, kernel);
    } else if matches!(host.cpp.base, CppBase::Bool) && kernel.size == 4 {
        message.push("`bool` is 1 byte on the device too, C's `int` is 4: ");
    } else if matches!(host.class, Class::Integer) && host.size == 8 && kernel.size == 4 {
        message.push_quoted(host.spelling);
        message.push(" has 8 bytes, C's `int` has 4: ");
    } else if matches!(host.class, Class::Integer) && host.size < kernel.size && kernel.size == 4 {
        message.push("C's `int` is 4 bytes: ");
    } else if matches!(kernel.class, Class::Integer) && matches!(host.class, Class::Float) {
        message.push("the kernel takes an integer: ");
    } else if host.size != kernel.size {
        push_sizes(message, host, kernel);
    } else {
        message.push("the kernel takes another type: ");
    }
    if !push_declaration(message, host.name, Some(host), kernel) {
        message.push("declare a type of ");
        push_layout(message, kernel.size, kernel.align);
    }
}

const fn push_sizes<const N: usize>(
    message: &mut Message<N>,
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
) {
    message.push_quoted(host.name);
    message.push(" has ");
    push_bytes(message, host.size);
    message.push(", the kernel takes ");
    message.push_number(kernel.size);
    message.push(": ");
}

const fn push_struct_size<const N: usize>(
    message: &mut Message<N>,
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
) {
    let builtin = match kernel.cpp.base {
        CppBase::Named(spelled) => name::is_builtin(spelled),
        _ => false,
    };
    if builtin {
        message.push("the kernel takes CUDA's `");
        push_cpp(message, kernel.cpp);
        message.push("`: ");
        push_declaration(message, host.name, Some(host), kernel);
        return;
    }
    message.push("the kernel's struct has ");
    push_bytes(message, kernel.size);
    message.push(", ");
    message.push_quoted(host.spelling);
    message.push(" has ");
    message.push_number(host.size);
    message.push(": compare their fields one by one");
}

/// A type of the right size that is aligned otherwise.
const fn push_alignment<const N: usize>(
    message: &mut Message<N>,
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
    align: Option<Alignment>,
) {
    let Some(align) = align else { return };
    if host.size == 128 && matches!(align.bytes(), 64 | 128) {
        message
            .push("CUtensorMap is aligned to 64 bytes by CUDA 12 and to 128 by CUDA 13: declare `");
        message.push(host.name);
        message.push(": ");
        message.push(vectors_of::<1>(128, align.bytes()).0[0]);
        message.push("`");
        return;
    }
    let smaller = match host.align {
        Some(host) => host.bytes() < align.bytes(),
        None => true,
    };
    let named = matches!(kernel.cpp.base, CppBase::Named(_)) && !kernel.cpp.is_pointer();
    let (vectors, count) = vectors_of::<3>(kernel.size, align.bytes());
    let vectors = vectors.split_at(count).0;
    message.push("the kernel aligns it to ");
    message.push_number(align.bytes());
    if named {
        message.push(": ");
        push_declaration(message, host.name, Some(host), kernel);
    } else if !vectors.is_empty() && kernel.size.is_power_of_two() && smaller {
        // A vector of three components is aligned as its component.
        message.push(" as CUDA's vectors and complex numbers are: use ");
        let mut i = 0;
        while i < vectors.len() {
            if i > 0 {
                message.push(if i + 1 == vectors.len() { " or " } else { ", " });
            }
            message.push_quoted(vectors[i]);
            i += 1;
        }
    } else if smaller {
        message.push(": if it is a struct of yours, give it `#[repr(C, align(");
        message.push_number(align.bytes());
        message.push("))]`");
    } else {
        message.push(", less than ");
        message.push_quoted(host.spelling);
        message.push(" is: use a struct or array of smaller elements");
    }
}

/// A field that the kernel has elsewhere: it is aligned otherwise there.
const fn push_offset<const N: usize>(message: &mut Message<N>, at: Place<'_>) {
    let host = &at.host[at.field];
    let kernel = &at.kernel[at.parameter];
    let (Some(offset), Some(expected)) = (
        kernel.offset,
        expected_offset(at.host, at.kernel, at.base, at.field, at.parameter),
    ) else {
        return;
    };
    message.push("the kernel has it at byte ");
    message.push_number(offset);
    message.push(", where a type aligned ");
    if let Some(align) = host.align {
        message.push("to ");
        message.push_number(align.bytes());
    }
    message.push(" would be at ");
    message.push_number(expected);
    // The smallest alignment that explains it.
    let before = Offsets::after(at.base, at.kernel, at.parameter.checked_sub(1));
    let mut bytes = 1;
    while bytes <= 256 {
        if let Some(align) = Alignment::new(bytes)
            && let Some(explained) = before.place(align)
            && explained == offset
        {
            message.push("; ");
            push_alignment(message, host, kernel, Some(align));
            return;
        }
        bytes *= 2;
    }
}

const fn push_name<const N: usize>(
    message: &mut Message<N>,
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
) {
    let builtin = match kernel.cpp.base {
        CppBase::Named(spelled) => name::is_builtin(spelled),
        _ => false,
    };
    message.push("the kernel takes a `");
    push_cpp(message, kernel.cpp);
    message.push("`: ");
    if builtin {
        push_declaration(message, host.name, Some(host), kernel);
        return;
    }
    message.push("if ");
    message.push_quoted(host.spelling);
    message.push(" is that struct, `#[device_type(cpp = \"");
    push_cpp(message, kernel.cpp);
    message.push("\")]` on it says so; `#[kernel_args(opaque)]` on the field leaves it unchecked");
}

const fn is_pointer(host: &Parameter<'_>) -> bool {
    host.cpp.is_pointer() || matches!(host.class, Class::Pointer)
}

const fn is_half(kernel: &Parameter<'_>) -> bool {
    match kernel.cpp.base {
        CppBase::Named(spelled) => name::is_half(spelled) || name::is_bfloat16(spelled),
        CppBase::Unknown => kernel.size == 2 && !matches!(kernel.class, Class::Integer),
        _ => false,
    }
}

const fn may_be_float(kernel: &Parameter<'_>, size: usize) -> bool {
    kernel.size == size
        && matches!(kernel.class, Class::Float | Class::Unknown | Class::Bits)
        && matches!(kernel.cpp.base, CppBase::Float { .. } | CppBase::Unknown)
}

const fn is_aggregate(kernel: &Parameter<'_>) -> bool {
    matches!(kernel.class, Class::Bytes)
        || matches!(kernel.cpp.base, CppBase::Named(_)) && matches!(kernel.class, Class::Unknown)
}

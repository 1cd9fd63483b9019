//! The usual cause of a difference, and what to write instead.

use super::{
    body,
    members::{push_elsewhere, push_member, variant_hint},
    part_names::{is_part, whole_array},
    pointer::declaration,
    rust::{Declaration, needs_struct, push_types, underlying},
    rust_type::object_of,
    spelling::LONGEST_NAME,
    templates as say,
};
use crate::{
    check::{Difference, Differences, Pairing, alignment_of, compare, is_layout_of_cuda, is_own_struct, only_aligned},
    class::Class,
    cpp::{CppBase, name, vectors_of},
    layout::Alignment,
    message::{Hint, Message},
    signature::Parameter,
};

#[cold]
pub(super) const fn hint(pairing: &Pairing<'_>, field: usize, parameter: usize, differences: Differences) -> Hint {
    let (host, kernel) = (&pairing.host[field], &pairing.kernel[parameter]);
    let mut hint = Message::new();
    if let Some((found, slot)) = body::contradicting(host, kernel, differences) {
        body::push_hint(&mut hint, host, kernel, (found, &slot));
        return hint;
    }
    let declare = &declaration(host, kernel);
    match differences.first() {
        None => {}
        Some(Difference::Size | Difference::Class | Difference::Pointer | Difference::Type) => {
            if let Some(array) = whole_array(pairing, field) {
                return text!(remove_spread, array);
            }
            if let Some(flat) = flat_field(pairing)
                && flat == field
            {
                return text!(takes_fields, host.name);
            }
            push_value(&mut hint, host, kernel, declare);
            let has_elements =
                host.cpp.is_array() && host.size == kernel.size * host.cpp.elements() && !is_part(host.name);
            if has_elements && pairing.host.len() < pairing.kernel.len() {
                say::or_spread(&mut hint);
            }
        }
        Some(Difference::Alignment) => {
            if let Some(align) = kernel.align {
                push_alignment(&mut hint, host, kernel, align);
            }
        }
        Some(Difference::Offset) => push_offset(&mut hint, pairing, field, parameter),
        Some(Difference::Name) => push_name(&mut hint, host, kernel, declare),
        Some(first @ (Difference::Signedness | Difference::Pointee | Difference::Constness)) => {
            match first {
                Difference::Signedness => say::takes_signedness(&mut hint, kernel.cpp),
                Difference::Constness if host.cpp.is_shared() => say::takes_mut(&mut hint),
                _ if kernel.cpp.is_function() => say::takes(&mut hint, "a function"),
                // The outermost pointer is mutable already, so one behind it is not.
                _ => say::takes_pointee(&mut hint, kernel.cpp),
            }
            say::then(&mut hint, declare);
        }
        Some(Difference::Members) => {
            push_member(&mut hint, host, kernel);
            if hint.is_empty() {
                body::push_member(&mut hint, host, kernel);
            }
        }
        Some(Difference::Variants) => hint = variant_hint(host, kernel),
        Some(Difference::ParameterName) => push_elsewhere(&mut hint, pairing, field, parameter),
    }
    // If only the C++ types differ, the kernel may still read the same bytes.
    match differences.first() {
        None
        | Some(
            Difference::Size
            | Difference::Class
            | Difference::Alignment
            | Difference::Offset
            | Difference::ParameterName,
        ) => {}
        Some(Difference::Constness) => say::or_opaque_reads(&mut hint),
        Some(_) => say::or_opaque(&mut hint),
    }
    hint
}

const fn push_value(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>, declare: &Declaration) {
    let of_host = host.class;
    let of_kernel = kernel.class;
    if let Some(object) = object_of(kernel) {
        say::takes_object(hint, object);
    } else if kernel.cpp.is_function() {
        say::takes(hint, "a function");
    } else if kernel.cpp.is_pointer() || matches!(of_kernel, Class::Pointer) {
        say::takes(hint, "a device pointer");
    } else if host.cpp.is_pointer() || matches!(of_host, Class::Pointer) {
        say::takes(hint, "the value itself, not its address");
    } else if is_half(kernel) && matches!(of_host, Class::Float) {
        say::takes_half(hint);
    } else if matches!(of_host, Class::Float) && host.size == 8 && may_be_float(kernel, 4) {
        say::takes_f32(hint, declare);
        return;
    } else if matches!(of_host, Class::Float) && may_be_float(kernel, 8) {
        say::takes_double(hint);
    } else if is_layout_of_cuda(kernel) {
        push_builtin(hint, host, kernel, declare);
        return;
    } else if is_aggregate(kernel) && matches!(of_host, Class::Bytes) {
        if (is_own_struct(host) || host.cpp.is_unknown()) && !is_part_of(host, kernel) {
            push_struct(hint, host, kernel);
            return;
        }
        if matches!(host.cpp.base.builtin(), Some(row) if row.components > 0) {
            say::takes_vector(hint, (kernel.size, kernel.align));
        } else {
            say::takes_struct(hint, (kernel.size, kernel.align));
        }
    } else if needs_struct(Some(host), kernel) {
        say::takes(hint, "bytes");
    } else if is_aggregate(kernel) {
        say::takes_struct(hint, (kernel.size, kernel.align));
    } else if matches!(of_kernel, Class::Float) && !matches!(of_host, Class::Float) {
        say::takes(hint, "a floating-point number");
    } else if matches!(of_host, Class::Bytes) && !matches!(of_kernel, Class::Unknown) {
        say::takes(hint, "a scalar, not a struct");
    } else if let (CppBase::Named(_), Class::Integer) = (host.cpp.base, of_host)
        && host.size != kernel.size
        && matches!(kernel.size, 1 | 2 | 4 | 8)
    {
        let repr = underlying(kernel);
        say::enum_size(hint, host.spelling, host.size, kernel.size, repr);
        return;
    } else if kernel.size == 1 && host.size != 1 {
        say::sizes(hint, host.name, host.size, kernel.size);
    } else if matches!(host.cpp.base, CppBase::Bool) && !host.cpp.is_array() && kernel.size == 4 {
        say::bool_for_int(hint);
    } else if matches!(of_host, Class::Integer) && host.size == 8 && kernel.size == 4 {
        say::wide_for_int(hint, host.spelling);
    } else if matches!(of_host, Class::Integer) && host.size < kernel.size && kernel.size == 4 {
        say::narrow_for_int(hint);
    } else if matches!(of_kernel, Class::Integer) && matches!(of_host, Class::Float) {
        say::takes(hint, "an integer");
    } else if host.size != kernel.size {
        say::sizes(hint, host.name, host.size, kernel.size);
    } else {
        say::takes(hint, "another type");
    }
    say::then(hint, declare);
}

/// Returns whether the host's struct is a member of the kernel's. A hint about members would put it into itself.
const fn is_part_of(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    let own = host.cpp.base;
    any!(i, part = kernel.members.get(i), own.has_name_of(part.cpp.base)) && !own.has_name_of(kernel.cpp.base)
}

const fn push_struct(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>) {
    say::struct_sizes(hint, kernel.size, host.spelling, host.size);
    let mut member = Hint::new();
    if let Some(align) = only_aligned(host, kernel) {
        say::aligned(&mut member, align.bytes());
        say::align_more(&mut member, align.bytes());
    } else {
        push_member(&mut member, host, kernel);
    }
    match member.as_str().as_bytes() {
        [] => say::compare_fields(hint),
        [b':', ..] => hint.push(member.as_str()),
        _ => say::because(hint, &member),
    }
}

const fn push_alignment(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>, align: Alignment) {
    let bytes = align.bytes();
    let (vectors, count) = vectors_of::<3>(kernel.size, bytes);
    let is_of_cuda = is_layout_of_cuda(kernel);
    let tensor_map = kernel.cpp.is_unknown() || is_of_cuda;
    if kernel.size == 128 && matches!(bytes, 64 | 128) && tensor_map {
        say::tensor_map(hint, host.name, vectors[0]);
        return;
    }
    let smaller = !matches!(host.align, Some(host) if host.bytes() >= bytes);
    let is_own = is_own_struct(host);
    let mut member = Hint::new();
    if is_own {
        push_member(&mut member, host, kernel);
    }
    say::aligned(hint, bytes);
    if !member.is_empty() {
        say::because(hint, &member);
    } else if is_of_cuda && !kernel.cpp.is_pointer() {
        say::then(hint, &declaration(host, kernel));
    } else if is_own && smaller {
        say::align_more(hint, bytes);
    } else if is_own {
        say::align_less(hint, bytes, host.spelling);
    } else if kernel.cpp.is_unknown() && smaller && count > 0 && kernel.size.is_power_of_two() {
        // A vector of three components has the alignment of its component.
        let mut types = Declaration::new();
        push_types(&mut types, "", vectors.split_at(count).0);
        say::aligned_as_vector(hint, &types);
    } else if kernel.cpp.is_unknown() {
        let mut repr: Message<32> = text!(repr_c);
        if smaller {
            say::repr_align(&mut repr, bytes);
        }
        say::align_struct(hint, host.name, (kernel.size, Some(align)), &repr);
    } else {
        say::then(hint, &declaration(host, kernel));
    }
}

const fn push_offset(hint: &mut Hint, pairing: &Pairing<'_>, field: usize, parameter: usize) {
    let (host, kernel) = (&pairing.host[field], &pairing.kernel[parameter]);
    let (Some(offset), Some(align), Some(expected)) =
        (kernel.offset, host.align, pairing.expected_offset(field, parameter))
    else {
        return;
    };
    say::other_offset(hint, offset, align.bytes(), expected);
    if let Some(align) = alignment_of(pairing, field, parameter) {
        let mut cause = Hint::new();
        push_alignment(&mut cause, host, kernel, align);
        say::because(hint, &cause);
    }
}

const fn push_name(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>, declare: &Declaration) {
    if is_layout_of_cuda(kernel) {
        push_builtin(hint, host, kernel, declare);
        return;
    }
    let CppBase::Named(spelled) = kernel.cpp.base else {
        return;
    };
    // Show only the last segment of a long path.
    let name = if spelled.len() > LONGEST_NAME { name::plain(spelled) } else { spelled };
    say::takes_named(hint, kernel.cpp, host.spelling, name);
}

const fn push_builtin(hint: &mut Hint, host: &Parameter<'_>, kernel: &Parameter<'_>, declare: &Declaration) {
    say::takes_builtin(hint, kernel.cpp);
    say::then(hint, declare);
    if host.size == kernel.size
        && matches!(host.cpp.base, CppBase::Named(_))
        && !is_layout_of_cuda(host)
        && matches!(host.class, Class::Bytes)
    {
        say::or_cpp(hint, host.spelling, kernel.cpp);
    }
}

/// Returns the field whose members the kernel takes as separate parameters.
pub(super) const fn flat_field(pairing: &Pairing<'_>) -> Option<usize> {
    let mut field = 0;
    while field < pairing.host.len() {
        let host = &pairing.host[field];
        let members = host.members.len();
        let mut i = 0;
        while members > 1
            && is_own_struct(host)
            && pairing.host.len() + members == pairing.kernel.len() + 1
            && let Some(member) = host.members.get(i)
            && compare(&member, &pairing.kernel[field + i]).is_empty()
        {
            i += 1;
        }
        if i > 0 && i == members {
            return Some(field);
        }
        field += 1;
    }
    None
}

const fn is_half(kernel: &Parameter<'_>) -> bool {
    match kernel.cpp.base {
        CppBase::Named(spelled) => name::is_half(spelled) || name::agree(spelled, "__nv_bfloat16"),
        CppBase::Unknown => kernel.size == 2 && !matches!(kernel.class, Class::Integer),
        _ => false,
    }
}

const fn may_be_float(kernel: &Parameter<'_>, size: usize) -> bool {
    kernel.size == size
        && matches!(kernel.class, Class::Float | Class::Unknown | Class::Bits)
        && matches!(kernel.cpp.base, CppBase::Float { .. } | CppBase::Unknown)
}

/// Returns whether it is a struct, vector or array, or its size is no scalar's.
const fn is_aggregate(kernel: &Parameter<'_>) -> bool {
    match (kernel.class, kernel.cpp.base) {
        (_, CppBase::Integer { .. } | CppBase::Float { .. }) => false,
        (Class::Bytes, _) | (Class::Unknown, CppBase::Named(_)) => true,
        (Class::Unknown, CppBase::Unknown) => !matches!(kernel.size, 1 | 2 | 4 | 8 | 16),
        _ => false,
    }
}

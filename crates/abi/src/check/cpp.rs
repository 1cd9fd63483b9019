//! Whether the C++ types of the host and the kernel match.

use super::{
    body::computed_format,
    difference::{Difference, Differences},
};
use crate::{
    bytes::same,
    class::Class,
    cpp::{CppBase, CppType, name, rust_scalar, same_scalar},
    signature::{ElementClass, Elements, Meaning, Parameter},
};

/// The width of `long` if the image was compiled on this system.
const LONG_BITS: u16 = if cfg!(windows) { 32 } else { 64 };

/// Returns how the C++ types differ. An unknown type matches anything.
pub(super) const fn compare(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Differences {
    let (h, k) = (host.cpp, kernel.cpp);
    if h.is_unknown() || k.is_unknown() {
        return Differences::NONE;
    }
    match (h.is_pointer(), k.is_pointer()) {
        (true, true) => {
            let own = compare_pointers(h, k, LONG_BITS);
            if !own.contains(Difference::Pointee) {
                return own;
            }
            // A declaration can lie: the code computes with halves that it stores through a `float*`.
            if let Some(base) = computed_format(kernel) {
                return compare_pointers(h, CppType { base, ..k }, LONG_BITS);
            }
            // Possibly the image was compiled on another system.
            match other_long(kernel) {
                Some(bits) => compare_pointers(h, k, bits),
                None => own,
            }
        }
        (false, false) => compare_values(host, kernel),
        // `CUdeviceptr` represents any pointer.
        (false, true) if is_address(host) => Differences::NONE,
        _ => Differences::of(Difference::Pointer),
    }
}

const fn is_of_long(base: CppBase<'_>) -> bool {
    match base {
        CppBase::Long { .. } => true,
        CppBase::Named(_) => matches!(some!(base.builtin(), false).element.as_bytes(), b"CLong" | b"CULong"),
        _ => false,
    }
}

/// Returns the second width that `long` can have behind a pointer: the code shows it. On Windows it is always possible,
/// because programs for Windows contain images from Linux, where `size_t` is `unsigned long`.
const fn other_long(kernel: &Parameter<'_>) -> Option<u16> {
    const OTHER: Option<u16> = if cfg!(windows) { Some(64) } else { None };
    if !is_of_long(kernel.cpp.base) {
        return None;
    }
    let elements = some!(kernel.body.at(0), OTHER).elements;
    match elements {
        Some(Elements { class: ElementClass::Integer, size: size @ (4 | 8), step, .. }) if size as u32 == step => {
            Some(size as u16 * 8)
        }
        _ => OTHER,
    }
}

/// Returns whether a field can be an address: its type is unknown or an unsigned 64-bit integer, and no count or
/// object.
pub(super) const fn is_address(host: &Parameter<'_>) -> bool {
    let cpp = host.cpp;
    cpp.is_unknown()
        || host.members.stands_for().is_none()
            && !cpp.is_pointer()
            && matches!(as_integer(cpp.base, LONG_BITS), CppBase::Integer { signed: false, bits: 64 })
}

pub(super) const fn is_conversion(h: CppType<'_>, k: CppType<'_>) -> bool {
    if h.is_unknown() || k.is_unknown() {
        return false;
    }
    h.is_pointer() != k.is_pointer()
        || h.const_mask != k.const_mask
        || h.depth != k.depth
        || h.rows[0] != k.rows[0]
        || matches!(h.base, CppBase::Void) != matches!(k.base, CppBase::Void)
        // An enum and its integer.
        || is_integer(h.base) && matches!(k.base, CppBase::Named(_))
        || matches!(h.base, CppBase::Named(_)) && is_integer(k.base)
}

/// Returns how an array of numbers differs from a CUDA vector whose members are unknown.
pub(super) const fn compare_components(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Differences {
    let (elements, base) = (host.cpp.elements(), host.cpp.base);
    let is_number = matches!(base, CppBase::Integer { .. } | CppBase::Long { .. } | CppBase::Float { .. });
    if !is_number || elements == 0 || host.cpp.is_pointer() || kernel.cpp.is_pointer() || kernel.members.is_known() {
        return Differences::NONE;
    }
    match kernel.cpp.base.builtin() {
        Some(vector) if vector.components > 0 && !same(rust_scalar(base, host.size / elements), vector.element) => {
            Differences::of(Difference::Type)
        }
        _ => Differences::NONE,
    }
}

const fn is_integer(base: CppBase<'_>) -> bool {
    matches!(base, CppBase::Integer { .. } | CppBase::Long { .. } | CppBase::Bool | CppBase::Char)
}

const fn compare_values(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Differences {
    // Both are `unsigned long long`. Debug information contains the names that C++ gives it.
    if matches!(
        (host.members.stands_for(), kernel.members.stands_for()),
        (Some(Meaning::Texture), Some(Meaning::Surface)) | (Some(Meaning::Surface), Some(Meaning::Texture))
    ) {
        return Differences::of(Difference::Type);
    }
    // By value, the parameter's size shows the width of `long` in the kernel.
    let same_size = host.size == kernel.size;
    let h = as_integer(host.cpp.base, bits(host.size));
    let k = as_integer(kernel.cpp.base, bits(kernel.size));
    let fits = match (h, k) {
        (CppBase::Unknown | CppBase::Void, _)
        | (_, CppBase::Unknown | CppBase::Void)
        | (CppBase::Bool, CppBase::Char | CppBase::Integer { bits: 8, .. }) => true,
        (CppBase::Integer { signed, bits }, CppBase::Integer { signed: kernel_signed, bits: kernel_bits }) => {
            if signed != kernel_signed {
                return Differences::of(Difference::Signedness);
            }
            bits == kernel_bits || !same_size
        }
        (CppBase::Float { bits }, CppBase::Float { bits: kernel_bits }) => bits == kernel_bits || !same_size,
        (CppBase::Named(h), CppBase::Named(k)) => {
            if !(name::agree(h, k) || same_size && name::is_vector_of_long(k, h)) {
                return Differences::of(Difference::Name);
            }
            true
        }
        (CppBase::Float { bits: 16 }, CppBase::Named(k)) => name::is_half(k),
        (CppBase::Named(h), CppBase::Float { bits: 16 }) => name::is_half(h),
        // Possibly an enum: C++ names it, the host may see only its integer.
        (CppBase::Integer { .. } | CppBase::Bool | CppBase::Char, CppBase::Named(k)) => {
            !name::is_builtin(k) && matches!(kernel.class, Class::Integer | Class::Bits | Class::Unknown)
        }
        (CppBase::Named(h), CppBase::Integer { .. } | CppBase::Char) => {
            !name::is_builtin(h) && matches!(host.class, Class::Integer)
        }
        _ => same_scalar(h, k),
    };
    if fits { Differences::NONE } else { Differences::of(Difference::Type) }
}

/// Replaces `long` by the integer of `long_bits`. Keeps `char`, which is signed or unsigned by host: any byte matches
/// it.
const fn as_integer(base: CppBase<'_>, long_bits: u16) -> CppBase<'_> {
    match base {
        CppBase::Long { signed } => CppBase::Integer { signed, bits: long_bits },
        other => other,
    }
}

const fn bits(size: usize) -> u16 {
    if size <= 16 { size as u16 * 8 } else { 0 }
}

const fn compare_pointers(h: CppType<'_>, k: CppType<'_>, long_bits: u16) -> Differences {
    let (h_any, k_any) = (is_any(h.base), is_any(k.base));
    let fits = if h_any || k_any {
        // `void*` matches every pointer of the same or a greater depth.
        (k_any || h.depth <= k.depth) && (h_any || k.depth <= h.depth)
    } else {
        h.depth == k.depth && same_pointee(h.base, k.base, long_bits) && rows_agree(h.rows, k.rows)
            || is_array_of_parts(h, k)
            || is_array_of_parts(k, h)
            // An array of `CUdeviceptr`.
            || h.depth < k.depth && matches!(h.base, CppBase::Integer { signed: false, bits: 64 })
    };
    if !fits {
        return Differences::of(Difference::Pointee);
    }
    // Compare only the levels that both types have.
    let mut level = 1;
    while level <= h.depth && level <= k.depth {
        if h.points_to_const(h.depth - level) && !k.points_to_const(k.depth - level) {
            return Differences::of(Difference::Constness);
        }
        level += 1;
    }
    Differences::NONE
}

const fn is_any(base: CppBase<'_>) -> bool {
    matches!(base, CppBase::Unknown | CppBase::Void)
}

const fn same_pointee(h: CppBase<'_>, k: CppBase<'_>, long_bits: u16) -> bool {
    match (as_integer(h, long_bits), as_integer(k, long_bits)) {
        (CppBase::Named(h), CppBase::Named(k)) => {
            name::agree(h, k) || long_bits != LONG_BITS && name::is_vector_of_long(k, h)
        }
        (CppBase::Float { bits: 16 }, CppBase::Named(named)) | (CppBase::Named(named), CppBase::Float { bits: 16 }) => {
            name::is_half(named)
        }
        // A pointer to atomics is a pointer to numbers.
        (CppBase::Named(named), number) | (number, CppBase::Named(named)) => {
            same_scalar(as_integer(name::in_atomic(named), long_bits), number)
        }
        (h, k) => same_scalar(h, k),
    }
}

/// Returns whether `array` points to the parts of the struct or vector behind `whole`: `[f32; 4]` for `float4*`,
/// `[f32; 3]` for `Point*`.
const fn is_array_of_parts(array: CppType<'_>, whole: CppType<'_>) -> bool {
    if !matches!(whole.base, CppBase::Named(_)) || array.rows[0] == 0 || whole.depth != 1 {
        return false;
    }
    let vector = some!(whole.base.builtin(), !whole.base.is_builtin());
    let element = match array.base {
        CppBase::Named(_) => some!(array.base.builtin(), false).element,
        base => rust_scalar(base, 0),
    };
    // A 16-bit number has several Rust types.
    let is_element = element.is_empty() || same(element, vector.element);
    array.depth == 1 && vector.components > 0 && is_element
}

pub(super) const fn is_scalar(ty: CppType<'_>) -> bool {
    ty.is_pointer() || !matches!(ty.base, CppBase::Unknown | CppBase::Void | CppBase::Named(_))
}

/// Returns whether the rows of one of two arrays of the same size are also rows of the second.
///
/// `float m[2][3]` has rows of 12 bytes, and `[[f32; 2]; 3]` has rows of 8 bytes. A list of all elements, `[f32; 6]`,
/// has no rows and matches both. Dimensions of length 1 are ignored.
pub(super) const fn dimensions_agree(a: &Parameter<'_>, b: &Parameter<'_>) -> bool {
    let (a_unit, b_unit) = (element(a), element(b));
    contains_rows(a.cpp.extents, a_unit, b.cpp.extents, b_unit)
        || contains_rows(b.cpp.extents, b_unit, a.cpp.extents, a_unit)
}

/// [`dimensions_agree`] for arrays behind pointers. A pointer to an array can be the pointer to its first element, so
/// the array is a row of a list of any length.
pub(super) const fn rows_agree(a: [u32; 3], b: [u32; 3]) -> bool {
    contains_rows(a, 1, b, 1) || contains_rows(b, 1, a, 1)
}

/// Returns the size of an element in bytes.
const fn element(array: &Parameter<'_>) -> u64 {
    some!(array.size.checked_div(array.cpp.elements()), u64::MAX) as u64
}

/// Returns whether every row of `other` is a row, an element, or a part of an element of an array with these lengths,
/// whose elements have `unit` bytes.
const fn contains_rows(own: [u32; 3], unit: u64, other: [u32; 3], other_unit: u64) -> bool {
    let mut i = 0;
    while i < other.len() && other[i] > 0 {
        let row = length_from(other, i, other_unit);
        if row > unit && !any!(dimension < own.len(), row == length_from(own, dimension, unit)) {
            return false;
        }
        i += 1;
    }
    true
}

/// Returns the number of bytes in the dimensions from `dimension` on.
const fn length_from(rows: [u32; 3], mut dimension: usize, unit: u64) -> u64 {
    let mut length = unit;
    while dimension < rows.len() && rows[dimension] > 0 {
        length = length.saturating_mul(rows[dimension] as u64);
        dimension += 1;
    }
    length
}

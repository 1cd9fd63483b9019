//! Whether the dimensions of two arrays match, in the order of C++.

use crate::signature::Parameter;

/// Whether the rows of one of two arrays of the same size are also rows of the second.
///
/// `float m[2][3]` has rows of 12 bytes, and `[[f32; 2]; 3]` has rows of 8 bytes. A list of all elements, `[f32; 6]`,
/// has no rows and matches both. Dimensions of length 1 are ignored.
pub(super) const fn agree(a: &Parameter<'_>, b: &Parameter<'_>) -> bool {
    let (a_unit, b_unit) = (element(a), element(b));
    contains_rows(a.cpp.extents, a_unit, b.cpp.extents, b_unit)
        || contains_rows(b.cpp.extents, b_unit, a.cpp.extents, a_unit)
}

/// [`agree`] for arrays behind pointers. A pointer to an array can be the pointer to its first element, so the array is
/// a row of a list of any length.
pub(super) const fn rows_agree(a: [u32; 3], b: [u32; 3]) -> bool {
    contains_rows(a, 1, b, 1) || contains_rows(b, 1, a, 1)
}

/// The size of an element in bytes.
const fn element(array: &Parameter<'_>) -> u64 {
    some!(array.size.checked_div(array.cpp.elements()), u64::MAX) as u64
}

/// Whether every row of `other` is a row, an element, or a part of an element of an array with these lengths, whose
/// elements have `unit` bytes.
const fn contains_rows(own: [u32; 3], unit: u64, other: [u32; 3], other_unit: u64) -> bool {
    let mut i = 0;
    while i < other.len() && other[i] > 0 {
        let row = length_from(other, i, other_unit);
        let is_row =
            row == length_from(own, 0, unit) || row == length_from(own, 1, unit) || row == length_from(own, 2, unit);
        if row > unit && !is_row {
            return false;
        }
        i += 1;
    }
    true
}

/// The number of bytes in the dimensions from `dimension` on.
const fn length_from(rows: [u32; 3], mut dimension: usize, unit: u64) -> u64 {
    let mut length = unit;
    while dimension < rows.len() && rows[dimension] > 0 {
        length = length.saturating_mul(rows[dimension] as u64);
        dimension += 1;
    }
    length
}

//! Whether the dimensions of two arrays match, in the order of C++.

use crate::signature::Parameter;

/// Whether the rows of one of two arrays are also rows of the second. Both consist of the same number of bytes.
///
/// `float m[2][3]` has rows of 12 bytes, and `[[f32; 2]; 3]` has rows of 8 bytes. A list of all elements, `[f32; 6]`,
/// has no rows and matches both. Dimensions of length 1 are ignored.
pub(super) const fn agree(a: &Parameter<'_>, b: &Parameter<'_>) -> bool {
    has_rows_of(a, b) || has_rows_of(b, a)
}

/// Whether every row of `other` is a row, an element, or a part of an element of `array`.
const fn has_rows_of(array: &Parameter<'_>, other: &Parameter<'_>) -> bool {
    let elements = array.cpp.elements();
    let mut dimension = 0;
    while let Some(row) = row(other, dimension) {
        let is_in_element = match array.size.checked_div(elements) {
            Some(element) => row <= element,
            None => true,
        };
        let is_row = matches!(self::row(array, 0), Some(own) if own == row)
            || matches!(self::row(array, 1), Some(own) if own == row);
        if !is_in_element && !is_row && row < array.size {
            return false;
        }
        dimension += 1;
    }
    true
}

/// The size of a row in this dimension, in bytes: a row of `float m[2][3]` in dimension 0 is a `float[3]`.
const fn row(array: &Parameter<'_>, dimension: usize) -> Option<usize> {
    let extents = array.cpp.extents;
    if dimension + 1 >= extents.len() || extents[dimension + 1] == 0 {
        return None;
    }
    let mut size = array.size;
    let mut outer = 0;
    while outer <= dimension {
        size /= extents[outer] as usize;
        outer += 1;
    }
    Some(size)
}

/// Whether the rows of two arrays behind pointers match. A pointer to an array can be the pointer to its first element,
/// so it is a list of any length: the whole array is a row of this list.
pub(super) const fn rows_agree(a: [u32; 3], b: [u32; 3]) -> bool {
    has_lengths_of(a, b) || has_lengths_of(b, a)
}

/// Whether every row of `other` has the length of a row of `rows`, in elements.
const fn has_lengths_of(rows: [u32; 3], other: [u32; 3]) -> bool {
    let mut i = 0;
    while i < other.len() && other[i] > 0 {
        let length = length_from(other, i);
        let is_row = length == length_from(rows, 0) || length == length_from(rows, 1) || length == length_from(rows, 2);
        if length > 1 && !is_row {
            return false;
        }
        i += 1;
    }
    true
}

/// The number of elements in the dimensions from `dimension` on: 1 after the last dimension.
const fn length_from(rows: [u32; 3], mut dimension: usize) -> u64 {
    let mut length = 1;
    while dimension < rows.len() && rows[dimension] > 0 {
        length *= rows[dimension] as u64;
        dimension += 1;
    }
    length
}

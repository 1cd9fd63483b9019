//! `nalgebra`: a quaternion is the vector `(i, j, k, w)`. A matrix other than a column vector of two to four components
//! is an array of its elements, column after column.
//!
//! Transformations (`Isometry3`, `Rotation3`, …) are rejected: pass their matrix, `.to_homogeneous()`.

use super::{
    same_as::{conversions, same_as},
    vector_element::{VectorElement, vector_elements},
};
use crate::device::{DeviceType, ZeroBits, transparent, vector};
use kernel_args_abi::{Class, CppType, Layout, Members};
use nalgebra::{Point, Quaternion, SMatrix, Scalar, Unit, Vector2, Vector3, Vector4};

/// A matrix is `repr(C)` around its storage, which is `repr(transparent)` around `[[T; R]; C]`: "column-major".
// SAFETY: the array and CUDA's vectors have no padding, and the array has the components of the vector in the same
// order.
unsafe impl<T: VectorElement + Scalar, const R: usize, const C: usize> DeviceType for SMatrix<T, R, C> {
    const LAYOUT: Layout = match (R, C) {
        (2, 1) => T::Two::LAYOUT,
        (3, 1) => T::Three::LAYOUT,
        (4, 1) => T::Four::LAYOUT,
        _ => <[[T; R]; C]>::LAYOUT,
    };
    const CLASS: Class = Class::Bytes;
    const CPP: CppType<'static> = match (R, C) {
        (2, 1) => T::Two::CPP,
        (3, 1) => T::Three::CPP,
        (4, 1) => T::Four::CPP,
        _ => <[[T; R]; C]>::CPP,
    };
    const MEMBERS: Members<'static> = match (R, C) {
        (2, 1) => T::Two::MEMBERS,
        (3, 1) => T::Three::MEMBERS,
        (4, 1) => T::Four::MEMBERS,
        _ => T::MEMBERS,
    };

    fn is_value(bytes: &[u8]) -> bool {
        bytes.len() == Self::LAYOUT.size()
    }
}

#[diagnostic::do_not_recommend]
// SAFETY: all elements are numbers, and zero bytes are the number 0.
unsafe impl<T: VectorElement + Scalar, const R: usize, const C: usize> ZeroBits for SMatrix<T, R, C> {}

// `repr(C)` structs with one field, the vector of the coordinates.
same_as! {
    [<T: VectorElement + Scalar, const N: usize>] Point<T, N> as SMatrix<T, N, 1>;
    [<T: VectorElement + Scalar>] Quaternion<T> as Vector4<T>;
}

// `Unit` is `repr(transparent)`.
transparent!(Unit, |this| this.as_ref());

macro_rules! vectors {
    ($($element:ident: $two:ident, $three:ident, $four:ident;)*) => {
        conversions! {$(
            Vector2<$element> = vector::$two, [$element; 2];
            Vector3<$element> = vector::$three, [$element; 3];
            Vector4<$element> = vector::$four, [$element; 4];
        )*}
    };
}
vector_elements!(vectors);

//! `mint`: a quaternion is the vector `(x, y, z, w)`, a matrix an array of its elements in the order of its type.

use super::{
    same_as::{conversions, same_as},
    vector_element::{VectorElement, vector_elements},
};
use crate::device::vector;
use mint::{
    ColumnMatrix2, ColumnMatrix2x3, ColumnMatrix2x4, ColumnMatrix3, ColumnMatrix3x2, ColumnMatrix3x4, ColumnMatrix4,
    ColumnMatrix4x2, ColumnMatrix4x3, Point2, Point3, Quaternion, RowMatrix2, RowMatrix2x3, RowMatrix2x4, RowMatrix3,
    RowMatrix3x2, RowMatrix3x4, RowMatrix4, RowMatrix4x2, RowMatrix4x3, Vector2, Vector3, Vector4,
};

// All types of mint are `repr(C)` structs of their components.
same_as! {
    [<T: VectorElement>] Vector2<T> as T::Two;
    [<T: VectorElement>] Vector3<T> as T::Three;
    [<T: VectorElement>] Vector4<T> as T::Four;
    [<T: VectorElement>] Point2<T> as T::Two;
    [<T: VectorElement>] Point3<T> as T::Three;
    // The vector part is first, then the scalar.
    [<T: VectorElement>] Quaternion<T> as T::Four;
}

macro_rules! matrices {
    ($($matrix:ident = $elements:literal;)*) => {
        same_as! { $([<T: VectorElement>] $matrix<T> as [T; $elements];)* }
    };
}

matrices! {
    ColumnMatrix2 = 4; ColumnMatrix2x3 = 6; ColumnMatrix2x4 = 8;
    ColumnMatrix3x2 = 6; ColumnMatrix3 = 9; ColumnMatrix3x4 = 12;
    ColumnMatrix4x2 = 8; ColumnMatrix4x3 = 12; ColumnMatrix4 = 16;
    RowMatrix2 = 4; RowMatrix2x3 = 6; RowMatrix2x4 = 8;
    RowMatrix3x2 = 6; RowMatrix3 = 9; RowMatrix3x4 = 12;
    RowMatrix4x2 = 8; RowMatrix4x3 = 12; RowMatrix4 = 16;
}

macro_rules! vectors {
    ($($element:ident: $two:ident, $three:ident, $four:ident;)*) => {
        conversions! {$(
            Vector2<$element> = vector::$two, [$element; 2];
            Vector3<$element> = vector::$three, [$element; 3];
            Vector4<$element> = vector::$four, [$element; 4];
            Point2<$element> = vector::$two, [$element; 2];
            Point3<$element> = vector::$three, [$element; 3];
            Quaternion<$element> = vector::$four, [$element; 4];
        )*}
    };
}
vector_elements!(vectors);

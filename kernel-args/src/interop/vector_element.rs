//! The CUDA vectors of each number type, for the generic vectors of other crates.

use crate::device::{DeviceType, ZeroBits, vector};

/// A number type that is the component of CUDA vectors.
#[diagnostic::on_unimplemented(
    message = "CUDA has no vectors of `{Self}`",
    label = "not a component of a CUDA vector",
    note = "the components are `f32`, `f64` and integers of 8 to 64 bits"
)]
pub trait VectorElement: DeviceType + ZeroBits {
    /// The vector of two components.
    type Two: DeviceType;
    /// The vector of three components.
    type Three: DeviceType;
    /// The vector of four components.
    type Four: DeviceType;
}

/// Calls the macro `$then` with a row for each number type: `number: vector of 2, of 3, of 4;`.
macro_rules! vector_elements {
    ($then:ident) => {
        $then! {
            f32: Float2, Float3, Float4;
            f64: Double2, Double3, Double4;
            i8: Char2, Char3, Char4;
            u8: UChar2, UChar3, UChar4;
            i16: Short2, Short3, Short4;
            u16: UShort2, UShort3, UShort4;
            i32: Int2, Int3, Int4;
            u32: UInt2, UInt3, UInt4;
            i64: LongLong2, LongLong3, LongLong4;
            u64: ULongLong2, ULongLong3, ULongLong4;
        }
    };
}
pub(super) use vector_elements;

macro_rules! impls {
    ($($element:ident: $two:ident, $three:ident, $four:ident;)*) => {$(
        impl VectorElement for $element {
            type Two = vector::$two;
            type Three = vector::$three;
            type Four = vector::$four;
        }
    )*};
}
vector_elements!(impls);

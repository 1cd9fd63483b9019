//! `num-complex`: C++'s `cuFloatComplex`, `cuDoubleComplex`, `complex<float>`, `complex<double>`, `complex<__half>`.
//!
//! The host aligns `Complex<f32>` to 4 bytes and `Complex<f64>` to 8; the device aligns them to 8 and 16. The guide's
//! chapter `structs` shows what follows from it.

use super::same_as::same_as;
use crate::device::{
    assert_layout,
    vector::{CuDoubleComplex, CuFloatComplex},
};
use num_complex::Complex;

macro_rules! complex {
    ($($(#[$meta:meta])* $part:ty = $device:ty;)*) => {$(
        $(#[$meta])*
        const _: () = {
            // `Complex<T>` "is memory layout compatible with an array `[T; 2]`". The real part is first.
            same_as! { [] Complex<$part> as $device; }

            const _: () = assert_layout::<Complex<$part>>();

            impl From<Complex<$part>> for $device {
                fn from(number: Complex<$part>) -> Self {
                    Self::new(number.re, number.im)
                }
            }

            impl From<$device> for Complex<$part> {
                fn from(number: $device) -> Self {
                    Self::new(number.x, number.y)
                }
            }
        };
    )*};
}

complex! {
    f32 = CuFloatComplex;
    f64 = CuDoubleComplex;
    #[cfg(feature = "half")] half::f16 = super::half::Half2;
}

//! The elements of arrays and textures.

use crate::{
    device::{DeviceType, vector},
    driver::api::ChannelFormat,
};
use cudarc::driver::{DeviceRepr, ValidAsZeroBits, sys::CUarray_format};

mod sealed {
    pub trait Sealed {}
}

/// An element of an [`Array`](super::Array) or of a texture: 1, 2 or 4 numbers of 8, 16 or 32 bits.
///
/// The numbers are `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, `f32`, and with the feature `half` also `half::f16`. Several
/// of them are a CUDA vector, such as [`UChar4`](crate::vector::UChar4), or an array, such as `[u8; 4]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a texel",
    label = "not 1, 2 or 4 numbers of 8, 16 or 32 bits",
    note = "a texel is `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, `f32` or `half::f16`, a CUDA vector of 2 or 4 of them, or an array of 2 or 4"
)]
pub trait Texel: sealed::Sealed + DeviceType + DeviceRepr + ValidAsZeroBits + Send + Sync + 'static {
    /// Its numbers.
    const FORMAT: TexelFormat;
}

/// The numbers of a [`Texel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelFormat {
    number: &'static str,
    format: CUarray_format,
    channels: u8,
}

impl TexelFormat {
    /// Returns the name of the type of one number, such as `u8`.
    #[must_use]
    pub const fn number(self) -> &'static str {
        self.number
    }

    /// Returns how many numbers it has: 1, 2 or 4.
    #[must_use]
    pub const fn channels(self) -> usize {
        self.channels as usize
    }

    /// A texture can return such integers as floats from -1 or 0 to 1.
    pub(super) fn can_be_normalized(self) -> bool {
        matches!(self.number, "u8" | "i8" | "u16" | "i16")
    }

    pub(super) const fn raw(self) -> ChannelFormat {
        (self.format, self.channels as u32)
    }
}

display!(TexelFormat, |this, f| {
    match this.channels {
        1 => f.write_str(this.number()),
        channels => write!(f, "{channels} × {}", this.number()),
    }
});

macro_rules! texels {
    ($($ty:ty = $number:ident $format:ident * $channels:literal;)*) => {$(
        impl sealed::Sealed for $ty {}

        impl Texel for $ty {
            const FORMAT: TexelFormat =
                TexelFormat { number: stringify!($number), format: CUarray_format::$format, channels: $channels };
        }
    )*};
    ($($scalar:ident $format:ident: $one:ident $two:ident $four:ident;)*) => {
        texels! { $(
            $scalar = $scalar $format * 1;
            [$scalar; 2] = $scalar $format * 2;
            [$scalar; 4] = $scalar $format * 4;
            vector::$one = $scalar $format * 1;
            vector::$two = $scalar $format * 2;
            vector::$four = $scalar $format * 4;
        )* }
    };
}

texels! {
    u8 CU_AD_FORMAT_UNSIGNED_INT8: UChar1 UChar2 UChar4;
    i8 CU_AD_FORMAT_SIGNED_INT8: Char1 Char2 Char4;
    u16 CU_AD_FORMAT_UNSIGNED_INT16: UShort1 UShort2 UShort4;
    i16 CU_AD_FORMAT_SIGNED_INT16: Short1 Short2 Short4;
    u32 CU_AD_FORMAT_UNSIGNED_INT32: UInt1 UInt2 UInt4;
    i32 CU_AD_FORMAT_SIGNED_INT32: Int1 Int2 Int4;
    f32 CU_AD_FORMAT_FLOAT: Float1 Float2 Float4;
}

#[cfg(feature = "half")]
texels! {
    half::f16 = f16 CU_AD_FORMAT_HALF * 1;
    [half::f16; 2] = f16 CU_AD_FORMAT_HALF * 2;
    [half::f16; 4] = f16 CU_AD_FORMAT_HALF * 4;
    crate::interop::Half2 = f16 CU_AD_FORMAT_HALF * 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_fill_each_texel() {
        fn check<T: Texel>() {
            let bits: usize = T::FORMAT.number()[1..].parse().expect("a width");
            assert_eq!(T::FORMAT.channels() * bits / 8, size_of::<T>(), "{}", T::FORMAT);
        }
        macro_rules! check {
            ($($ty:ty)*) => { $(check::<$ty>();)* };
        }
        check! {
            u8 [u8; 2] [u8; 4] vector::UChar1 vector::UChar2 vector::UChar4 i8 [i8; 4] vector::Char2 u16 [u16; 2] vector::UShort4
            i16 [i16; 4] vector::Short2 u32 [u32; 2] vector::UInt4 i32 [i32; 4] vector::Int1 f32 [f32; 4] vector::Float2
        }
        #[cfg(feature = "half")]
        check! { half::f16 [half::f16; 2] [half::f16; 4] crate::interop::Half2 }
    }
}

//! The elements of arrays and textures.

use crate::{
    device::{DeviceType, vector},
    driver::api::ChannelFormat,
};
use core::fmt;
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

mod sealed {
    pub trait Sealed {}
}

/// An element of an [`Array`](super::Array) or of a texture: 1, 2 or 4 numbers of 8, 16 or 32 bits.
///
/// The numbers are `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, `f32`, and with the feature `half` also `half::f16`. Several of them are a CUDA
/// vector, such as [`UChar4`](crate::vector::UChar4), or an array, such as `[u8; 4]`.
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
    /// `CUarray_format`.
    format: u32,
    channels: u8,
}

impl TexelFormat {
    /// The name of the type of one number, such as `u8`.
    #[must_use]
    pub const fn number(self) -> &'static str {
        self.number
    }

    /// How many numbers it has: 1, 2 or 4.
    #[must_use]
    pub const fn channels(self) -> usize {
        self.channels as usize
    }

    pub(super) const fn is_float(self) -> bool {
        matches!(self.format, 0x10 | 0x20)
    }

    /// Whether a texture can return its integers as floats from -1 or 0 to 1.
    pub(super) const fn can_be_normalized(self) -> bool {
        matches!(self.format, 1 | 2 | 8 | 9)
    }

    /// Whether it can be a color in sRGB.
    pub(super) const fn can_be_srgb(self) -> bool {
        matches!((self.format, self.channels), (1, 4))
    }

    pub(super) const fn raw(self) -> ChannelFormat {
        ChannelFormat { format: self.format, channels: self.channels as u32 }
    }
}

impl fmt::Display for TexelFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.channels {
            1 => f.write_str(self.number()),
            channels => write!(f, "{channels} × {}", self.number()),
        }
    }
}

macro_rules! texels {
    ($($ty:ty = $number:ident $format:literal * $channels:literal;)*) => {$(
        impl sealed::Sealed for $ty {}

        impl Texel for $ty {
            const FORMAT: TexelFormat =
                TexelFormat { number: stringify!($number), format: $format, channels: $channels };
        }
    )*};
    ($($scalar:ident $format:literal: $one:ident $two:ident $four:ident;)*) => {
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
    u8 1: UChar1 UChar2 UChar4;
    i8 8: Char1 Char2 Char4;
    u16 2: UShort1 UShort2 UShort4;
    i16 9: Short1 Short2 Short4;
    u32 3: UInt1 UInt2 UInt4;
    i32 10: Int1 Int2 Int4;
    f32 0x20: Float1 Float2 Float4;
}

#[cfg(feature = "half")]
texels! {
    half::f16 = f16 0x10 * 1;
    [half::f16; 2] = f16 0x10 * 2;
    [half::f16; 4] = f16 0x10 * 4;
    crate::interop::Half2 = f16 0x10 * 2;
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys::CUarray_format as Theirs;

    #[test]
    fn the_numbers_are_those_of_cudarc() {
        for (ours, theirs) in [
            (u8::FORMAT, Theirs::CU_AD_FORMAT_UNSIGNED_INT8),
            (u16::FORMAT, Theirs::CU_AD_FORMAT_UNSIGNED_INT16),
            (u32::FORMAT, Theirs::CU_AD_FORMAT_UNSIGNED_INT32),
            (i8::FORMAT, Theirs::CU_AD_FORMAT_SIGNED_INT8),
            (i16::FORMAT, Theirs::CU_AD_FORMAT_SIGNED_INT16),
            (i32::FORMAT, Theirs::CU_AD_FORMAT_SIGNED_INT32),
            (f32::FORMAT, Theirs::CU_AD_FORMAT_FLOAT),
            #[cfg(feature = "half")]
            (half::f16::FORMAT, Theirs::CU_AD_FORMAT_HALF),
        ] {
            assert_eq!(ours.raw().format, theirs as u32, "{ours}");
        }
    }

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

//! Random values of device types, and the bytes that a kernel must receive for them.

use fastrand::Rng;
use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, Pointee};

/// A device type with random values.
///
/// [`bytes`](Draw::bytes) is worked out without the code under test: by the type's own number format, or for a
/// struct field by field at the offsets that the kernel's source states.
pub trait Draw: DeviceType {
    /// A random value.
    fn draw(rng: &mut Rng) -> Self;
    /// What the kernel must receive; padding is zero.
    fn bytes(&self) -> Vec<u8>;
}

macro_rules! numbers {
    ($($ty:ident)*) => {$(
        impl Draw for $ty {
            fn draw(rng: &mut Rng) -> Self {
                Self::from_ne_bytes(std::array::from_fn(|_| rng.u8(..)))
            }
            fn bytes(&self) -> Vec<u8> {
                self.to_ne_bytes().to_vec()
            }
        }
    )*};
}

numbers!(i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize f32 f64);

impl Draw for bool {
    fn draw(rng: &mut Rng) -> Self {
        rng.bool()
    }
    fn bytes(&self) -> Vec<u8> {
        vec![u8::from(*self)]
    }
}

macro_rules! halves {
    ($($ty:ident)*) => {$(
        impl Draw for half::$ty {
            fn draw(rng: &mut Rng) -> Self {
                Self::from_bits(rng.u16(..))
            }
            fn bytes(&self) -> Vec<u8> {
                self.to_bits().to_ne_bytes().to_vec()
            }
        }
    )*};
}

halves!(f16 bf16);

impl<T: Draw, const N: usize> Draw for [T; N] {
    fn draw(rng: &mut Rng) -> Self {
        std::array::from_fn(|_| T::draw(rng))
    }
    fn bytes(&self) -> Vec<u8> {
        self.iter().flat_map(Draw::bytes).collect()
    }
}

macro_rules! pointers {
    ($($ty:ident)*) => {$(
        impl<T: Pointee> Draw for $ty<T> {
            fn draw(rng: &mut Rng) -> Self {
                if rng.bool() { Self::NULL } else { Self::from_raw(rng.u64(..)) }
            }
            fn bytes(&self) -> Vec<u8> {
                self.address().to_ne_bytes().to_vec()
            }
        }
    )*};
}

pointers!(DevicePointer DevicePointerMut);

/// CUDA's vector types: their components one after another.
macro_rules! vectors {
    ($($ty:ident [$element:ty; $count:literal])*) => {$(
        impl Draw for kernel_args::$ty {
            fn draw(rng: &mut Rng) -> Self {
                <[$element; $count]>::draw(rng).into()
            }
            fn bytes(&self) -> Vec<u8> {
                <[$element; $count]>::from(*self).bytes()
            }
        }
    )*};
}

vectors! {
    Char1[i8; 1] Char2[i8; 2] Char3[i8; 3] Char4[i8; 4]
    UChar1[u8; 1] UChar2[u8; 2] UChar3[u8; 3] UChar4[u8; 4]
    Short1[i16; 1] Short2[i16; 2] Short3[i16; 3] Short4[i16; 4]
    UShort1[u16; 1] UShort2[u16; 2] UShort3[u16; 3] UShort4[u16; 4]
    Int1[i32; 1] Int2[i32; 2] Int3[i32; 3] Int4[i32; 4]
    UInt1[u32; 1] UInt2[u32; 2] UInt3[u32; 3] UInt4[u32; 4]
    Long1[i64; 1] Long2[i64; 2] Long3[i64; 3] Long4[i64; 4] Long4A16[i64; 4] Long4A32[i64; 4]
    ULong1[u64; 1] ULong2[u64; 2] ULong3[u64; 3] ULong4[u64; 4] ULong4A16[u64; 4] ULong4A32[u64; 4]
    LongLong1[i64; 1] LongLong2[i64; 2] LongLong3[i64; 3]
    LongLong4[i64; 4] LongLong4A16[i64; 4] LongLong4A32[i64; 4]
    ULongLong1[u64; 1] ULongLong2[u64; 2] ULongLong3[u64; 3]
    ULongLong4[u64; 4] ULongLong4A16[u64; 4] ULongLong4A32[u64; 4]
    Float1[f32; 1] Float2[f32; 2] Float3[f32; 3] Float4[f32; 4]
    Double1[f64; 1] Double2[f64; 2] Double3[f64; 3] Double4[f64; 4] Double4A16[f64; 4] Double4A32[f64; 4]
    Dim3[u32; 3] CuFloatComplex[f32; 2] CuDoubleComplex[f64; 2]
}

/// Handles and maps: a number or an array of numbers in a struct.
macro_rules! wrappers {
    ($($ty:ident($inner:ty))*) => {$(
        impl Draw for kernel_args::$ty {
            fn draw(rng: &mut Rng) -> Self {
                Self(<$inner>::draw(rng))
            }
            fn bytes(&self) -> Vec<u8> {
                self.0.bytes()
            }
        }
    )*};
}

wrappers!(TextureObject(u64) SurfaceObject(u64) TensorMap([u64; 16]) TensorMapA64([u64; 16]));

/// The bytes of a struct of `size` bytes from its fields' places, which the kernel's source states.
#[must_use]
pub fn at(size: usize, fields: &[(usize, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = vec![0; size];
    for (offset, field) in fields {
        bytes[*offset..offset + field.len()].copy_from_slice(field);
    }
    bytes
}

//! Random values of Rust types: the same numbers in the same order as the generator's `value` module, so
//! that what a kernel must see can be computed without any code of this crate.

use core::num::{self, Wrapping};
use kernel_args::{DevicePointer, DevicePointerMut, Pointee};
use kernel_args_test_generator::{Rng, value};

/// Where values come from.
#[derive(Debug)]
pub struct Source {
    /// Their numbers.
    pub(crate) rng: Rng,
    /// The address of `out`.
    pub(crate) out: u64,
}

/// The values of a seed.
#[derive(Debug)]
pub struct Draws {
    pub(crate) seed: u64,
    pub(crate) out: u64,
}

impl Draws {
    /// The values of signature number `index`.
    pub(crate) fn args<A: Draw>(&self, index: usize) -> A {
        A::draw(&mut Source {
            rng: Rng::new(self.seed, index as u64),
            out: self.out,
        })
    }
}

/// A type with random values.
pub trait Draw: Copy {
    /// A random value.
    fn draw(from: &mut Source) -> Self;
}

macro_rules! bits {
    ($($ty:ty, $bits:ident => $value:expr;)*) => {$(
        impl Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                let $bits = from.rng.next_u64();
                $value
            }
        }
    )*};
}

bits! {
    bool, bits => bits % 2 == 1;
    i8, bits => u8::draw_of(bits).cast_signed();
    u8, bits => u8::draw_of(bits);
    i16, bits => u16::draw_of(bits).cast_signed();
    u16, bits => u16::draw_of(bits);
    i32, bits => u32::draw_of(bits).cast_signed();
    u32, bits => u32::draw_of(bits);
    i64, bits => bits.cast_signed();
    u64, bits => bits;
    isize, bits => usize::draw_of(bits).cast_signed();
    usize, bits => usize::draw_of(bits);
    f32, bits => Self::from_bits(u32::draw_of(bits));
    f64, bits => Self::from_bits(bits);
    half::f16, bits => Self::from_bits(u16::draw_of(bits));
    half::bf16, bits => Self::from_bits(u16::draw_of(bits));
    kernel_args::TextureObject, bits => Self(bits);
    kernel_args::SurfaceObject, bits => Self(bits);
}

/// An integer of the low bits of a number.
trait Low {
    fn draw_of(bits: u64) -> Self;
}

macro_rules! low {
    ($($ty:ty)*) => {$(
        impl Low for $ty {
            #[allow(clippy::cast_possible_truncation, reason = "the low bits are what is wanted")]
            fn draw_of(bits: u64) -> Self {
                bits as Self
            }
        }
    )*};
}

low! { u8 u16 u32 usize }

impl Draw for u128 {
    fn draw(from: &mut Source) -> Self {
        let low = from.rng.next_u64();
        Self::from(low) | Self::from(from.rng.next_u64()) << 64
    }
}

impl Draw for i128 {
    fn draw(from: &mut Source) -> Self {
        u128::draw(from).cast_signed()
    }
}

macro_rules! non_zero {
    ($($ty:ident as $inner:ty),*) => {$(
        impl Draw for num::$ty {
            fn draw(from: &mut Source) -> Self {
                Self::new(<$inner>::draw(from)).or(Self::new(1)).expect("one is not zero")
            }
        }
    )*};
}

non_zero! {
    NonZeroI8 as i8, NonZeroU8 as u8, NonZeroI16 as i16, NonZeroU16 as u16, NonZeroI32 as i32,
    NonZeroU32 as u32, NonZeroI64 as i64, NonZeroU64 as u64, NonZeroI128 as i128, NonZeroU128 as u128,
    NonZeroIsize as isize, NonZeroUsize as usize
}

impl<T: Draw> Draw for Wrapping<T> {
    fn draw(from: &mut Source) -> Self {
        Self(T::draw(from))
    }
}

impl<T: Draw, const N: usize> Draw for [T; N] {
    fn draw(from: &mut Source) -> Self {
        core::array::from_fn(|_| T::draw(from))
    }
}

macro_rules! pointers {
    ($($ty:ident)*) => {$(
        impl<T: Pointee> Draw for $ty<T> {
            fn draw(from: &mut Source) -> Self {
                Self::from_raw(from.rng.next_u64())
            }
        }

        impl<T: Pointee> Draw for Option<$ty<T>> {
            fn draw(from: &mut Source) -> Self {
                let address = from.rng.next_u64();
                (!value::is_none(address)).then(|| $ty::from_raw(address))
            }
        }
    )*};
}

pointers! { DevicePointer DevicePointerMut }

macro_rules! vectors {
    ($($component:ty, $count:literal: $($ty:ident)*;)*) => {$($(
        impl Draw for kernel_args::$ty {
            fn draw(from: &mut Source) -> Self {
                Self::from(<[$component; $count]>::draw(from))
            }
        }
    )*)*};
}

vectors! {
    i8, 1: Char1; i8, 2: Char2; i8, 3: Char3; i8, 4: Char4;
    u8, 1: UChar1; u8, 2: UChar2; u8, 3: UChar3; u8, 4: UChar4;
    i16, 1: Short1; i16, 2: Short2; i16, 3: Short3; i16, 4: Short4;
    u16, 1: UShort1; u16, 2: UShort2; u16, 3: UShort3; u16, 4: UShort4;
    i32, 1: Int1; i32, 2: Int2; i32, 3: Int3; i32, 4: Int4;
    u32, 1: UInt1; u32, 2: UInt2; u32, 3: UInt3 Dim3; u32, 4: UInt4;
    i64, 1: Long1 LongLong1; i64, 2: Long2 LongLong2; i64, 3: Long3 LongLong3;
    i64, 4: Long4 Long4A16 Long4A32 LongLong4 LongLong4A16 LongLong4A32;
    u64, 1: ULong1 ULongLong1; u64, 2: ULong2 ULongLong2; u64, 3: ULong3 ULongLong3;
    u64, 4: ULong4 ULong4A16 ULong4A32 ULongLong4 ULongLong4A16 ULongLong4A32;
    f32, 1: Float1; f32, 2: Float2 CuFloatComplex; f32, 3: Float3; f32, 4: Float4;
    f64, 1: Double1; f64, 2: Double2 CuDoubleComplex; f64, 3: Double3;
    f64, 4: Double4 Double4A16 Double4A32;
    half::f16, 2: Half2; half::bf16, 2: BFloat162;
}

macro_rules! tensor_maps {
    ($($ty:ident)*) => {$(
        impl Draw for kernel_args::$ty {
            fn draw(from: &mut Source) -> Self {
                Self(Draw::draw(from))
            }
        }
    )*};
}

tensor_maps! { TensorMap TensorMapA64 }

/// Random values of a struct of the generator: fields in order, an echo kernel's `out` as it is given.
macro_rules! draw {
    (enum $ty:ident { $($variant:ident),* }) => {
        impl Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                let variants = [$($ty::$variant),*];
                *from.rng.pick(&variants)
            }
        }
    };
    (echo {$($generics:tt)*} $ty:ty { $($field:ident),* }) => {
        impl<$($generics)*> Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                let out = DevicePointerMut::from_raw(from.out);
                $(let $field = Draw::draw(from);)*
                Self { out, $($field),* }
            }
        }
    };
    ({$($generics:tt)*} $ty:ty { $($field:ident),* }) => {
        impl<$($generics)*> Draw for $ty {
            fn draw(from: &mut Source) -> Self {
                $(let $field = Draw::draw(from);)*
                Self { $($field),* }
            }
        }
    };
}
pub(crate) use draw;

/// Reports a by-value struct of signature `index`.
macro_rules! structure {
    ($report:ident, $index:literal, $ty:ty { $($field:ident),* }) => {
        $report(Structure {
            index: $index,
            size: size_of::<$ty>(),
            align: align_of::<$ty>(),
            offsets: vec![$(core::mem::offset_of!($ty, $field)),*],
            layout: <$ty as DeviceType>::LAYOUT,
        });
    };
}
pub(crate) use structure;

//! Structs by value, enums and over-aligned structs, each between two chars.
//!
//! The comments in `ptx/echo_structs.cu` have the same sizes and offsets as `bytes`.

use crate::echo::ways::{Echo, Outcome, echo_between};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, KernelArgs, TensorMap,
    vector::{Char3, Float3, Float4, UShort3},
};
use kernel_args_tests::{
    driver::trial,
    values::{Bytes, Draw, Source, at},
};
use libtest_mimic::Trial;

const STRUCTS: &str = include_str!("../../../../ptx/echo_structs.ptx");
const PACKED: &str = include_str!("../../../../ptx/packed.ptx");

/// A struct with fields of random values, and its bytes: `size; field @ offset, …`.
#[allow(clippy::struct_field_names, reason = "the names of the kernel's source")]
macro_rules! structs {
    ($($(#[$meta:meta])* struct $name:ident $(<$($t:ident),+>)? = $size:literal {
        $($field:ident: $ty:ty = $offset:literal,)*
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, DeviceType)]
        #[allow(clippy::struct_field_names, reason = "the names of the kernel's source")]
        pub(crate) struct $name $(<$($t),+>)? {
            $($field: $ty,)*
        }

        impl $(<$($t: Draw),+>)? Draw for $name $(<$($t),+>)? {
            fn draw(from: &mut Source) -> Self {
                Self { $($field: Draw::draw(from),)* }
            }
        }

        impl $(<$($t: Bytes + Copy),+>)? Bytes for $name $(<$($t),+>)? {
            fn bytes(&self) -> Vec<u8> {
                // A field of a packed struct can be copied, not borrowed.
                at($size, &[$(($offset, { self.$field }.bytes()),)*])
            }
        }
    )*};
}

structs! {
    #[repr(C)] struct FloatFloat4 = 32 { f: f32 = 0, f4: Float4 = 16, }
    #[repr(C)] struct CharDoubleInt = 24 { head: i8 = 0, d: f64 = 8, tail: i32 = 16, }
    #[repr(C)] struct TailPadding = 8 { i: i32 = 0, c: i8 = 4, }
    #[repr(C)] struct Nested = 64 { inner: FloatFloat4 = 0, tail: TailPadding = 32, f3: Float3 = 40, }
    #[repr(C)] struct Shape = 136 { n: i32 = 0, shape: [usize; 8] = 8, strides: [usize; 8] = 72, }
    #[repr(C)] struct Floats3 = 12 { v: [f32; 3] = 0, }
    #[repr(C)] struct Pairs = 48 { pairs: [[TailPadding; 3]; 2] = 0, }
    #[repr(C)] struct Flags = 16 {
        a: bool = 0, b: i8 = 1, c: bool = 2, d: u8 = 3, e: u16 = 4, f: bool = 6, g: u32 = 8, h: bool = 12,
    }
    #[repr(C)] struct CharInt128 = 32 { c: i8 = 0, i: i128 = 16, }
    #[repr(C)] struct View = 24 {
        data: DevicePointer<f32> = 0, context: DevicePointerMut<core::ffi::c_void> = 8, length: u32 = 16,
    }
    #[repr(C)] struct Pair<A, B> = 16 { first: A = 0, second: B = 8, }
    #[repr(C)] struct Pixel = 12 { color: Char3 = 0, depth: half::f16 = 4, normal: UShort3 = 6, }
    #[repr(C, align(32))] struct Align32 = 32 { word: u32 = 0, }
    #[repr(C, align(64))] struct Align64 = 64 { word: u32 = 0, }
    #[repr(C, align(128))] struct Align128 = 128 { word: u32 = 0, }
    #[repr(transparent)] struct Transparent = 12 { inner: [f32; 3] = 0, }
    #[repr(C, packed)] struct Rec = 7 { tag: u8 = 0, value: f32 = 1, n: u16 = 5, }
    #[repr(C, packed)] struct Frame = 31 {
        kind: i8 = 0, records: [Rec; 2] = 1, time: f64 = 15, next: DevicePointerMut<Rec> = 23,
    }
    #[repr(C, packed(2))] struct Pair16 = 6 { key: u8 = 0, value: u32 = 2, }
    #[repr(C, packed(4))] struct Sample = 12 { id: i32 = 0, value: f64 = 4, }
    #[repr(C)] struct Holder = 20 { count: i32 = 0, rec: Rec = 4, pair: Pair16 = 12, }
}

macro_rules! enums {
    ($($name:ident: $int:ident { $($variant:ident = $value:literal),* })*) => {$(
        #[derive(Clone, Copy, DeviceType)]
        #[repr($int)]
        pub(crate) enum $name { $($variant = $value),* }

        impl Draw for $name {
            fn draw(from: &mut Source) -> Self {
                *from.rng.pick(&[$(Self::$variant),*])
            }
        }

        impl Bytes for $name {
            fn bytes(&self) -> Vec<u8> {
                (*self as $int).to_ne_bytes().to_vec()
            }
        }
    )*};
}

enums! {
    EnumU8: u8 { None = 0, Some = 200 }
    EnumI16: i16 { Low = -30_000, High = 77 }
    EnumI32: i32 { Low = -2_000_000_000, High = 77 }
    EnumU64: u64 { Small = 1, Large = 0xfedc_ba98_7654_3210 }
}

/// `echo_align_mixed`: every alignment above 16 in one block, with scalars in the gaps.
#[derive(KernelArgs)]
struct AlignMixed {
    out: DevicePointerMut<u8>,
    a: i8,
    b: Align32,
    c: i16,
    d: Align128,
    e: i32,
    f: Align64,
    g: f64,
}

/// `echo_tensor_map_first`: the first parameter is a tensor map, as in CUTLASS kernels.
#[derive(KernelArgs)]
struct TensorMapFirst {
    out: DevicePointerMut<u8>,
    map: TensorMap,
    data: DevicePointerMut<f32>,
}

/// `echo_packed`: packed structs, the first of them behind a byte.
#[derive(KernelArgs)]
struct Packed {
    out: DevicePointerMut<u8>,
    first: u8,
    rec: Rec,
    pair: Pair16,
    sample: Sample,
    frame: Frame,
    holder: Holder,
}

fn packed() -> Outcome {
    let echo = Echo::<Packed>::load(PACKED, "echo_packed")?;
    let mut from = Source::new(7);
    let (first, rec, pair) = (u8::draw(&mut from), Rec::draw(&mut from), Pair16::draw(&mut from));
    let (sample, frame, holder) = (Sample::draw(&mut from), Frame::draw(&mut from), Holder::draw(&mut from));
    let passed = [first.bytes(), rec.bytes(), pair.bytes(), sample.bytes(), frame.bytes(), holder.bytes()].concat();
    echo.check(&passed, |out| Packed { out, first, rec, pair, sample, frame, holder })
}

#[allow(clippy::many_single_char_names, reason = "the kernel's own names")]
fn align_mixed() -> Outcome {
    let echo = Echo::<AlignMixed>::load(STRUCTS, "echo_align_mixed")?;
    let mut from = Source::new(32);
    let (a, b, c) = (i8::draw(&mut from), Align32::draw(&mut from), i16::draw(&mut from));
    let (d, e, f) = (Align128::draw(&mut from), i32::draw(&mut from), Align64::draw(&mut from));
    let g = f64::draw(&mut from);
    let passed = [a.bytes(), b.bytes(), c.bytes(), d.bytes(), e.bytes(), f.bytes(), g.bytes()].concat();
    echo.check(&passed, |out| AlignMixed { out, a, b, c, d, e, f, g })
}

fn tensor_map_first() -> Outcome {
    let echo = Echo::<TensorMapFirst>::load(STRUCTS, "echo_tensor_map_first")?;
    let mut from = Source::new(128);
    let (map, data) = (TensorMap::draw(&mut from), DevicePointerMut::draw(&mut from));
    let passed = [map.bytes(), data.bytes()].concat();
    echo.check(&passed, |out| TensorMapFirst { out, map, data })
}

pub(crate) fn trials() -> Vec<Trial> {
    macro_rules! between {
        ($($entry:literal $ty:ty)*) => {
            vec![$(trial(concat!($entry, " as ", stringify!($ty)), || echo_between::<$ty>(STRUCTS, $entry)),)*]
        };
    }
    let mut trials = between! {
        "echo_struct_float_float4" FloatFloat4
        "echo_struct_char_double_int" CharDoubleInt
        "echo_struct_tail_padding" TailPadding
        "echo_struct_nested" Nested
        "echo_struct_shape" Shape
        "echo_array_f32_3" Floats3
        "echo_array_f32_3" [f32; 3]
        "echo_array_f32_3" Transparent
        "echo_struct_array_of_structs" Pairs
        "echo_struct_flags" Flags
        "echo_struct_char_i128" CharInt128
        "echo_struct_view" View
        "echo_struct_pair_f32_f64" Pair<f32, f64>
        "echo_struct_pixel" Pixel
        "echo_enum_u8" EnumU8
        "echo_enum_i16" EnumI16
        "echo_enum_i32" EnumI32
        "echo_enum_u64" EnumU64
        "echo_align_32" Align32
        "echo_align_64" Align64
        "echo_align_128" Align128
    };
    trials.push(trial("echo_packed", packed));
    trials.push(trial("echo_align_mixed", align_mixed));
    trials.push(trial("echo_tensor_map_first", tensor_map_first));
    trials
}

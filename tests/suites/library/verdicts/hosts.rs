//! The host types: what a field can be.

use core::ffi::c_void;
use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, sys::CUdeviceptr};
use kernel_args::{
    DevicePointer, DevicePointerMut, DeviceType, Error, KernelArgs, Module, SurfaceObject, TensorMap, TensorMapA64,
    TextureObject, abi::Signature, vector::*,
};
use std::{
    num::{NonZeroI32, NonZeroU8, NonZeroU64, Wrapping},
    sync::Arc,
};

/// A host type.
pub(super) struct Host {
    pub(super) name: &'static str,
    /// A struct with one field of the type, with the name of the kernels' parameter.
    pub(super) signature: Signature<'static>,
    /// Whether the runtime accepts the struct for a kernel of a module.
    pub(super) load: fn(&Arc<Module>, &str) -> Result<(), Error>,
}

macro_rules! hosts {
    ($($ty:ty,)*) => {
        pub(super) const HOSTS: &[Host] = &[$({
            #[derive(KernelArgs)]
            struct One {
                value: $ty,
            }
            Host {
                name: stringify!($ty),
                signature: <One as KernelArgs>::SIGNATURE,
                load: |module, kernel| module.kernel::<One>(kernel).map(drop),
            }
        }),*];
    };
}

#[derive(Clone, Copy, DeviceType)]
#[repr(i32)]
enum Plain {
    Zero,
    One,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
enum Color {
    Red,
    Green = 7,
}

/// A variant of `Color` has another value.
#[derive(Clone, Copy, DeviceType)]
#[repr(u8)]
#[device_type(cpp = "Color")]
enum OtherColor {
    Red,
    Green,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(i32)]
enum Mode {
    Fast = -1,
    Exact,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pair {
    key: i32,
    weight: f32,
}

/// The members of `Pair` in another order.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "Pair")]
struct SwappedPair {
    weight: f32,
    key: i32,
}

/// A member of `Pair` with another type.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "Pair")]
struct UnsignedPair {
    key: u32,
    weight: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "sim::Pair")]
struct SimPair {
    key: i32,
    weight: f32,
}

/// The members of `Pair` in a struct with another name.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Entry {
    key: i32,
    weight: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C, align(16))]
struct Aligned {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Nested {
    pair: Pair,
    scale: f64,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Floats3 {
    v: [f32; 3],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Rows {
    m: [[f32; 3]; 2],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Pairs {
    pairs: [Pair; 2],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Floats4 {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Vectors {
    color: Float4,
    pixel: UChar4,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct View {
    data: DevicePointerMut<f32>,
    length: i32,
}

/// `View` with a pointer that the kernel cannot write to.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "View")]
struct ConstView {
    data: DevicePointer<f32>,
    length: i32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Flags {
    on: bool,
    color: Color,
    count: i16,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "Box<float>")]
struct BoxFloat {
    value: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
#[device_type(cpp = "Box<float*>")]
struct BoxPointer {
    value: DevicePointerMut<f32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Reference {
    value: DevicePointerMut<f32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Either {
    number: i32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Bits {
    low_and_high: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Derived {
    base: Pair,
    scale: f64,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Nothing {
    unused: u8,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(transparent)]
struct Meters(f32);

#[derive(Clone, Copy, DeviceType)]
#[repr(C, packed)]
struct Packed {
    tag: i8,
    number: i32,
}

hosts! {
    bool, i8, u8, i16, u16, i32, u32, i64, u64, isize,
    usize, i128, u128, f32, f64, NonZeroU8, NonZeroI32, NonZeroU64, Wrapping<u32>, Meters,
    half::f16, half::bf16, float8::F8E4M3, TextureObject, SurfaceObject, TensorMap, TensorMapA64, Plain, Color, OtherColor,
    Mode, Char2, UChar4, Short2, Int2, Int4, UInt4, Float1, Float2, Float3,
    Float4, Double2, Double4A16, Double4A32, ULongLong2, Dim3, Half2, BFloat162, CuFloatComplex, CuDoubleComplex,
    num_complex::Complex<f32>, glam::Vec2, glam::Vec3, glam::Vec4, glam::Mat4, nalgebra::Matrix2x3<f32>, mint::Vector4<f32>, [u8; 4], [u8; 5], [i32; 2],
    [i32; 4], [f32; 2], [f32; 3], [f32; 4], [f32; 6], [[f32; 3]; 2], [[f32; 2]; 3], [Pair; 2], [Float4; 2], [u64; 16],
    Pair, SwappedPair, UnsignedPair, SimPair, Entry, Aligned, Nested, Floats3, Rows, Pairs,
    Floats4, Vectors, View, ConstView, Flags, BoxFloat, BoxPointer, CUdeviceptr, DevicePointer<c_void>, DevicePointerMut<c_void>,
    DevicePointer<bool>, DevicePointerMut<i8>, DevicePointer<u8>, DevicePointerMut<i32>, DevicePointerMut<u32>, DevicePointerMut<i64>, DevicePointerMut<u64>, DevicePointer<f32>, DevicePointerMut<f32>, DevicePointerMut<f64>,
    DevicePointerMut<half::f16>, DevicePointerMut<Color>, DevicePointerMut<Float4>, DevicePointerMut<[f32; 4]>, DevicePointerMut<Pair>, DevicePointer<SimPair>, DevicePointerMut<Entry>, DevicePointerMut<Meters>, DevicePointerMut<DevicePointerMut<f32>>, DevicePointerMut<DevicePointer<f32>>,
    DevicePointer<DevicePointerMut<f32>>, DevicePointer<DevicePointer<f32>>, DevicePointerMut<DevicePointerMut<c_void>>, Option<DevicePointer<f32>>, &'static CudaSlice<f32>, &'static mut CudaSlice<f32>, CudaView<'static, f32>, CudaViewMut<'static, f32>, &'static mut CudaSlice<i32>, &'static CudaSlice<Float4>,
    Reference, Either, Bits, Derived, Nothing, Packed,
}

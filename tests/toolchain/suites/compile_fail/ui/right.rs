// Correct versions of the mistakes in the folders, written as their messages suggest.
use cudarc::driver::{CudaSlice, CudaView, CudaViewMut};
use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs, vector::Float3};
use std::{marker::PhantomData, sync::Arc};

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "geometry::Plane")]
#[repr(C)]
struct Plane {
    normal: Float3,
    distance: f32,
}

#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "geometry::Side")]
#[repr(u8)]
enum Side {
    Above,
    Below,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "clip")]
struct Clip<'a> {
    plane: Plane,
    side: Side,
    points: &'a CudaSlice<Float3>,
    kept: &'a mut CudaSlice<bool>,
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(
    ptx = "ptx/saxpy_typed.ptx",
    entry = "void saxpy<float>(int, float, float const*, float*)"
)]
struct Saxpy<'a> {
    n: i32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

#[derive(KernelArgs)]
struct Args<'a> {
    bytes: [u8; 4],
    data: Option<DevicePointer<f32>>,
    weights: Option<&'a CudaSlice<f32>>,
    #[kernel_args(skip)]
    label: String,
    #[kernel_args(skip)]
    marker: PhantomData<f32>,
}

// A user-defined struct instead of a CUDA vector, and a number instead of a `bool`.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "float4")]
#[repr(C, align(16))]
struct Quad {
    x: f32,
    y: f32,
    z: f32,
    w: f32,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/vectors_typed.ptx", entry = "shift")]
struct Shift {
    by: Quad,
    #[kernel_args(opaque)]
    on: u8,
}

// The members of the kernel's struct, in one struct.
#[derive(Clone, Copy, DeviceType)]
#[device_type(cpp = "geometry::Box")]
#[repr(C)]
struct Cuboid {
    low: [f32; 3],
    high: [f32; 3],
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/saxpy_typed.ptx", entry = "geometry::grow")]
struct Grow {
    cuboid: Cuboid,
    by: f32,
    out: DevicePointerMut<std::ffi::c_void>,
}

// What the code of a kernel contradicts, with the attributes that turn the comparison off.
#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "count")]
struct Count<'a> {
    n: u32,
    limit: i32,
    values: &'a CudaSlice<i32>,
    #[kernel_args(shared_write)]
    counter: &'a CudaSlice<u32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "rows")]
struct Rows<'a> {
    n: u32,
    #[kernel_args(opaque)]
    stride: DevicePointer<u8>,
    #[kernel_args(opaque)]
    input: &'a CudaSlice<f32>,
    #[kernel_args(opaque)]
    sums: &'a CudaSlice<f32>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct View {
    #[device_type(opaque)]
    data: DevicePointer<f32>,
    stride: i64,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "ptx/code.ptx", entry = "fill")]
struct Fill {
    view: View,
    value: f32,
}

#[derive(KernelArgs)]
struct Slices<'a> {
    x: &'a CudaSlice<f32>,
    view: CudaView<'a, f32>,
    out: CudaViewMut<'a, f32>,
}

// The content of an owner, and a concrete type instead of a trait object.
fn slices<'a>(
    shared: &'a Arc<CudaSlice<f32>>,
    boxed: &'a mut Box<CudaSlice<f32>>,
) -> Slices<'a> {
    Slices {
        x: shared.as_ref(),
        view: shared.as_view(),
        out: boxed.as_view_mut(),
    }
}

fn main() {
    let _ = slices;
    let _: (Option<Shift>, Option<Grow>) = (None, None);
    let _: (Option<Count<'_>>, Option<Rows<'_>>, Option<Fill>) = (None, None, None);
    let _ = [Side::Above, Side::Below];
    let args = Args {
        bytes: [1, 2, 3, 4],
        data: None,
        weights: None,
        label: String::from("nothing"),
        marker: PhantomData,
    };
    assert!(args.label.is_ascii());
    args.with_packed(|buffer| assert_eq!(buffer.len(), 24));
    let _: Option<Clip<'_>> = None;
    let _: Option<Saxpy<'_>> = None;
}

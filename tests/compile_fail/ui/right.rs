// What the other folders forbid, written as their messages say.
use cudarc::driver::CudaSlice;
use kernel_args::{DevicePointer, DeviceType, Float3, KernelArgs};
use std::marker::PhantomData;

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

fn main() {
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

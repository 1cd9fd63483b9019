//! The library under a different path, and structs that a dependent crate exports.

use cudarc::driver::DeviceRepr;
use kernel_args::KernelArgs;
use kernel_args_tests::exported::{Exported, Point};

/// A library that provides its own kernels.
mod facade {
    pub(super) mod deep {
        pub(crate) use kernel_args as args;
    }
}

#[derive(Clone, Copy, facade::deep::args::DeviceType)]
#[device_type(crate = crate::hygiene::reexport::facade::deep::args, cpp = "Elsewhere")]
#[repr(C)]
struct Elsewhere {
    small: u8,
    large: u32,
}

#[derive(Clone, Copy, facade::deep::args::DeviceType)]
#[device_type(crate = facade::deep::args)]
#[repr(u8)]
enum Kind {
    One = 1,
}

#[derive(facade::deep::args::KernelArgs)]
#[kernel_args(crate = facade::deep::args)]
#[kernel_args(ptx = "../ptx/hungry.ptx")]
struct Checked {
    out: facade::deep::args::DevicePointerMut<f32>,
}

#[derive(facade::deep::args::KernelArgs)]
#[kernel_args(crate = facade::deep::args)]
struct Args<T> {
    elsewhere: Elsewhere,
    kind: Kind,
    value: T,
}

#[derive(KernelArgs)]
struct OfOthers {
    point: Point,
    points: Option<&'static cudarc::driver::CudaSlice<Point>>,
}

#[test]
fn the_attribute_sets_the_path_of_the_library() {
    let args = Args { elsewhere: Elsewhere { small: 1, large: 2 }, kind: Kind::One, value: 3_u8 };
    args.with_packed(|buffer| assert_eq!(buffer, [1, 0, 0, 0, 2, 0, 0, 0, 1, 3]));
    assert!(Checked::SOURCE.is_some());
}

#[test]
fn so_are_the_traits_of_device_memory() {
    const fn in_device_memory<T: DeviceRepr>() {}
    in_device_memory::<Elsewhere>();
    in_device_memory::<Kind>();
}

#[test]
fn structs_of_other_crates_marshal_here() {
    let exported = Exported::new(Point { x: 1, y: 2 }, None);
    exported.with_packed(|buffer| assert_eq!(buffer[..6], [1, 0, 0, 0, 2, 0]));
    let own = OfOthers { point: Point { x: 3, y: 4 }, points: None };
    own.with_packed(|buffer| assert_eq!(buffer[..6], [3, 0, 0, 0, 4, 0]));
}

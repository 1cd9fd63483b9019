//! Structs that suites use from a different crate than the crate that derives on them.

use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

/// A device type with padding.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
pub struct Point {
    /// Three bytes of padding follow.
    pub x: u8,
    /// The field after the padding.
    pub y: u32,
}

/// Arguments with private fields.
#[derive(KernelArgs)]
pub struct Exported<'a> {
    point: Point,
    points: Option<&'a CudaSlice<Point>>,
}

impl<'a> Exported<'a> {
    /// Creates arguments with these values.
    #[must_use]
    pub fn new(point: Point, points: Option<&'a CudaSlice<Point>>) -> Self {
        Self { point, points }
    }
}

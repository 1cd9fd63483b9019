//! Structs that the suites use from another crate than the one that derives on them.

use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

/// A device type with padding.
#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
pub struct Point {
    /// Before three bytes of padding.
    pub x: u8,
    /// After them.
    pub y: u32,
}

/// Arguments with fields that only this crate sees.
#[derive(KernelArgs)]
pub struct Exported<'a> {
    point: Point,
    points: Option<&'a CudaSlice<Point>>,
}

impl<'a> Exported<'a> {
    /// Arguments of these values.
    #[must_use]
    pub fn new(point: Point, points: Option<&'a CudaSlice<Point>>) -> Self {
        Self { point, points }
    }
}

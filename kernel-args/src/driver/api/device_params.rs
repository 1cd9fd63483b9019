//! Parameters for access to a device's memory and for parts of a device.

use core::{
    ffi::{c_int, c_uint, c_void},
    ptr,
};

/// `CUmemAccessDesc`: which device may access the memory of a pool, and how.
#[repr(C)]
pub(crate) struct PoolAccess {
    /// `CUmemLocationType`: `CU_MEM_LOCATION_TYPE_DEVICE`.
    pub(crate) location: c_uint,
    pub(crate) device: c_int,
    /// `CUmemAccess_flags`.
    pub(crate) flags: c_uint,
}

/// `CUdevResource`: 144 bytes up to CUDA 13.0 and 152 bytes from 13.1. This type has room for both. It must be passed
/// alone: in an array, its size would have to equal the driver's.
#[repr(C, align(8))]
pub(crate) struct DeviceResource {
    pub(crate) kind: c_uint,
    pub(crate) internal: [u8; 92],
    /// `CUdevSmResource::smCount`.
    pub(crate) sm_count: c_uint,
    pub(crate) rest: [u8; 412],
}

impl DeviceResource {
    /// `CU_DEV_RESOURCE_TYPE_SM`.
    pub(crate) const SM: c_uint = 1;

    pub(crate) const EMPTY: Self = Self { kind: 0, internal: [0; 92], sm_count: 0, rest: [0; 412] };
}

const _: () = assert!(size_of::<DeviceResource>() == 512);

/// `CUgreenCtx_st`, an opaque type of the driver.
#[repr(C)]
pub(crate) struct GreenContext {
    opaque: [u8; 0],
}

/// A null pointer for an optional argument.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Null(*mut c_void);

impl Null {
    pub(crate) const NULL: Self = Self(ptr::null_mut());
}

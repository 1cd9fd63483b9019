//! What describes access to a device's memory, and a part of a device.

use core::{
    ffi::{c_int, c_uint, c_void},
    ptr,
};

/// `CUmemAccessDesc`: which device may access the memory of a pool, and how.
#[repr(C)]
pub(crate) struct PoolAccess {
    /// `CUmemLocationType`, which is `CU_MEM_LOCATION_TYPE_DEVICE`.
    pub(crate) location: c_uint,
    pub(crate) device: c_int,
    /// `CUmemAccess_flags`.
    pub(crate) flags: c_uint,
}

/// `CUdevResource`: 144 bytes up to CUDA 13.0 and 152 from 13.1 on, which this has room for. It is only passed alone, never in
/// an array, whose elements would have to be as far apart as in the driver.
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

    pub(crate) const EMPTY: Self = Self {
        kind: 0,
        internal: [0; 92],
        sm_count: 0,
        rest: [0; 412],
    };
}

const _: () = assert!(size_of::<DeviceResource>() == 512);

/// `CUgreenCtx_st`, of which only the driver knows what is in it.
#[repr(C)]
pub(crate) struct GreenContext {
    opaque: [u8; 0],
}

/// A pointer that is null, to what a call can do without.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Null(*mut c_void);

impl Null {
    pub(crate) const NULL: Self = Self(ptr::null_mut());
}

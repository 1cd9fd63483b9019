//! What the driver knows about an address.

use core::ffi::c_uint;
use {
    super::{Api, CallError, required},
    cudarc::driver::sys::CUdeviceptr,
};

/// The number of attributes that are queried: always the length of the two arrays.
#[repr(transparent)]
pub(crate) struct PointerAttributeCount(c_uint);

/// Attributes of at most 8 bytes.
#[repr(transparent)]
pub(crate) struct PointerAttributes([c_uint; COUNT]);

/// Where the driver writes the attributes.
pub(crate) type PointerValues<'v> = [&'v mut u64; COUNT];

const COUNT: usize = 5;

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `_DEVICE_POINTER`, `_DEVICE_ORDINAL`, `_RANGE_START_ADDR`, `_RANGE_SIZE`.
const ATTRIBUTES: PointerAttributes = PointerAttributes([2, 3, 9, 11, 12]);

/// `CU_MEMORYTYPE_HOST`.
const HOST: u64 = 1;

/// An allocation that the driver knows.
#[derive(Clone, Copy)]
pub(crate) struct Allocation {
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// Whether it is host memory, which is registered or allocated by the driver.
    pub(crate) is_host: bool,
    /// The ordinal of its device.
    pub(crate) device: i32,
    /// The same byte as the queried address, for kernels of the current context. 0 if they cannot access it.
    pub(crate) device_pointer: u64,
}

impl Api {
    /// The allocation that contains an address, as the current context sees it; `None` if no allocation contains it.
    pub(crate) fn allocation(&self, address: CUdeviceptr) -> Result<Option<Allocation>, CallError> {
        // The types have 4 and 8 bytes. The driver writes the lower bytes of a number.
        let (mut kind, mut device_pointer, mut device, mut start, mut size) = (0, 0, 0, 0, 0);
        let mut values = [&mut kind, &mut device_pointer, &mut device, &mut start, &mut size];
        let count = PointerAttributeCount(COUNT as c_uint);
        let query = required!(self, cuPointerGetAttributes)?;
        query(count, &ATTRIBUTES, &mut values, address).check("cuPointerGetAttributes")?;
        // "Unlike cuPointerGetAttribute, this function will not return an error when the ptr encountered is not a valid CUDA pointer.
        // Instead, the attributes are assigned default NULL values."
        Ok((kind != 0).then_some(Allocation {
            start,
            size,
            is_host: kind == HOST,
            device: (device as u32).cast_signed(),
            device_pointer,
        }))
    }
}

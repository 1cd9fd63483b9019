//! What the driver knows about an address, and what Windows does.

use super::{Api, CallError};
use core::ffi::c_uint;
use cudarc::driver::sys::CUdeviceptr;

/// Always the length of the two arrays.
#[repr(transparent)]
pub(crate) struct PointerAttributeCount(c_uint);

/// Attributes of at most 8 bytes.
#[repr(transparent)]
pub(crate) struct PointerAttributes([c_uint; COUNT]);

pub(crate) type PointerValues<'v> = [&'v mut u64; COUNT];

const COUNT: usize = 6;

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `_DEVICE_POINTER`, `_IS_MANAGED`, `_DEVICE_ORDINAL`, `_RANGE_START_ADDR`,
/// `_RANGE_SIZE`.
const ATTRIBUTES: PointerAttributes = PointerAttributes([2, 3, 8, 9, 11, 12]);

/// `CU_MEMORYTYPE_HOST`.
const HOST: u64 = 1;

#[derive(Clone, Copy)]
pub(crate) struct Allocation {
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// Registered or allocated by the driver.
    pub(crate) is_host: bool,
    /// The driver moves it between the host and the devices.
    #[cfg(feature = "record")]
    is_managed: bool,
    pub(crate) device: i32,
    /// The queried address for kernels of the current context; 0 if they cannot access it.
    pub(crate) device_pointer: u64,
}

impl Api {
    /// Returns the allocation that contains an address, as the current context sees it.
    pub(crate) fn allocation(&self, address: CUdeviceptr) -> Result<Option<Allocation>, CallError> {
        // Some types have 4 bytes: the lower bytes of a number.
        let (mut values, count) = ([0; COUNT], PointerAttributeCount(COUNT as c_uint));
        self.cuPointerGetAttributes(count, &ATTRIBUTES, &mut values.each_mut(), address)?;
        let [kind, device_pointer, _, device, start, size] = values;
        // For an invalid pointer, "the attributes are assigned default NULL values".
        Ok((kind != 0).then_some(Allocation {
            start,
            size,
            is_host: kind == HOST,
            #[cfg(feature = "record")]
            // `_IS_MANAGED`.
            is_managed: values[2] != 0,
            device: (device as u32).cast_signed(),
            device_pointer,
        }))
    }
}

/// An allocation that the host can copy.
#[cfg(feature = "record")]
#[derive(Clone, Copy)]
pub(crate) struct Readable(Allocation);

#[cfg(feature = "record")]
impl Allocation {
    /// Returns memory that only the driver accesses: it refuses a copy from memory that was freed.
    pub(crate) fn of_gpu(self) -> Option<Readable> {
        (!self.is_host && !self.is_managed && self.size > 0).then_some(Readable(self))
    }

    /// The processor can be what copies the memory of the host and managed memory.
    ///
    /// # Safety
    /// It stays allocated while the result or a copy of it is used.
    pub(crate) unsafe fn promised(self) -> Option<Readable> {
        (self.size > 0).then_some(Readable(self))
    }
}

#[cfg(feature = "record")]
impl Readable {
    pub(crate) fn allocation(&self) -> &Allocation {
        &self.0
    }

    /// # Panics
    /// If the bytes from `offset` on are outside of the allocation.
    pub(crate) fn read(&self, api: &Api, offset: u64, to: &mut [u8]) -> Result<(), CallError> {
        let Self(allocation) = self;
        let end = offset.checked_add(to.len() as u64);
        assert!(end.is_some_and(|end| end <= allocation.size), "a copy outside of the allocation");
        let from = allocation.start + offset;
        // SAFETY: `cuMemcpyDtoH`: `to` has this length, and the call returns when it is complete. The source is inside
        // an allocation that the driver has reported. `promised` guarantees that host memory and managed memory is
        // still allocated. Other memory is reached only through the driver, which returns `CUDA_ERROR_INVALID_VALUE` if
        // user code has freed it since.
        unsafe { api.cuMemcpyDtoH_v2(to.as_mut_ptr().cast(), from, to.len()) }
    }
}

/// Returns whether an address is in readable memory of the process.
#[cfg(windows)]
pub(crate) fn is_mapped(address: u64) -> bool {
    /// `MEMORY_BASIC_INFORMATION`, whose first 32 bytes describe the range.
    #[repr(C)]
    #[derive(Default)]
    struct Memory {
        _range: [u64; 4],
        state: u32,
        protection: u32,
        _kind: [u32; 2],
    }
    // SAFETY: Windows API, "VirtualQuery function (memoryapi.h)":
    // `SIZE_T VirtualQuery(LPCVOID, PMEMORY_BASIC_INFORMATION, SIZE_T)`, which are 8 bytes each on x86-64 and AArch64.
    // It reads nothing through the address.
    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn VirtualQuery(address: u64, memory: &mut Memory, size: usize) -> usize;
    }
    const COMMITTED: u32 = 0x1000;
    /// `PAGE_NOACCESS`, `PAGE_EXECUTE`, `PAGE_GUARD`.
    const UNREADABLE: u32 = 0x1 | 0x10 | 0x100;
    let mut memory = Memory::default();
    // SAFETY: it writes at most as many bytes as the third argument, and `memory` has so many. Any bytes are valid for
    // its fields.
    let written = unsafe { VirtualQuery(address, &mut memory, size_of::<Memory>()) };
    written != 0 && memory.state == COMMITTED && memory.protection & UNREADABLE == 0
}

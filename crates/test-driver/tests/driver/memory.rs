//! Memory of every kind, copies, fills, and queries of an address.

use std::{ffi::c_void, ptr::null_mut};

use crate::raw::*;
use cudarc::driver::{
    CudaContext,
    sys::{self, CUpointer_attribute as Ask},
};
use kernel_args_test_driver::{Settings, within};

fn allocate(length: usize) -> Result<u64, u32> {
    let mut address = 0;
    call!(sys::cuMemAlloc_v2(&raw mut address, length))?;
    Ok(address)
}

fn free(address: u64) -> Result<(), u32> {
    call!(sys::cuMemFree_v2(address))
}

fn read(address: u64, length: usize) -> Result<Vec<u8>, u32> {
    let mut bytes = vec![0u8; length];
    call!(sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), address, length))?;
    Ok(bytes)
}

#[test]
fn accesses_outside_an_allocation_are_refused() {
    within(&Settings::new(), |driver| {
        let _context = CudaContext::new(0).expect("a device");
        let address = allocate(64).expect("memory");
        assert_eq!(read(address, 64).expect("inside"), [0xa5; 64], "fresh memory is not zero");
        assert_eq!(read(address + 60, 5), Err(1));
        assert_eq!(free(address + 1), INVALID_VALUE);
        assert_eq!(driver.live_allocations(), (1, 64));
        assert_eq!((free(address), free(address)), (Ok(()), INVALID_VALUE));
        assert_eq!(read(address, 1), Err(1), "freed");
        assert_eq!((allocate(0), free(0)), (Err(1), Ok(())));
        let mut nothing = 1;
        // The stream-ordered form accepts 0 bytes.
        let result = call!(sys::cuMemAllocAsync(&raw mut nothing, 0, null_mut()));
        assert_eq!((result, nothing), (Ok(()), 0));
        assert_eq!(allocate(81 << 30), Err(2));
    });
}

#[test]
fn fills_and_copies_are_exact() {
    within(&Settings::new(), |_| {
        let _context = CudaContext::new(0).expect("a device");
        let address = allocate(16).expect("memory");
        assert_eq!(call!(sys::cuMemsetD32_v2(address, 0x0403_0201, 3)), Ok(()));
        assert_eq!(call!(sys::cuMemsetD16_v2(address + 12, 0xbeef, 2)), Ok(()));
        assert_eq!(read(address, 16).expect("inside"), [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 0xef, 0xbe, 0xef, 0xbe]);
        assert_eq!(call!(sys::cuMemcpyDtoD_v2(address + 2, address, 8)), Ok(()));
        assert_eq!(read(address, 12).expect("inside"), [1, 2, 1, 2, 3, 4, 1, 2, 3, 4, 3, 4]);
        // Two rows with two elements, with a pitch of four.
        assert_eq!(call!(sys::cuMemsetD2D8_v2(address, 4, 9, 2, 2)), Ok(()));
        assert_eq!(read(address, 8).expect("inside"), [9, 9, 1, 2, 9, 9, 1, 2]);
        assert_eq!(call!(sys::cuMemsetD8_v2(address, 0, 17)), INVALID_VALUE);
        // Unified addressing: each address is of one memory.
        let mut host = [7u8, 8, 0, 0];
        let [first, last] = [0, 2].map(|at| host.as_mut_ptr().wrapping_add(at).expose_provenance() as u64);
        assert_eq!(call!(sys::cuMemcpy(address, first, 2)), Ok(()));
        assert_eq!(call!(sys::cuMemcpyAsync(last, address, 2, null_mut())), Ok(()));
        assert_eq!(call!(sys::cuMemcpyAsync(address + 15, last, 2, null_mut())), INVALID_VALUE);
        assert_eq!(call!(sys::cuCtxSynchronize()), Ok(()));
        assert_eq!(host, [7, 8, 7, 8]);
    });
}

#[test]
fn unified_memory_is_one_memory() {
    within(&Settings::new(), |_| {
        let context = CudaContext::new(0).expect("a device");
        // SAFETY: the elements are written before they are read.
        let mut unified = unsafe { context.alloc_unified::<u32>(4, true) }.expect("memory");
        unified.as_mut_slice().expect("the host may write it").copy_from_slice(&[1, 2, 3, 4]);
        let stream = context.default_stream();
        stream.memset_zeros(&mut unified).expect("the device may write it");
        assert_eq!(unified.as_slice().expect("the host may read it"), [0; 4]);
    });
}

#[test]
fn pinned_memory_is_reachable_from_both_sides() {
    within(&Settings::new(), |_| {
        let echo = Echo::new(".u64");
        let mut host: *mut c_void = null_mut();
        assert_eq!(call!(sys::cuMemHostAlloc(&raw mut host, 16, 2)), Ok(()));
        let mut device = 0;
        assert_eq!(call!(sys::cuMemHostGetDevicePointer_v2(&raw mut device, host, 0)), Ok(()));
        assert_eq!(launch(echo.function, ONE, &[&device.to_le_bytes(), &42u64.to_le_bytes()]), Ok(()));
        assert_eq!(synchronize(), Ok(()));
        // SAFETY: 16 bytes were allocated, the kernel wrote the first eight.
        assert_eq!(unsafe { host.cast::<u64>().read() }, 42);
        assert_eq!(call!(sys::cuMemFreeHost(host)), Ok(()));
        assert_eq!(call!(sys::cuMemFreeHost(host)), INVALID_VALUE);
    });
}

#[test]
fn the_allocation_of_a_pointer_can_be_queried() {
    within(&Settings::new().devices(2), |_| {
        let context = CudaContext::new(1).expect("a device");
        let address = allocate(100).expect("memory");
        let ask = |attribute| {
            let mut value = 0u64;
            // SAFETY: no queried attribute is larger than eight bytes.
            let result = unsafe { sys::cuPointerGetAttribute((&raw mut value).cast(), attribute, address + 10) };
            code(result).map(|()| value)
        };
        assert_eq!(ask(Ask::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL), Ok(1));
        assert_eq!(ask(Ask::CU_POINTER_ATTRIBUTE_MEMORY_TYPE), Ok(2));
        assert_eq!(ask(Ask::CU_POINTER_ATTRIBUTE_IS_MANAGED), Ok(0));
        assert_eq!(ask(Ask::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR), Ok(address));
        assert_eq!(ask(Ask::CU_POINTER_ATTRIBUTE_RANGE_SIZE), Ok(100));
        assert_eq!(ask(Ask::CU_POINTER_ATTRIBUTE_CONTEXT), Ok(context.cu_ctx() as u64));
        assert_eq!(ask(Ask::CU_POINTER_ATTRIBUTE_HOST_POINTER), Err(1));
        let (free_bytes, total) = context.mem_get_info().expect("the context is healthy");
        assert_eq!(total - free_bytes, 100);
    });
}

/// As driver 580 answers.
#[test]
fn attributes_of_any_address_can_be_queried_together() {
    within(&Settings::new().devices(2), |_| {
        let second = CudaContext::new(1).expect("a device");
        let far = allocate(100).expect("memory");
        let first = CudaContext::new(0).expect("a device");
        first.bind_to_thread().expect("it is alive");
        let near = allocate(64).expect("memory");
        let ask = |address| {
            let mut attributes = [
                Ask::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                Ask::CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                Ask::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                Ask::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                Ask::CU_POINTER_ATTRIBUTE_RANGE_SIZE,
            ];
            let mut values = [0u64; 5];
            let mut data = values.each_mut().map(|value| (&raw mut *value).cast());
            // SAFETY: both arrays have five elements, and no queried attribute is larger than eight bytes.
            let result = unsafe { sys::cuPointerGetAttributes(5, attributes.as_mut_ptr(), data.as_mut_ptr(), address) };
            code(result).map(|()| values)
        };
        assert_eq!(ask(near + 10), Ok([2, near + 10, 0, near, 64]));
        // The current context has no access.
        assert_eq!(ask(far), Ok([2, 0, 1, far, 100]));
        let unknown = Ok([0, 0, u64::from(u32::MAX - 1), 0, 0]);
        assert_eq!(ask(near + 64), unknown);
        assert_eq!(ask(0), unknown);
        second.bind_to_thread().expect("it is alive");
        assert_eq!(ask(far), Ok([2, far, 1, far, 100]));
    });
}

/// Fills whose sizes no memory has do nothing, and end at once.
#[test]
fn fills_of_all_sizes_end() {
    within(&Settings::new(), |_| {
        let context = CudaContext::new(0).expect("a device");
        let memory = context.default_stream().alloc_zeros::<u8>(1024).expect("memory");
        let address = cudarc::driver::DevicePtr::device_ptr(&memory, &context.default_stream()).0;
        for count in [1025, usize::MAX / 2, usize::MAX] {
            assert_eq!(call!(sys::cuMemsetD8_v2(address, 1, count)), INVALID_VALUE);
            assert_eq!(call!(sys::cuMemsetD32_v2(address, 1, count)), INVALID_VALUE);
            assert_eq!(call!(sys::cuMemsetD2D8_v2(address, 0, 1, 1, count)), INVALID_VALUE);
            assert_eq!(call!(sys::cuMemsetD2D8_v2(address, 1, 1, 1, count)), INVALID_VALUE);
            assert_eq!(call!(sys::cuMemsetD2D8_v2(address, 0, 1, 0, count)), Ok(()));
        }
        assert_eq!(call!(sys::cuMemsetD8_v2(address, 3, 1024)), Ok(()));
        assert_eq!(context.default_stream().clone_dtoh(&memory).expect("memory"), [3; 1024]);
    });
}

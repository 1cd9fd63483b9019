use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs};

kernel_args::kernels! {
    mod mirrors = "ptx/mirrors.ptx", debug_info = "ptx/mirrors.debug.ptx";
}

/// The union is at the place of the tag.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Record {
    #[device_type(opaque)]
    operand: u32,
    timestamp: u32,
    tag: u32,
    op: u32,
}

/// The first member is exchanged with the bit fields.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Flags {
    address: u32,
    bits: u32,
    length: u32,
}

/// A member of the base class is missing.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Trace {
    air_id: u32,
    width: u32,
    offset: u32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = mirrors::records)]
struct Records<'a> {
    records: &'a CudaSlice<Record>,
    flags: &'a CudaSlice<Flags>,
    traces: &'a CudaSlice<Trace>,
    out: &'a mut CudaSlice<u32>,
}

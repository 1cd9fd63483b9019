//! The kernels of `ptx/attributes.cu` and `ptx/attributes_sm90.cu`.

use cudarc::driver::{CudaSlice, CudaStream, DeviceRepr, ValidAsZeroBits};
use kernel_args::{Error, Kernel, KernelArgs, Module};
use kernel_args_tests::driver::context;
use std::{error, sync::Arc};

pub(crate) type Outcome<T = ()> = Result<T, Box<dyn error::Error>>;

pub(crate) const ATTRIBUTES: &str = include_str!("../../../../ptx/attributes.ptx");
pub(crate) const SM90: &str = include_str!("../../../../ptx/attributes_sm90.ptx");

/// `cluster_ranks`, `cluster_of_two` and `clusters_up_to_four`: rank and size of its cluster for each block.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/attributes_sm90.ptx", entry = "cluster_ranks")]
pub(crate) struct Ranks<'a> {
    pub(crate) ranks: &'a mut CudaSlice<u32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/attributes.ptx", entry = "grid_barrier")]
pub(crate) struct Barrier<'a> {
    pub(crate) arrived: &'a mut CudaSlice<u32>,
    pub(crate) seen: &'a mut CudaSlice<u32>,
}

/// `busy` and `primary`.
#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/attributes.ptx", entry = "busy")]
pub(crate) struct Busy<'a> {
    pub(crate) times: &'a mut CudaSlice<u64>,
    pub(crate) nanoseconds: u64,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/attributes_sm90.ptx", entry = "dependent")]
pub(crate) struct Dependent<'a> {
    pub(crate) times: &'a mut CudaSlice<u64>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "../ptx/attributes.ptx", entry = "uses")]
pub(crate) struct Uses<'a> {
    pub(crate) out: &'a mut CudaSlice<f32>,
}

pub(crate) fn kernel<A: KernelArgs>(image: &str, entry: &str) -> Result<Kernel<A>, Error> {
    Module::load(&context()?, image)?.kernel(entry)
}

/// A new stream, and zeros in the memory of that stream.
pub(crate) fn zeros<T: DeviceRepr + ValidAsZeroBits>(count: usize) -> Outcome<(Arc<CudaStream>, CudaSlice<T>)> {
    let stream = context()?.new_stream()?;
    let memory = stream.alloc_zeros(count)?;
    Ok((stream, memory))
}

/// The reason why a trial for sm_90 cannot run here.
pub(crate) fn before_sm90() -> Option<&'static str> {
    let major = context().ok()?.compute_capability().ok()?.0;
    (major < 9).then_some("the GPU is older than sm_90")
}

//! Shared code of the suites that check marshalled bytes.

use kernel_args::{
    DevicePointer, KernelArg, KernelArgs,
    args::{Elements, Guard, LaunchStream},
};
use std::slice;

/// The bytes behind each pointer of `kernelParams`.
///
/// # Panics
/// If there are more or fewer pointers than parameters.
#[must_use]
pub fn params<A: KernelArgs>(args: A) -> Vec<Vec<u8>> {
    args.with_kernel_params(|params| {
        assert_eq!(params.len(), A::PARAMETERS.len());
        params
            .iter()
            .zip(A::PARAMETERS)
            .map(|(&from, parameter)| {
                // SAFETY: each pointer is valid for the size of its parameter until this closure returns, and all its
                // bytes are initialized. The memcheck suite checks this.
                unsafe { slice::from_raw_parts(from.cast::<u8>(), parameter.size) }.to_vec()
            })
            .collect()
    })
}

/// An argument that is memory with this number of elements; the largest number means `None`.
#[derive(Clone, Copy, Debug)]
pub struct Memory(pub usize);

impl Elements for Memory {
    fn elements(&self) -> usize {
        self.0
    }
}

impl KernelArg for Memory {
    type Device = DevicePointer<u8>;

    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (Self::Device, Guard<'s>) {
        (DevicePointer::NULL, Guard::NONE)
    }
}

//! The result of an analysis.

use alloc::vec::Vec;
use kernel_args_abi::{
    layout::Alignment,
    signature::{Body, Slot},
};

/// What the body of a kernel does with its parameters.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KernelBody<'t> {
    /// `None` for a parameter without memory, such as a `.texref`.
    pub(super) parameters: Vec<Option<Vec<Slot<'t>>>>,
    pub(super) accesses: Vec<PointerAccess>,
}

/// What a kernel needs of the memory behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PointerAccess {
    /// The index of the parameter.
    pub parameter: usize,
    /// The offset of the pointer in the parameter, in bytes: a multiple of 8.
    pub offset: usize,
    /// The alignment that every access needs: the least, if a kernel chooses between accesses. 1 if the kernel passes the pointer on or
    /// rounds it.
    pub align: Alignment,
    /// Whether an instruction accesses memory at a constant offset from the address that is not negative. Otherwise it can be the end
    /// of memory that the kernel reads backwards.
    pub is_at_start: bool,
    /// Whether every thread of every launch accesses memory at a constant offset: no jump is before the instruction. Then the address
    /// cannot be null.
    pub is_always: bool,
}

impl KernelBody<'_> {
    /// What the body does with each parameter.
    #[must_use]
    pub fn parameters(&self) -> impl ExactSizeIterator<Item = Body<'_>> {
        let parameters = self.parameters.iter();
        parameters.map(|slots| slots.as_ref().map_or(Body::UNKNOWN, |slots| Body::of(slots)))
    }

    /// What it needs of the memory behind each pointer.
    #[must_use]
    pub fn accesses(&self) -> &[PointerAccess] {
        &self.accesses
    }

    /// What it does with the parameter at this index.
    #[must_use]
    pub fn parameter(&self, index: usize) -> Body<'_> {
        self.parameters().nth(index).unwrap_or(Body::UNKNOWN)
    }
}

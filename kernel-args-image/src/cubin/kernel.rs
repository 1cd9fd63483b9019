//! What is read of a cubin and its kernels.

use crate::{directives::Directives, join::add_types, mangled::Demangled, ptx::Pointee};
use alloc::{borrow::Cow, vec::Vec};
use kernel_args_abi::{param_layout::Sm, signature};

/// A cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cubin<'a> {
    /// The GPU generation that it is for.
    pub sm: Sm,
    /// Its kernels, in the order of its symbols.
    pub kernels: Vec<Kernel<'a>>,
}

/// A kernel of a cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Kernel<'a> {
    /// Its symbol: `saxpy`, `_Z5saxpyifPKfPf`.
    pub name: Cow<'a, str>,
    /// In order.
    pub parameters: Vec<Parameter>,
    /// Size of the parameter block in bytes: the end of its last parameter.
    pub size: usize,
    /// What it demands of a launch, except for the directives that cubins do not contain.
    pub directives: Directives,
    /// What it takes of a multiprocessor.
    pub resources: Resources,
}

/// What a kernel takes of a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Resources {
    /// Registers of a thread, where the cubin contains their number.
    pub registers: Option<u32>,
    /// Shared memory of a block whose size the kernel fixes, in bytes: its section `.nv.shared.<symbol>`. A relocatable cubin
    /// does not count what the linker adds.
    pub static_shared: u64,
}

/// The record of one parameter. It tells neither alignment nor type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// From the beginning of the parameter block, in bytes. The GPU generation has its part in it where
    /// alignments are above 16 bytes.
    pub offset: usize,
    /// In bytes. 0 for a texture or surface reference, which takes no argument.
    pub size: usize,
    /// PTX's `.ptr`, where the compiler wrote one: nvcc 13.0 does for sm_100 and newer. From sm_90 on
    /// ptxas makes `.const` of a scalar `.global`. An alignment of 1 is not told from none.
    pub pointee: Option<Pointee>,
}

impl Cubin<'_> {
    /// The same without the file.
    pub(crate) fn into_owned(self) -> Cubin<'static> {
        let kernels = self.kernels.into_iter().map(|kernel| Kernel {
            name: Cow::Owned(kernel.name.into_owned()),
            ..kernel
        });
        Cubin {
            sm: self.sm,
            kernels: kernels.collect(),
        }
    }

    /// How much memory its kernels take, in bytes, about.
    pub(crate) fn weight(&self) -> usize {
        let weight = |kernel: &Kernel<'_>| {
            size_of::<Kernel<'_>>()
                + kernel.name.len()
                + size_of::<Parameter>() * kernel.parameters.len()
        };
        self.kernels.iter().map(weight).sum()
    }

    /// The kernel of this symbol.
    #[must_use]
    pub fn kernel(&self, symbol: &str) -> Option<&Kernel<'_>> {
        self.kernels.iter().find(|kernel| kernel.name == symbol)
    }
}

impl Kernel<'_> {
    /// The parameters in the common model: offsets and sizes from the records, C++ types from
    /// `demangled` where its list is as long as that of the records.
    #[must_use]
    pub fn signature_parameters<'s>(
        &self,
        demangled: Option<&'s Demangled>,
    ) -> Vec<signature::Parameter<'s>> {
        let parameter = |parameter: &Parameter| {
            let mut read = signature::Parameter::record(parameter.offset, parameter.size);
            if parameter.pointee.is_some() && matches!(parameter.size, 4 | 8) {
                read.class = kernel_args_abi::Class::Pointer;
            }
            read
        };
        let mut parameters = self.parameters.iter().map(parameter).collect::<Vec<_>>();
        add_types(&mut parameters, demangled);
        parameters
    }
}

//! What is read of a cubin and its kernels.

use crate::{mangled::Demangled, ptx::Pointee};
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
    /// PTX's `.maxntid`.
    pub max_threads: Option<[u32; 3]>,
    /// PTX's `.reqntid`.
    pub required_threads: Option<[u32; 3]>,
    /// PTX's `.reqnctapercluster`.
    pub required_cluster: Option<[u32; 3]>,
    /// PTX's `.maxclusterrank`: the most blocks of a cluster.
    pub max_cluster_rank: Option<u32>,
    /// PTX's `.explicitcluster`: it must be launched with a cluster.
    pub explicit_cluster: bool,
    /// PTX's `.blocksareclusters`: the grid is counted in clusters.
    pub blocks_are_clusters: bool,
    /// Registers of a thread, where the cubin tells them.
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
    /// What the mangled name tells, or `None` where it is not mangled (`extern "C"`).
    #[must_use]
    pub fn demangle(&self) -> Option<Demangled> {
        Demangled::new(&self.name)
    }

    /// The parameters in the common model: offsets and sizes from the records, C++ types from
    /// `demangled` where its list is as long as that of the records.
    #[must_use]
    pub fn signature_parameters<'s>(
        &self,
        demangled: Option<&'s Demangled>,
    ) -> Vec<signature::Parameter<'s>> {
        let types = demangled.and_then(|name| name.types_of(self.parameters.len()));
        let mut types = types.into_iter().flatten();
        let mut read = |parameter: &Parameter| {
            let mut read = signature::Parameter::record(parameter.offset, parameter.size);
            if parameter.pointee.is_some() && matches!(parameter.size, 4 | 8) {
                read.class = kernel_args_abi::Class::Pointer;
            }
            read.cpp = types.next().unwrap_or(read.cpp);
            read
        };
        self.parameters.iter().map(&mut read).collect()
    }
}

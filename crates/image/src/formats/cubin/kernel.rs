//! The contents of a cubin and its kernels.

use crate::prelude::*;
use crate::{
    code::{VariableSpace, directives::Directives},
    formats::ptx::Pointee,
    mangled::Demangled,
};
use kernel_args_abi::{Sm, signature};

/// A cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Cubin<'a> {
    /// The GPU generation of the code.
    pub sm: Sm,
    /// The kernels, in the order of the symbol table.
    pub kernels: Vec<Kernel<'a>>,
    /// The variables, in the order of the symbol table.
    pub variables: Vec<Variable<'a>>,
}

/// A variable of a cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Variable<'a> {
    /// Its memory.
    pub space: VariableSpace,
    pub(crate) list: Kernel<'a>,
}

impl<'a> Variable<'a> {
    pub(super) fn new(name: &'a str, space: VariableSpace, size: usize) -> Self {
        let value = Parameter {
            // Not an offset: a record has no other number for it.
            offset: space as usize,
            size,
            pointee: None,
        };
        Self {
            space,
            list: Kernel {
                name: Cow::Borrowed(name),
                parameters: [value].into(),
                size,
                directives: Directives::default(),
                resources: Resources::default(),
            },
        }
    }

    /// Returns the symbol.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.list.name
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.list.size
    }
}

/// A kernel of a cubin.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Kernel<'a> {
    /// The symbol: `saxpy`, `_Z5saxpyifPKfPf`.
    pub name: Cow<'a, str>,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The size of the parameter block in bytes.
    pub size: usize,
    /// The requirements for a launch, as far as cubins contain them.
    pub directives: Directives,
    /// What it uses on a multiprocessor.
    pub resources: Resources,
}

/// What a kernel uses on a multiprocessor.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Resources {
    /// The registers per thread, if the cubin contains their number.
    pub registers: Option<u32>,
    /// The statically allocated shared memory per block, in bytes: `.nv.shared.<symbol>`. In a relocatable cubin,
    /// without memory that the linker adds.
    pub static_shared: u64,
}

/// The record of one parameter. It contains neither alignment nor type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Parameter {
    /// The offset in the parameter block, in bytes. For alignments above 16 bytes it depends on the GPU generation.
    pub offset: usize,
    /// The size in bytes. 0 for a texture or surface reference, which takes no argument.
    pub size: usize,
    /// PTX's `.ptr`, which nvcc 13.0 writes for sm_100 and newer. For sm_90 and newer, ptxas changes `.const` of a
    /// scalar to `.global`. An alignment of 1 is the same as none.
    pub pointee: Option<Pointee>,
}

impl Cubin<'_> {
    pub(crate) fn into_owned(self) -> Cubin<'static> {
        fn owned(kernel: Kernel<'_>) -> Kernel<'static> {
            Kernel { name: Cow::Owned(kernel.name.into_owned()), ..kernel }
        }
        let variables =
            self.variables.into_iter().map(|variable| Variable { space: variable.space, list: owned(variable.list) });
        Cubin { sm: self.sm, kernels: self.kernels.into_iter().map(owned).collect(), variables: variables.collect() }
    }

    pub(crate) fn weight(&self) -> usize {
        let weight = |kernel: &Kernel<'_>| {
            size_of::<Kernel<'_>>() + kernel.name.len() + size_of::<Parameter>() * kernel.parameters.len()
        };
        self.kernels.iter().chain(self.variables.iter().map(|variable| &variable.list)).map(weight).sum()
    }

    /// Returns the kernel with this symbol.
    #[must_use]
    pub fn kernel(&self, symbol: &str) -> Option<&Kernel<'_>> {
        self.kernels.iter().find(|kernel| kernel.name == symbol)
    }
}

impl Kernel<'_> {
    /// Returns the parameters in the common model: offsets and sizes, and C++ types from `demangled` if its list has
    /// the same length.
    #[must_use]
    pub fn signature_parameters<'s>(&self, demangled: Option<&'s Demangled>) -> Vec<signature::Parameter<'s>> {
        let parameter = |parameter: &Parameter| {
            let mut read = signature::Parameter::record(parameter.offset, parameter.size);
            if parameter.pointee.is_some() && matches!(parameter.size, 4 | 8) {
                read.class = kernel_args_abi::Class::Pointer;
            }
            read
        };
        Demangled::typed(demangled, self.parameters.iter().map(parameter).collect())
    }
}

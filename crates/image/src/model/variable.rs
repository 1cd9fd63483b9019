//! One variable of an image, from all sources in the image.

use crate::{
    code::variable_space::VariableSpace,
    mangled::Demangled,
    model::kernel::{Kernel, same_sizes},
};
use kernel_args_abi::{Members, Parameter};

/// One variable of an image: `__device__`, `__constant__` or `__managed__`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable<'k> {
    /// Its memory.
    pub space: VariableSpace,
    /// As the only parameter of a list, because all sources describe both alike.
    list: Kernel<'k>,
}

impl<'k> Variable<'k> {
    pub(crate) const fn new(space: VariableSpace, list: Kernel<'k>) -> Self {
        Self { space, list }
    }

    /// With the type from `other`, a debug build of the same source. Unchanged if the sizes differ. Alignments may differ: an optimizing
    /// compiler raises them.
    #[must_use]
    pub fn with_debug_info_of(mut self, other: &Variable<'k>) -> Self {
        let (mut own, others) = (self.list.parameters_without_debug_info(), other.list.parameters_without_debug_info());
        if same_sizes(&own, &others) && other.list.debug_info.complete(&mut own) {
            self.list.debug_info = other.list.debug_info;
        }
        self
    }

    /// The symbol: `table`, `_ZN3sim2dtE`.
    #[must_use]
    pub const fn symbol(&self) -> &'k str {
        self.list.name
    }

    /// The C++ name, if the symbol is mangled.
    #[must_use]
    pub const fn demangled(&self) -> Option<&Demangled> {
        self.list.demangled.as_ref()
    }

    /// Its type in debug information. Requires the feature `debug-info`.
    #[must_use]
    pub const fn debug_info(&self) -> Members<'k> {
        self.list.debug_info
    }

    /// The variable as the only parameter of a list.
    #[doc(hidden)]
    #[must_use]
    pub const fn as_list(&self) -> &Kernel<'k> {
        &self.list
    }

    /// Size, alignment, class and, from debug information, C++ type and members.
    #[must_use]
    pub fn value(&self) -> Option<Parameter<'_>> {
        self.list.parameters().into_iter().next()
    }
}

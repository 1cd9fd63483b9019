//! One variable of an image, from all sources in the image.

use crate::{kernel::Kernel, mangled::Demangled};
use kernel_args_abi::{Members, Parameter};

/// The memory of a variable. CUDA C++ Programming Guide, "Variable Memory Space Specifiers".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum VariableSpace {
    /// `__device__`.
    Global,
    /// `__constant__`: at most 64 KiB in a module.
    Constant,
    /// `__managed__`: the host can access it too.
    Managed,
}

impl VariableSpace {
    const ALL: [Self; 3] = [Self::Global, Self::Constant, Self::Managed];

    /// The memory of a variable in a list: from its PTX declaration, or from the number that a cubin's list has as its offset.
    #[doc(hidden)]
    #[must_use]
    pub fn of(value: &Parameter<'_>) -> Self {
        match value.spelling {
            "" => Self::ALL[value.offset.unwrap_or(0).min(2)],
            constant if constant.starts_with(".const") => Self::Constant,
            managed if managed.contains(".managed") => Self::Managed,
            _ => Self::Global,
        }
    }

    /// CUDA's specifier: `__constant__`.
    #[must_use]
    pub const fn specifier(self) -> &'static str {
        match self {
            Self::Global => "__device__",
            Self::Constant => "__constant__",
            Self::Managed => "__managed__",
        }
    }
}

/// One variable of an image: `__device__`, `__constant__` or `__managed__`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable<'k> {
    /// Its memory.
    pub space: VariableSpace,
    /// The variable as the only parameter of a list, because all sources describe both alike.
    list: Kernel<'k>,
}

impl<'k> Variable<'k> {
    pub(crate) const fn new(space: VariableSpace, list: Kernel<'k>) -> Self {
        Self { space, list }
    }

    /// The variable with the type from the debug information of `other`, a debug build of the same source. Unchanged if the
    /// sizes differ. Alignments may differ: an optimizing compiler raises them.
    #[must_use]
    pub fn with_debug_info_of(mut self, other: &Variable<'k>) -> Self {
        let mut list = self.list.parameters_without_debug_info();
        if other.list.debug_info.complete(&mut list) {
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

    /// The variable as the only parameter of a list.
    #[doc(hidden)]
    #[must_use]
    pub fn into_list(self) -> Kernel<'k> {
        self.list
    }

    /// Size, alignment, class and, from debug information, C++ type and members.
    #[must_use]
    pub fn value(&self) -> Option<Parameter<'_>> {
        self.list.parameters().into_iter().next()
    }
}

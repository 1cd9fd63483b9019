//! The GPUs and drivers that code is for, and its requirements for a launch.

pub(crate) mod directives;
pub(crate) mod release;
pub(crate) mod target;

use kernel_args_abi::Parameter;

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

    /// Returns the memory of a variable in a list: from its PTX declaration, or from the number that a cubin's list has
    /// as its offset.
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

//! What describes kernels and variables: debug information, and names.

use core::ops::Range;
use kernel_args_abi::{Members, Parameter, compiled::CompiledKernel};
use kernel_args_image::{
    dwarf,
    mangled::{Demangled, Spelled},
    same_sizes,
};
use std::borrow::Cow;

/// Debug information about a kernel's parameters, from the image or from the time when the program was compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum DebugInfo {
    /// No debug information: swapped fields and members, and wrong types for an `extern "C"` kernel, are not detected.
    #[default]
    None,
    /// The arguments match the debug information.
    Verified,
    /// The debug information cannot be read, for this reason. The image is still loaded, because the driver can run it,
    /// and verified without debug information. When a program is compiled, this is an error with a help text.
    Unreadable(String),
}

impl DebugInfo {
    /// Completes parameters with debug information: their own, or the information `from_table` that was read when the
    /// program was compiled, if the image has the same parameters for this GPU. `error` is the reason why it cannot be
    /// read.
    pub(super) fn complete<'p>(
        own: &Members<'p>,
        from_table: &'p [Parameter<'p>],
        parameters: &mut [Parameter<'p>],
        error: impl FnOnce() -> Option<dwarf::Error>,
    ) -> Self {
        if own.complete(parameters)
            || same_sizes(parameters, from_table) && Members::of(from_table).complete(parameters)
        {
            return Self::Verified;
        }
        error().map_or(Self::None, |error| Self::Unreadable(error.to_string()))
    }

    pub(super) fn compiled(kernel: &CompiledKernel) -> Self {
        if kernel.has_debug_info() { Self::Verified } else { Self::None }
    }
}

/// The demangled name, and the ranges of its qualified name and its template arguments: see [`Spelled`].
pub(super) struct Name(Cow<'static, str>, Range<usize>, Option<Range<usize>>);

impl Name {
    pub(super) fn of(demangled: &Demangled) -> Self {
        let Spelled { text, name, arguments } = demangled.spelled();
        Self(Cow::Owned(text.into()), name, arguments)
    }

    pub(super) fn compiled(kernel: &CompiledKernel) -> Option<Self> {
        kernel.name_parts().map(|(name, arguments)| Self(Cow::Borrowed(kernel.name()), name, arguments))
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    pub(super) fn spelled(&self) -> Spelled<'_> {
        Spelled { text: &self.0, name: self.1.clone(), arguments: self.2.clone() }
    }
}

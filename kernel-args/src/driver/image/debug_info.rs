//! What describes kernels and variables: debug information, and names.

use core::ops::Range;
use kernel_args_image::mangled::{Demangled, Spelled};
use std::{borrow::Cow, string::String};

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

/// The demangled name, and the ranges of its qualified name and its template arguments: see [`Spelled`].
pub(super) type Name = (Cow<'static, str>, Range<usize>, Option<Range<usize>>);

/// The name of a demangled symbol.
pub(super) fn name_of(demangled: &Demangled) -> Name {
    let Spelled { text, name, arguments } = demangled.spelled();
    (Cow::Owned(text.into()), name, arguments)
}

//! The names of global variables.

use kernel_args_abi::compiled::CompiledKernel;

/// The name of a global variable: a text, or a constant of [`kernels!`](crate::kernels), with which the type is
/// compared when the program is compiled.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the name of a global variable",
    label = "neither a text nor a constant of `kernels!`",
    note = "pass its name, `\"table\"`, or its constant, `kernels::TABLE`"
)]
pub trait GlobalName {
    /// The variable in the table of its image, as a list with one parameter.
    #[doc(hidden)]
    const VARIABLE: Option<CompiledKernel> = None;

    /// Returns the symbol or the C++ name.
    fn name(&self) -> &str;
}

impl GlobalName for &str {
    fn name(&self) -> &str {
        self
    }
}

#[cfg(feature = "cudarc")]
impl GlobalName for &String {
    fn name(&self) -> &str {
        self
    }
}

#[cfg(feature = "cudarc")]
impl GlobalName for String {
    fn name(&self) -> &str {
        self
    }
}

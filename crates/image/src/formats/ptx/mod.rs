//! Reads the kernels of a PTX text: names, parameters and launch bounds.
//!
//! The grammar is the one that ptxas 13.0 accepts, found by testing both sides of each rule. See PTX ISA, "Kernel and
//! Function Directives" and "Performance-Tuning Directives". Bodies are skipped: an invalid instruction is not reported.
//!
//! The two readers in the test driver and in the oracle suite check this reader, so they share no code with it.

#[cfg(feature = "bodies")]
mod body;
#[cfg(feature = "debug-info")]
mod debug;
mod dynamic_shared;
mod entry;
mod error;
mod extent;
mod header;
mod lexer;
mod module;
mod parameter;
mod variable;

#[cfg(feature = "bodies")]
pub use body::{Bodies, KernelBody, PointerAccess};
#[cfg(feature = "debug-info")]
pub(crate) use debug::debug_sections;
pub use entry::Entry;
pub use error::Error;
pub use extent::{begins, extent};
pub use header::{Header, Target};
pub use module::Module;
pub use parameter::{Parameter, Pointee, Space};

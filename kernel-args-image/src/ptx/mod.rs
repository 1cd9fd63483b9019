//! What a PTX text says of its kernels: names, parameters and launch bounds.
//!
//! The grammar is what ptxas 13.0 accepts, found by giving it both sides of each rule; PTX ISA,
//! "Kernel and Function Directives" and "Performance-Tuning Directives". Bodies are skipped, not
//! parsed: an instruction that ptxas refuses is not noticed here.
//!
//! The tests have two more readers, in the stand-in driver and in the oracle suite: they check this one, so they share
//! no code with it.

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

#[cfg(feature = "debug-info")]
pub(crate) use debug::debug_sections;
pub use entry::Entry;
pub use error::Error;
pub use extent::{begins, extent};
pub use header::{Header, Target};
pub use module::Module;
pub use parameter::{Parameter, Pointee, Space};

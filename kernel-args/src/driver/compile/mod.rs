//! Compiling at run time, with NVRTC.

mod architecture;
mod cache;
mod compiler;
mod key;
mod options;
mod source;

pub use options::{CompileOptions, CppStandard};
pub use source::{CacheUse, CompiledSource};

//! The kernels of an image as constants.
//!
//! `kernel_args::kernels!` reads an image while a crate compiles and emits the result as one table of bytes. A
//! [`CompiledKernel`] is an index into this table, decoded on use.
//!
//! | to change | open |
//! |---|---|
//! | the table | `encoder.rs` of `kernel-args-image` writes it, `decode.rs` reads it |
//! | what a pattern of `entries` matches | `glob.rs`; which kernels a pattern finds: `family.rs` |

#[doc(hidden)]
pub mod decode;
#[doc(hidden)]
mod family;
mod fingerprint;
mod fits;
mod glob;
mod image;
mod kernel;
mod names;
mod set;

#[doc(hidden)]
pub use family::{Binding, Family, Found, Presence, Target};
#[doc(hidden)]
pub use fingerprint::{changed, fingerprint, of_length};
#[doc(hidden)]
pub use fits::{RECORD, record};
pub use glob::matches_pattern;
#[doc(hidden)]
pub use image::{Absent, CompiledImage, Readers};
pub use kernel::CompiledKernel;
pub use set::{CompiledKernels, KernelIter};

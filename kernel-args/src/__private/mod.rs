//! What the derives' output names. Not part of the interface.

mod field_errors;
mod kernel;
mod members;
mod parameters;
mod pattern;
mod types;
mod variants;

pub use crate::{device::assert_layout, marshal::ParamWriter};
pub use core;
pub use field_errors::*;
pub use kernel::*;
pub use members::*;
pub use parameters::*;
pub use pattern::*;
pub use types::*;
pub use variants::*;

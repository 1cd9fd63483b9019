//! Items that the output of the derives uses. They are not part of the public interface.
//!
//! Functions that report a mistake panic while rustc evaluates them: `track_caller` is the place of the mistake.
#![allow(
    clippy::must_use_candidate,
    clippy::return_self_not_must_use,
    clippy::missing_panics_doc,
    reason = "only generated code calls these functions"
)]

/// Panics with the text of a template.
macro_rules! fail {
    ($template:ident($($argument:expr),*)) => {{
        let mut message: kernel_args_abi::texts::Message = kernel_args_abi::texts::Message::new();
        kernel_args_abi::texts::templates::$template(&mut message, $($argument),*);
        message.fail()
    }};
}

#[cfg(all(feature = "cudarc", not(feature = "nvrtc")))]
mod compiles;
mod device_repr;
mod field_errors;
mod in_place;
mod kernel;
mod launcher;
mod members;
mod parameters;
mod parts;
mod pattern;
mod types;
mod variants;

#[cfg(feature = "cudarc")]
pub use crate::driver::{
    launch::WithoutStream,
    launcher::{LauncherName, call_launcher, stream_target},
};

pub mod contract {
    pub use crate::contract::*;
}

pub use crate::{
    device::{HasZero, assert_layout, in_memory},
    marshal::{
        CArgument, GlobalName, OpaqueArgument, ParamWriter, Part, Returned, SharedWriteArgument, Spread,
        StreamArgument, StreamParameter, Summary, Within, c_argument, first, returned, stream_argument,
    },
};
#[cfg(all(feature = "cudarc", not(feature = "nvrtc")))]
pub use compiles::CompilesWithNvrtc;
pub use core::{self, option::Option, result::Result};
pub use device_repr::*;
pub use field_errors::*;
pub use in_place::*;
pub use kernel::*;
pub use kernel_args_abi as abi;
pub use launcher::*;
pub use members::*;
pub use parameters::*;
pub use parts::*;
pub use pattern::*;
pub use types::*;
pub use variants::*;

//! Loads kernels and launches them through the CUDA driver, on cudarc's contexts and streams.
//!
//! Each folder imports only from folders below it: from `api`, which holds every driver call, up to `launch`, `graph`,
//! `sequence` and `launcher`.

pub(crate) mod api;
mod attributes;
#[cfg(feature = "nvrtc")]
pub(crate) mod compile;
pub(crate) mod config;
pub(crate) mod context;
pub(crate) mod error;
pub(crate) mod function;
#[cfg(feature = "graphs")]
pub(crate) mod graph;
pub(crate) mod image;
pub(crate) mod launch;
pub(crate) mod launcher;
pub(crate) mod module;
#[cfg(feature = "observe")]
pub(crate) mod observe;
#[cfg(feature = "observe")]
mod pointers;
mod query;
#[cfg(feature = "record")]
pub(crate) mod replay;
#[cfg(feature = "graphs")]
mod run;
#[cfg(feature = "graphs")]
pub(crate) mod sequence;
#[cfg(feature = "textures")]
pub(crate) mod textures;
pub(crate) mod verify;
#[cfg(any(feature = "graphs", feature = "observe"))]
mod watched;

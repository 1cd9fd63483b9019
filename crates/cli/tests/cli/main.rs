//! Runs the program `kernel-args`.

#[allow(dead_code, reason = "tests that need Python are in other suites")]
#[path = "../common/mod.rs"]
mod common;

mod agrees;
mod bodies;
mod broken;
mod check;
mod diff;
mod errors;
mod files;
mod formats;
mod golden;
mod help;
#[cfg(target_os = "linux")]
mod picture;
mod write;

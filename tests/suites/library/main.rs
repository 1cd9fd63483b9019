//! The suites without a GPU, with the standard test harness.

mod arguments;
mod bytes;
mod code;
mod conditions;
mod confused;
mod foreign_symbols;
mod framework;
mod helpers;
mod hygiene;
mod members;
mod misbehaving_driver;
mod newer_drivers;
mod pictures;
mod random_structs;
mod real_bugs;
mod run_time;
mod rust_headers;
mod soundness;
mod verdicts;

//! Code that several benchmarks use.

pub mod batch;
pub mod callgrind;
pub mod chart;
pub mod contracts;
pub mod dims;
pub mod engine;
pub mod graph;
pub mod heap;
pub mod launch;
pub mod launched;
pub mod launchers;
pub mod marshal;
pub mod measured;
pub mod parts;
pub mod report;
mod scale;
pub mod sequence;
pub mod shapes;
pub mod targets;
pub mod versions;
pub mod ways;

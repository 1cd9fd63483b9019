//! What the benchmarks share.

pub mod batch;
pub mod callgrind;
pub mod graph;
pub mod launch;
pub mod launched;
pub mod marshal;
pub mod report;
pub mod shapes;
pub mod versions;

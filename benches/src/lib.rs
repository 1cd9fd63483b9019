//! What the benchmarks share.

pub mod callgrind;
pub mod launch;
pub mod launched;
pub mod marshal;
pub mod shapes;
pub mod versions;

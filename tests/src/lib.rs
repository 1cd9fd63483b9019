//! What the suites share.

pub mod draw;
pub mod driver;
pub mod tally;

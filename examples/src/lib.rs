//! Small programs that a user would start from: see the files beside `Cargo.toml`.

pub mod cudart;

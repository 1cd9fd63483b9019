//! Small programs as a starting point for users: see the files next to `Cargo.toml`.

pub mod cudart;

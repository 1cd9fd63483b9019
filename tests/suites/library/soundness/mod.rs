//! What safe code must not be able to break: memory, and modules that stay loaded.

mod forbid_unsafe;
mod graphs;
mod launches;
mod modules;

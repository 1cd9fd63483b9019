//! The test driver, called like NVIDIA's. One program, because each takes long to link.

#[macro_use]
mod raw;

mod contexts;
mod faults;
mod graph_objects;
mod graphs;
mod launch;
mod memcheck;
mod memory;
mod modules;
mod placement;
mod runtime;
mod session;
mod settings;
mod textures;
mod threads;
mod tracking;

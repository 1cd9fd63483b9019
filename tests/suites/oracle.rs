//! Layouts against NVIDIA's own compiler.
fn main() {}

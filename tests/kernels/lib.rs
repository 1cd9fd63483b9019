//! A crate of kernels: a build script makes their image, and structs in dependent crates name them.
#![no_std]
#![forbid(unsafe_code)]

kernel_args::kernels! {
    /// Kernels that the build script writes.
    pub mod unary = concat!(env!("OUT_DIR"), "/unary.ptx");
    /// C++ kernels: overloads and template instances.
    pub mod typed = "../../ptx/saxpy_typed.ptx";
    pub mod saxpy = "../../ptx/saxpy.ptx";
}

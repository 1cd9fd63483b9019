//! A crate of kernels: a build script makes their image, and structs in dependent crates name them.
#![no_std]
#![forbid(unsafe_code)]

kernel_args::kernels! {
    /// Kernels that the build script writes.
    pub mod unary = concat!(env!("OUT_DIR"), "/unary.ptx");
    /// A framework in small: 30 families for ten element types, compiled for `sm_86`, which lacks fp8.
    pub mod framework = concat!(env!("OUT_DIR"), "/framework.ptx");
    /// C++ kernels: overloads and template instances.
    pub mod typed = "../../../ptx/saxpy_typed.ptx";
    pub mod saxpy = "../../../ptx/saxpy.ptx";
}

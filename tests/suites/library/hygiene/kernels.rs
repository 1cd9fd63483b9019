//! `kernels!` in hostile surroundings, and structs that name kernels of a different crate.

#![allow(dead_code, reason = "that the structs are compared while this compiles is the point")]

use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};
use kernel_args_test_kernels::{self as crate_of_kernels, typed, unary};

mod facade {
    pub(crate) use kernel_args as args;
}

/// Lints that a user may deny or forbid: none fires in the generated module.
#[deny(
    warnings,
    missing_docs,
    non_upper_case_globals,
    unreachable_pub,
    dead_code,
    unused_qualifications,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::restriction
)]
#[allow(
    clippy::blanket_clippy_restriction_lints,
    clippy::arbitrary_source_item_ordering,
    clippy::pub_with_shorthand,
    clippy::pub_without_shorthand,
    clippy::allow_attributes,
    reason = "about this file"
)]
mod denied {
    kernel_args::kernels! {
        /// In a private module.
        mod private = "../ptx/echo_scalars.ptx";
        /// In a public module.
        pub mod public = "../ptx/saxpy_typed.ptx";
        pub(crate) mod undocumented = "../ptx/saxpy.ptx";
        /// With structs.
        pub mod generated = "../crates/image/tests/data/debug.ptx", generate;
        mod unused = "../ptx/generated.debug.ptx", generate(pointers = raw);
    }
}

#[forbid(missing_docs, non_upper_case_globals, unreachable_pub, unsafe_code, unused_qualifications)]
mod forbidden {
    kernel_args::kernels! { pub mod public = "../ptx/saxpy_typed.ptx"; }
}

/// Attributes that are valid on the derives are also valid on the generated structs.
#[forbid(missing_docs, non_upper_case_globals, unsafe_code, unused_imports)]
mod forbidden_of_structs {
    kernel_args::kernels! {
        pub mod public = "../ptx/saxpy_typed.ptx", generate;
        /// With variables.
        pub mod variables = "../ptx/globals.ptx";
    }
}

/// Even `Clone` is not in scope.
mod without_prelude {
    #![no_implicit_prelude]
    ::kernel_args::kernels! { pub(crate) mod generated = "../crates/image/tests/data/debug.ptx", generate; }
}

#[allow(non_camel_case_types, unused_macros, reason = "the names of what they shadow, which nothing refers to")]
mod shadowed {
    mod core {}
    mod std {}
    mod kernel_args {}
    struct Option;
    struct CompiledKernel;
    struct CompiledKernels;
    type u8 = ();
    macro_rules! include_bytes {
        ($path:expr) => {
            compile_error!("a user's own `include_bytes!` was called")
        };
    }
    macro_rules! env {
        ($path:expr) => {
            compile_error!("a user's own `env!` was called")
        };
    }
    ::kernel_args::kernels! {
        pub(super) mod r#type = concat!(env!("CARGO_MANIFEST_DIR"), "/../ptx/saxpy.ptx"), generate;
    }
}

kernel_args::kernels! {
    crate = crate::hygiene::kernels::facade::args;
    mod behind_facade = "../ptx/saxpy.ptx";
    mod structs_behind_facade = "../crates/image/tests/data/debug.ptx", generate;
}

#[derive(facade::args::KernelArgs)]
#[kernel_args(crate = facade::args, kernel = behind_facade::saxpy)]
struct BehindFacade {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = crate_of_kernels::saxpy::saxpy)]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
    #[kernel_args(skip)]
    label: &'a str,
}

/// Through the path of the file, with either name.
#[derive(KernelArgs)]
#[kernel_args(image = concat!(env!("CARGO_MANIFEST_DIR"), "/../ptx/", "saxpy.ptx"), entry = "saxpy")]
struct ByPath {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

/// A cubin contains sizes and offsets; its symbols contain the types.
#[derive(KernelArgs)]
#[kernel_args(image = "../crates/image/tests/data/kernels.sm_75.cubin", entry = "saxpy")]
struct ByCubin {
    n: i32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

kernel_args::kernels! {
    mod compressed = "../crates/image/tests/data/one.size.fatbin";
    mod cubin = "../crates/image/tests/data/kernels.sm_100.cubin";
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct F4([f32; 4]);

#[derive(KernelArgs)]
#[kernel_args(kernel = cubin::fill)]
struct Fill {
    to: DevicePointerMut<f32>,
    value: f32,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = typed::saxpy)]
struct Typed<'a, T: DeviceType> {
    n: i32,
    alpha: T,
    x: DevicePointer<T>,
    y: DevicePointerMut<T>,
    #[kernel_args(skip)]
    label: &'a str,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = unary, entries = "u*", T = f32 => "_f32", T = f64 => "_f64")]
struct Unary<'a, T: DeviceType> {
    n: u32,
    x: T,
    y: DevicePointer<T>,
    #[kernel_args(skip)]
    label: &'a str,
}

#[derive(KernelArgs)]
#[kernel_args(
    kernel = unary, entries = "cast_*",
    T = f32 => "_f32", T = f64 => "_f64", U = f32 => "_f32", U = f64 => "_f64"
)]
struct Cast<T: DeviceType, U: DeviceType> {
    from: T,
    to: U,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = unary, entries = "u*_f3?")]
struct Floats {
    n: u32,
    x: f32,
    y: DevicePointer<f32>,
}

#[test]
fn a_struct_names_a_kernel_of_another_crate() {
    let source = Saxpy::SOURCE.expect("it names its kernel");
    assert_eq!(source.entry, "saxpy");
    assert_eq!(source.image, crate_of_kernels::saxpy::IMAGE.bytes());
    assert_eq!(ByPath::SOURCE, Some(source));
    assert_eq!(BehindFacade::SOURCE, Some(source));
    assert_eq!(ByCubin::SOURCE.map(|source| source.entry), Some("_Z5saxpyifPKfPf"));
    assert_eq!(Fill::SOURCE.map(|source| source.entry), Some("_Z4fillIfLi4EEvPT_S0_"));
}

#[test]
fn the_overload_that_fits_is_chosen_in_another_crate() {
    let entry = |source: Option<kernel_args::args::Source>| source.map(|source| source.entry);
    assert_eq!(entry(Typed::<f32>::SOURCE), Some("_Z5saxpyifPKfPf"));
    assert_eq!(entry(Typed::<f64>::SOURCE), Some("_Z5saxpyidPKdPd"));
}

#[test]
fn a_pattern_names_no_single_kernel() {
    assert_eq!(Unary::<f32>::SOURCE, None);
    assert_eq!(Floats::SOURCE, None);
    assert_eq!(Cast::<f32, f64>::SOURCE, None);
}

#[test]
fn the_kernels_of_a_crate_are_constants() {
    const SYMBOL: &str = unary::uexp_f32.symbol();
    const PARAMETERS: [kernel_args::abi::Parameter<'static>; unary::uexp_f64.parameter_count()] =
        unary::uexp_f64.parameter_array();
    assert_eq!(SYMBOL, "uexp_f32");
    assert_eq!(PARAMETERS[1].size, 8);
    assert_eq!(unary::KERNELS.len(), 9);
    assert_eq!(compressed::KERNELS.len(), 1);
    assert_eq!(shadowed::r#type::KERNELS.len(), 1);
    assert_eq!(typed::saxpy.len(), 4);
    assert_eq!(typed::saxpy_float.name(), "void saxpy<float>(int, float, float const*, float*)");
}

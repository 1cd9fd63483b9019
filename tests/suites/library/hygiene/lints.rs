//! User code with lints that a user may deny: none fires in the expansion.
#![deny(
    missing_docs,
    missing_debug_implementations,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    single_use_lifetimes,
    trivial_bounds,
    trivial_casts,
    trivial_numeric_casts,
    unreachable_pub,
    unsafe_code,
    unsafe_op_in_unsafe_fn,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    variant_size_differences,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    let_underscore_drop,
    redundant_lifetimes,
    absolute_paths_not_starting_with_crate,
    unit_bindings,
    private_interfaces,
    private_bounds,
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    clippy::cargo,
    clippy::restriction
)]
#![allow(
    clippy::blanket_clippy_restriction_lints,
    clippy::cargo_common_metadata,
    clippy::multiple_crate_versions,
    clippy::wildcard_dependencies,
    clippy::tests_outside_test_module,
    clippy::missing_docs_in_private_items,
    clippy::single_call_fn,
    clippy::std_instead_of_alloc,
    clippy::std_instead_of_core,
    clippy::absolute_paths,
    clippy::missing_inline_in_public_items,
    clippy::exhaustive_structs,
    clippy::exhaustive_enums,
    clippy::question_mark_used,
    clippy::pub_with_shorthand,
    clippy::pub_without_shorthand,
    clippy::field_scoped_visibility_modifiers,
    clippy::min_ident_chars,
    clippy::arbitrary_source_item_ordering,
    clippy::mod_module_files,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::implicit_return,
    clippy::default_numeric_fallback,
    clippy::single_char_lifetime_names,
    clippy::separated_literal_suffix,
    clippy::redundant_pub_crate,
    reason = "about the code of this file, or about the workspace"
)]

use core::marker::PhantomData;
use cudarc::driver::CudaSlice;
use kernel_args::{DeviceType, KernelArgs, vector::Float3};

/// A device type.
#[derive(Clone, Copy, Debug, DeviceType)]
#[repr(C)]
pub(crate) struct Plane {
    /// Its normal.
    pub normal: Float3,
    /// Its distance.
    pub distance: f32,
}

/// A device type with padding and a parameter.
#[derive(Clone, Copy, Debug, DeviceType)]
#[repr(C)]
pub(crate) struct Padded<T> {
    /// Before the padding.
    pub small: u8,
    /// After the padding.
    pub large: T,
}

/// A device type with one field.
#[derive(Clone, Copy, Debug, DeviceType)]
#[repr(transparent)]
pub(crate) struct Index(pub u32);

/// An enum.
#[derive(Clone, Copy, Debug, DeviceType)]
#[repr(u8)]
pub(crate) enum Side {
    /// One variant.
    Above,
}

/// Arguments.
#[derive(Debug, KernelArgs)]
pub(crate) struct Args<'a, 'b, T: DeviceType, const N: usize> {
    /// A struct by value.
    pub plane: Plane,
    /// A struct by value, with padding.
    pub padded: Padded<T>,
    /// An array.
    pub array: [Index; N],
    /// An enum.
    pub side: Side,
    /// Memory that is read.
    pub input: Option<&'a CudaSlice<T>>,
    /// Memory that is written.
    pub output: Option<&'b mut CudaSlice<T>>,
    /// A field without data.
    #[kernel_args(skip)]
    pub nothing: PhantomData<T>,
}

/// Arguments that are compared with a kernel.
#[derive(Debug, KernelArgs)]
#[kernel_args(ptx = "../ptx/vector_add.ptx", entry = "vector_add")]
pub(crate) struct Add<'a> {
    /// A summand.
    pub a: &'a CudaSlice<f32>,
    /// The second summand.
    pub b: &'a CudaSlice<f32>,
    /// The sum.
    pub c: &'a mut CudaSlice<f32>,
    /// The number of elements.
    pub n: u32,
}

/// Arguments without fields.
#[derive(Debug, KernelArgs)]
pub(crate) struct Nothing;

#[test]
fn the_expansion_fires_no_lint() {
    let args = Args {
        plane: Plane { normal: Float3::new(1.0, 2.0, 3.0), distance: 4.0 },
        padded: Padded { small: 1, large: 2_u16 },
        array: [Index(3)],
        side: Side::Above,
        input: None,
        output: None,
        nothing: PhantomData,
    };
    let size = args.with_packed(<[u8]>::len);
    assert_eq!(size, 48, "the block has no tail padding");
    assert!(Nothing.with_packed(<[u8]>::is_empty), "nothing is nothing");
    assert!(Add::SOURCE.is_some(), "it names its kernel");
}

//! `#[derive(KernelArgs)]` and `#[derive(DeviceType)]`, see the crate `kernel-args`.
//!
//! A derive sees tokens, not types: it lists fields and spans, and leaves all layout arithmetic to
//! constants that rustc evaluates.
#![forbid(unsafe_code)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod attr;
mod diagnostics;
mod erase;
mod expand;
mod field_errors;
mod generics;
mod input;
mod ptx;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct the arguments of a kernel: field by field, in the kernel's order.
///
/// It implements `kernel_args::KernelArgs`, for named, tuple and unit structs with any lifetimes, type
/// and const parameters; a type parameter gets the bound `DeviceType`.
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[kernel_args(skip)]` | field | not a parameter of the kernel |
/// | `#[kernel_args(opaque)]` | field | only size and alignment are compared with the kernel's |
/// | `#[kernel_args(ptx = "kernels.ptx", entry = "saxpy")]` | struct | compared with this kernel while it compiles; the path is from the crate's root |
/// | `#[kernel_args(crate = path)]` | struct | where `kernel_args` is found, for re-exports |
#[proc_macro_derive(KernelArgs, attributes(kernel_args))]
pub fn derive_kernel_args(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::kernel_args(&input).into()
}

/// Makes a struct or enum a device type: something that a kernel takes by value.
///
/// It implements `kernel_args::DeviceType`, for `repr(C)` and `repr(transparent)` structs of device
/// types and for fieldless enums with an integer `repr`. Where the host lays a struct out in another
/// way than the device, that is an error at the field.
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[device_type(cpp = "sim::Params")]` | struct, enum | its name in C++, where that is another than in Rust |
/// | `#[device_type(crate = path)]` | struct, enum | where `kernel_args` is found, for re-exports |
#[proc_macro_derive(DeviceType, attributes(device_type))]
pub fn derive_device_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::device_type(&input).into()
}

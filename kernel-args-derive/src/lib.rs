//! The derive macros of the crate [`kernel-args`](https://docs.rs/kernel-args). Use them through that crate, which
//! re-exports them.
//!
//! A derive sees tokens, not types. So it lists the fields and their spans, and leaves all layout arithmetic to constants
//! that rustc evaluates.
#![forbid(unsafe_code)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod attr;
mod diagnostics;
mod erase;
mod expand;
mod field_errors;
mod generics;
mod image;
mod input;
mod kernels;
mod path;
mod texts;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct the arguments of a kernel: one field for each parameter, in the kernel's order.
///
/// It implements `kernel_args::KernelArgs`. The struct has named fields, unnamed fields or none, and any lifetime, type and
/// const parameters; each type parameter gets the bound `DeviceType`.
///
/// ```
/// use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};
///
/// // __global__ void saxpy(unsigned n, float alpha, float const* x, float* y)
/// #[derive(KernelArgs)]
/// #[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")]
/// struct Saxpy {
///     n: u32,
///     alpha: f32,
///     x: DevicePointer<f32>,
///     y: DevicePointerMut<f32>,
///     #[kernel_args(skip)]
///     label: &'static str,
/// }
///
/// assert_eq!(Saxpy::PARAMETERS.len(), 4);
/// ```
///
/// Because of `ptx = …` this does not compile if a field does not fit the kernel:
///
/// ```compile_fail,E0080
/// # use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};
/// #[derive(KernelArgs)]
/// #[kernel_args(ptx = "ptx/saxpy.ptx", entry = "saxpy")]
/// struct Saxpy {
///     n: u32,
///     alpha: f64, // the kernel takes a `float`
///     x: DevicePointer<f32>,
///     y: DevicePointerMut<f32>,
/// }
/// ```
///
/// # Attributes
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[kernel_args(ptx = "kernels.ptx", entry = "saxpy")]` | struct | compare the fields with this kernel at compile time; the path is relative to the package's `Cargo.toml` |
/// | `#[kernel_args(skip)]` | field | the field is not a parameter of the kernel |
/// | `#[kernel_args(opaque)]` | field | compare only the size and the alignment of the field, not its type |
/// | `#[kernel_args(crate = path)]` | struct | the path of the crate `kernel_args`, if it is re-exported. The code behind this path is trusted like `kernel_args` itself: the implementation relies on it for memory safety |
#[proc_macro_derive(KernelArgs, attributes(kernel_args))]
pub fn derive_kernel_args(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::kernel_args(&input).into()
}

/// Makes a struct or an enum a device type: a type that a kernel takes by value.
///
/// It implements `kernel_args::DeviceType` for structs with `repr(C)` or `repr(transparent)` whose fields are device types,
/// and for enums without fields that have an integer `repr`. If the host lays the struct out differently from the device,
/// that is an error at the field.
///
/// ```
/// use kernel_args::{DeviceType, Float4, KernelArgs};
///
/// // struct Light { float intensity; float4 direction; };
/// #[derive(Clone, Copy, DeviceType)]
/// #[repr(C)]
/// struct Light {
///     intensity: f32,
///     direction: Float4,
/// }
///
/// // namespace render { enum class Mode : unsigned char { Fast, Exact }; }
/// #[derive(Clone, Copy, DeviceType)]
/// #[device_type(cpp = "render::Mode")]
/// #[repr(u8)]
/// enum Mode {
///     Fast,
///     Exact,
/// }
///
/// // __global__ void shade(Light light, render::Mode mode)
/// #[derive(KernelArgs)]
/// struct Shade {
///     light: Light,
///     mode: Mode,
/// }
///
/// // `float4` is aligned to 16 bytes, so there are 12 bytes of padding before it.
/// assert_eq!(Light::LAYOUT.size(), 32);
/// assert_eq!(Shade::PARAMETERS[1].offset, Some(32));
/// ```
///
/// # Attributes
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[device_type(cpp = "sim::Params")]` | struct, enum | the name of the type in C++, if it differs from the name in Rust |
/// | `#[device_type(crate = path)]` | struct, enum | the path of the crate `kernel_args`, if it is re-exported. The code behind this path is trusted like `kernel_args` itself: the implementation relies on it for memory safety |
#[proc_macro_derive(DeviceType, attributes(device_type))]
pub fn derive_device_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::device_type(&input).into()
}

/// The kernels of an image as items.
#[proc_macro]
pub fn kernels(input: TokenStream) -> TokenStream {
    kernels::kernels(input.into()).into()
}

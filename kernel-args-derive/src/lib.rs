//! The macros of the crate [`kernel-args`](https://docs.rs/kernel-args). Use them through that crate, which
//! re-exports them.
//!
//! A derive sees tokens, not types. So it lists the fields and their spans, and leaves all layout arithmetic to constants
//! that rustc evaluates. `kernels!` reads an image and emits an item for each of its kernels.
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
mod spelling;
mod texts;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct the arguments of a kernel: one field for each parameter, in the kernel's order.
///
/// It implements `kernel_args::KernelArgs`. The struct has named fields, unnamed fields or none, and any lifetime, type and
/// const parameters; each type parameter gets the bound `DeviceType`, unless the struct itself declares it to be a
/// `KernelArg`, or `bound` says otherwise.
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
/// # Kernels that are chosen at run time
///
/// A pattern stands for all kernels whose names match it: `*` for any characters, `?` for one. A kernel's names are its symbol and,
/// of `void sim::step<float>(int)`, `sim::step<float>`, `step<float>`, `sim::step` and `step`. The struct is compared with all of
/// them. A type parameter is bound to the end of the names:
///
/// ```
/// # use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};
/// kernel_args::kernels! { mod typed = "ptx/saxpy_typed.ptx"; }
///
/// #[derive(KernelArgs)]
/// #[kernel_args(kernel = typed, entries = "saxpy<*>", T = f32 => "<float>", T = f64 => "<double>")]
/// struct Saxpy<T: DeviceType> {
///     n: i32,
///     alpha: T,
///     x: DevicePointer<T>,
///     y: DevicePointerMut<T>,
/// }
/// ```
///
/// `Saxpy<f32>` is compared with the kernels that match and end with `<float>`. Where there are several parameters, the ends that
/// they are bound to follow one another in the order of the parameters (`"_f32"` and `"_f64"`: `cast_f32_f64`); combinations that
/// no kernel has are left out, but each binding is used by one. The kernel is named at run time: `module.kernel::<Saxpy<f32>>(entry)`.
///
/// # Attributes
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[kernel_args(kernel = module::saxpy)]` | struct | compare the fields with this kernel at compile time: an item that [`kernels!`] emits, of any crate. Of the overloads and instances of one name the one that fits is taken |
/// | `#[kernel_args(ptx = "kernels.ptx", entry = "saxpy")]` | struct | a shorthand of the same for a small file: compare with this kernel of this image. The path is as in [`kernels!`]; `image = …` is the same as `ptx = …`. rustc reads the file once for each struct |
/// | `#[kernel_args(ptx = …, debug_info = "kernels.debug.ptx")]` | struct | compare with the debug information of this file as well, or do without the image's own where it cannot be read, `debug_info = if_readable`: as in [`kernels!`] |
/// | `#[kernel_args(kernel = module, entries = "uexp_*")]` | struct | compare the fields with every kernel whose name matches the pattern: see below |
/// | `#[kernel_args(bound = "T: DeviceType")]` | struct | the bounds of the type parameters in place of those that the derive would write, as in serde: a list of `where` predicates, which may be empty |
/// | `#[kernel_args(skip)]` | field | the field is not a parameter of the kernel |
/// | `#[kernel_args(opaque)]` | field | compare only the size and the alignment of the field, not its type |
/// | `#[kernel_args(name = "in")]` | field | the field is this parameter of the kernel, whatever its own name is. Where debug information tells the kernel's names, another parameter in its place is an error, and so is a name that the kernel does not have |
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
/// A kernel's image tells the name, the size and the alignment of a struct. Its members are compared, one by one, where debug
/// information tells them ([`kernels!`]: `debug_info`): by where they lie and what they are, however they are grouped, and by their
/// names where two of one type are exchanged. Each variant of an enum must have a value of the kernel's enum, under the same name
/// if the kernel's has that name; the kernel's may have more. A field where the kernel's struct has padding is padding too; a union or a struct
/// with bit fields or base classes agrees with everything in its place.
///
/// ```
/// use kernel_args::{DeviceType, KernelArgs, vector::Float4};
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
/// # In device memory
///
/// If `kernel-args` has the feature `cudarc`, the derive also implements cudarc's `DeviceRepr`, so that `CudaSlice<Light>` can be
/// allocated, copied to the device and read back, and its `ValidAsZeroBits` (`alloc_zeros`), if zero bytes are a value of the
/// type: a struct of which that is true for all fields, an enum with a variant that is 0. Reading back trusts the kernels that
/// wrote to the memory: the promise of each launch includes that they write only discriminants to an enum.
///
/// If these impls exist already, written by hand, rustc reports conflicting implementations (E0119): remove them, or write
/// `#[device_type(skip_device_repr)]` on the type.
///
/// # Attributes
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[device_type(cpp = "sim::Params")]` | struct, enum | the name of the type in C++, if it differs from the name in Rust |
/// | `#[device_type(name = "in")]` | field | the field is this member of the kernel's struct, whatever its own name is |
/// | `#[device_type(opaque)]` | field | compare only the place and the size of the field |
/// | `#[device_type(skip_device_repr)]` | struct, enum | do not implement cudarc's `DeviceRepr` and `ValidAsZeroBits` |
/// | `#[device_type(crate = path)]` | struct, enum | the path of the crate `kernel_args`, if it is re-exported. The code behind this path is trusted like `kernel_args` itself: the implementation relies on it for memory safety |
#[proc_macro_derive(DeviceType, attributes(device_type))]
pub fn derive_device_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::device_type(&input).into()
}

/// The kernels of an image as items, which `#[kernel_args(kernel = …)]` names.
///
/// ```
/// use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};
///
/// kernel_args::kernels! {
///     /// Attributes and documentation stay.
///     pub mod saxpy = "ptx/saxpy.ptx";
/// }
///
/// #[derive(KernelArgs)]
/// #[kernel_args(kernel = saxpy::saxpy)]
/// struct Saxpy {
///     n: u32,
///     alpha: f32,
///     x: DevicePointer<f32>,
///     y: DevicePointerMut<f32>,
/// }
///
/// assert_eq!(saxpy::saxpy.symbol(), "saxpy");
/// assert_eq!(saxpy::KERNELS.len(), 1);
/// assert!(saxpy::IMAGE.bytes().starts_with(b"//"));
/// ```
///
/// The image is PTX, a cubin or a fat binary, compressed or not. Its path is relative to the folder of the crate's `Cargo.toml`, or
/// absolute. It is a string literal, or `concat!` and `env!` of literals, such as `concat!(env!("OUT_DIR"), "/kernels.ptx")` for a
/// file that a build script writes. The crate is compiled again when the file or a variable changes. The file is read once, however
/// many structs in however many crates name its kernels.
///
/// # Debug information
///
/// Names of parameters, C++ types of `extern "C"` kernels and the members of structs are in the debug information of an image that
/// was compiled with `nvcc -G` or NVRTC's `--device-debug`. An optimised image has none, but the same parameters, so a debug build of
/// the same source describes it:
///
/// ```
/// kernel_args::kernels! {
///     pub mod shade = "ptx/shade.ptx", debug_info = "ptx/shade.debug.ptx";
/// }
///
/// assert_eq!(shade::shade.parameter(0).name, "in");
/// assert_eq!(shade::shade.parameter(3).members.len(), 5);
/// ```
///
/// The second file is PTX, a cubin or a fat binary, at a path as above. It is read for the comparison alone: it is not in the
/// program. The crate is compiled again when it changes. It is an error if it does not describe each kernel of the image, or
/// describes one with other parameters.
///
/// An image may have debug information itself. If that cannot be read (it is damaged or compressed, or a compiler describes other
/// parameters than the kernel has), names, types and members would not be compared, and that is an error too, for the kernels that a
/// struct or module names. `debug_info = if_readable` in the place of a file says to do without what cannot be read. At run time,
/// where a program cannot choose another image, such an image is loaded, and `Verification` tells it.
///
/// Several modules may stand in one `kernels!`. Where the crate `kernel_args` is re-exported, begin with its path, from the root of
/// the crate: `kernels! { crate = crate::facade::kernel_args; pub mod … }`.
///
/// # What a module holds
///
/// | item | |
/// |---|---|
/// | `IMAGE: &'static CompiledImage` | the image, for `Module::load`; `IMAGE.bytes()` are its bytes |
/// | `KERNELS: CompiledKernels` | all kernels |
/// | one `CompiledKernel` for each kernel | with its parameters in its documentation |
/// | one `CompiledKernels` for each name of several kernels | a struct that names it is compared with the one that it fits |
///
/// A cubin tells only where parameters lie and how large they are; the mangled name of a C++ kernel tells their types. A fat binary
/// tells what its PTX and its cubins do. If it has a kernel with other parameters for other GPUs, a struct that names this kernel
/// does not compile.
///
/// # Structs that are generated
///
/// With the option `generate` a module also holds a struct with `#[derive(KernelArgs)]` for each of its kernels, and a device type
/// for each struct and enum that these take or point to. Each names its kernel, with which it is compared like one that is
/// written by hand.
///
/// ```ignore
#[doc = include_str!("kernels/generated.example")]
/// ```
///
/// Debug information tells the names of parameters, the members of structs and the values of enums: with it, in the image or in the
/// file of `debug_info`, fields are called as in C++. Of what is pointed to, compilers describe what the kernel's body uses.
/// Without it fields are `arg0`, `arg1`…, and a struct by value is bytes; an `extern "C"` kernel has unsigned integers for integers
/// and pointers.
///
/// A pointer is a slice of cudarc's, `&'a CudaSlice<T>` or `&'a mut CudaSlice<T>`. With `generate(pointers = raw)`, and without the
/// feature `cudarc`, it is a `DevicePointer<T>` or `DevicePointerMut<T>`; so is one to `void` or to what the image does not describe
/// in either case. Types of `half` and `float8` need these features: without them they are structs of their bits.
///
/// A struct is named after its kernel's item (`saxpy` is `Saxpy`, `saxpy_float` is `SaxpyFloat`), a type after its C++ name without
/// namespaces. The module `generate` of the crate `kernel-args-codegen` writes them, and tells the rules for all types and names. A
/// kernel that an image has with other parameters for other GPUs has no struct.
///
/// An enum of Rust has no values but its variants. An argument is written by the host alone, so it holds one of them; memory of an
/// enum that a kernel has written to must, too, when it is read back.
///
/// # Names
///
/// An item has the kernel's name without namespaces. Of a C++ kernel that is a template, or has overloads, this is the name of all
/// of them, and each has an item of its own:
///
/// | kernel | item |
/// |---|---|
/// | `saxpy` (`extern "C"`), or `sim::saxpy(int)` without overloads | `saxpy` |
/// | an instance, `void saxpy<float, 4>(int)` | `saxpy_float_4` |
/// | one of several overloads, `saxpy(int, float const*)` | `saxpy_int_float_const_ptr` |
/// | instances that would have the same name | with the types of their parameters as well |
/// | what would have the same name then, or one above 100 bytes | with a number that depends on its symbol |
/// | a name that is a keyword | `r#type`; `self_` for `self`, `Self`, `super`, `crate` and `_` |
/// | `IMAGE`, `KERNELS`, `__BYTES`, `__TABLE`, `__IMAGE` | with `_` behind it |
///
/// `*` is spelled `ptr`, `&` is `ref`, `-` is `minus`, and what an identifier cannot have is `_`. The item of an instance does not
/// depend on which others there are.
#[proc_macro]
pub fn kernels(input: TokenStream) -> TokenStream {
    kernels::kernels(input.into()).into()
}

//! The macros of the crate [`kernel-args`](https://docs.rs/kernel-args). Use them through that crate, which re-exports
//! them.
#![forbid(unsafe_code)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![cfg_attr(not(feature = "kernels"), allow(dead_code, reason = "paths of images are parsed, but not read"))]

mod attr;
mod diagnostics;
mod erase;
mod expand;
mod field_errors;
mod generics;
#[cfg(feature = "kernels")]
mod image;
mod input;
#[cfg(feature = "kernels")]
mod kernels;
#[cfg(all(feature = "kernels", feature = "debug-info"))]
mod launchers;
mod path;
mod repeated;
mod spelling;
mod texts;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct the arguments of a kernel: one field per parameter, in the kernel's order.
///
/// It implements `kernel_args::KernelArgs`. The struct may have any kind of fields, and lifetime, type and const
/// parameters. Each type parameter gets the bound `DeviceType`, unless the struct declares it as a `KernelArg`, or
/// `bound` overrides the bounds.
///
/// A macro in the type of a field is an error, because the derived code uses the type several times: write
/// `type Name = the_macro!();`. The struct, or any part of it, may come from a macro.
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
/// # Kernels chosen at run time
///
/// A pattern selects all kernels with a matching name: `*` matches any characters, `?` matches one. The names of a
/// kernel are its symbol and, for `void sim::step<float>(int)`, `sim::step<float>`, `step<float>`, `sim::step` and
/// `step`. The struct is compared with every matching kernel. A type parameter is bound to a suffix of the names:
/// `#[kernel_args(kernel = typed, entries = "saxpy<*>", T = f32 => "<float>", T = f64 => "<double>")]`.
///
/// `Saxpy<f32>` is compared with the matching kernels whose names end with `<float>`. With several parameters, the
/// suffixes are joined in the order of the parameters: `"_f32"` and `"_f64"` form `cast_f32_f64`. Combinations without
/// a kernel are skipped. Choose the kernel at run time: `module.family::<Saxpy<f32>>("saxpy")` appends the suffix of
/// the binding. `kernel_args::guide::dtypes` has all forms of patterns and bindings, and what must have a kernel.
///
/// # Contracts
///
/// What a kernel requires of its arguments and its launch. Each launch checks it, and each node of a graph.
/// `kernel_args::guide::contracts` has examples, and documents expressions and details.
///
/// | contract | on | the launch requires |
/// |---|---|---|
/// | `len = "rows * cols"` | slice, view, `Retained`, or an `Option` of one | at least this number of elements |
/// | `len = "n", capacity = "size"` | any pointer, such as `DevicePointer` | `capacity`, the number of elements of its memory, is at least `len` |
/// | `multiple_of = 4` | integer | a multiple |
/// | `range = "1..=65535"` | integer | a value of this range: also `"0..n"`, `"1.."`, `"..=10"` |
/// | `as = i32` | integer | the value fits into an `i32`, the type of the kernel's parameter |
/// | `block = (32, 8)` | struct | exactly this block |
/// | `block_multiple_of = 32`, `= (8, 4)` | struct | the threads of the block, or along each axis, are a multiple |
/// | `max_block = 256`, `= (32, 8)` | struct | at most this number of threads, or along each axis |
/// | `grid_covers = "n"`, `= ("width", "height")` | struct | the grid has at least this number of threads, in total or along each axis |
/// | `requires = "grid.x * block.y >= rows"` | struct | the condition holds; a struct can have several |
/// | `shared = "block.x * 4"` | struct | this dynamic shared memory, in bytes: it is computed, unless the launch specifies more |
/// | `stream = required` | struct | a stream: without `stream = …` a `launch!` is an error when the program is built |
///
/// Contracts are checked in the order of the fields, then the struct's own in the order of this table.
///
/// # Attributes
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[kernel_args(kernel = module::saxpy)]` | struct | compare the fields at compile time with this kernel, an item that [`kernels!`] emits, in any crate; of several overloads or instances, with the one that fits |
/// | `#[kernel_args(ptx = "kernels.ptx", entry = "saxpy")]` | struct | a shorthand for a small file, which rustc reads once per struct. The path is resolved as in [`kernels!`]; `image = …` is a synonym of `ptx = …` |
/// | `#[kernel_args(ptx = …, debug_info = "kernels.debug.ptx")]` | struct | also compare with the debug information of this file. `debug_info = if_readable` ignores debug information of the image that cannot be read. See [`kernels!`] |
/// | `#[kernel_args(kernel = module, entries = "uexp_*")]` | struct | compare the fields with every kernel whose name matches the pattern: see above |
/// | `#[kernel_args(entries = […], except = "*_u8", T = F8 => "_f8" if_present)]` | struct | several patterns, the kernels that are left out, and types whose kernels the image may lack: see `kernel_args::guide::dtypes` |
/// | `#[kernel_args(launcher = ffi::run)]` | struct | the fields are the arguments of this function of the host, which launches kernels: `launch!(ffi::run, args, stream = &stream)` calls it. rustc compares each field with the function |
/// | `#[kernel_args(launcher = …, stream = before(n))]` | struct | the function takes the stream before the argument of the field `n`; `stream = none`: it takes no stream. Otherwise the stream is its last argument |
/// | `#[kernel_args(strict_names)]` | struct | a field's name that the kernel does not have is an error |
/// | `#[kernel_args(strict_code)]` | struct | everything that the code of the kernel contradicts is an error: see `kernel_args::guide::checks` |
/// | `#[kernel_args(bound = "T: DeviceType")]` | struct | replace the derived bounds of the type parameters, as in serde: a list of `where` predicates, possibly empty |
/// | `#[kernel_args(skip)]` | field | the field is not a parameter of the kernel |
/// | `#[kernel_args(opaque)]` | field | compare only the size and the alignment of the field, not its type |
/// | `#[kernel_args(shared_write)]` | field | the kernel may write through this shared pointer, such as a counter that several launches increment |
/// | `#[kernel_args(spread)]` | field | each element of the array is a parameter. Its name in messages is `shape[1]`, its name in the kernel `shape_1`, or the name that `name = "s{}"` or `name = ["nx", "ny"]` specifies |
/// | `#[kernel_args(flatten)]` | field | the fields of this struct, which has `#[derive(KernelArgs)]` too, are parameters. Their names in messages are `common.alpha` |
/// | `#[kernel_args(name = "in")]` | field | the name of the kernel's parameter, if it differs from the field's name. With debug information, another name at this position is an error |
/// | `#[kernel_args(len = "n")]`, `#[kernel_args(block = 256)]`, … | field, struct | contracts: see above |
/// | `#[kernel_args(crate = path)]` | struct | the path of the crate `kernel_args`, if it is re-exported. The code behind this path is trusted like `kernel_args` itself: the implementation relies on it for memory safety |
#[proc_macro_derive(KernelArgs, attributes(kernel_args))]
pub fn derive_kernel_args(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::kernel_args(&input).into()
}

/// Makes a struct or an enum a device type: a type that a kernel takes by value.
///
/// It implements `kernel_args::DeviceType` for structs with `repr(C)`, `repr(C, packed)` or `repr(transparent)` whose
/// fields are device types, and for enums without fields that have an integer `repr`. A layout that differs between
/// host and device is an error at the field.
///
/// A kernel's image contains the name, the size and the alignment of a struct. If debug information contains the
/// members too ([`kernels!`]: `debug_info`), they are compared one by one:
/// - Members match by offset and type, however they are grouped. Names distinguish exchanged members of the same type.
/// - A field that covers padding of the kernel's struct counts as padding.
/// - A union, bit fields, and the pointer to a table of virtual functions match any bytes. The members next to them are
///   compared: a field there that has the name of another member of the kernel's struct is an error.
/// - The members of a base class are members of the struct: in Rust either its own fields, or a field with their
///   struct.
/// - Structs behind pointers are compared in the same way, at any depth: the error names the path, `lights[].color`.
///   `DevicePointer<core::ffi::c_void>` and structs that the kernel's source only declares are not compared.
/// - Each variant of an enum must have a value of the kernel's enum, under the same name if the kernel's enum has that
///   name. The kernel's enum may have more variants.
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
/// If `kernel-args` has the feature `cudarc`, the derive also implements cudarc's `DeviceRepr`, and `ValidAsZeroBits`
/// (for `alloc_zeros`) if zero bytes are a value of the type. The trait `DeviceType` documents what reading back
/// assumes.
///
/// If these impls already exist, rustc reports conflicting implementations (E0119). Remove them, or write
/// `#[device_type(skip_device_repr)]` on the type.
///
/// # Attributes
///
/// | attribute | on | meaning |
/// |---|---|---|
/// | `#[device_type(cpp = "sim::Params")]` | struct, enum | the C++ name of the type, if it differs from the Rust name |
/// | `#[device_type(name = "in")]` | field | the name of the member in the kernel's struct, if it differs from the field's name |
/// | `#[device_type(opaque)]` | field | compare only the offset and the size of the field |
/// | `#[device_type(skip_device_repr)]` | struct, enum | do not implement cudarc's `DeviceRepr` and `ValidAsZeroBits` |
/// | `#[device_type(crate = path)]` | struct, enum | the path of the crate `kernel_args`, if it is re-exported. The code behind this path is trusted like `kernel_args` itself: the implementation relies on it for memory safety |
#[proc_macro_derive(DeviceType, attributes(device_type))]
pub fn derive_device_type(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::device_type(&input).into()
}

/// The kernels of an image as items, for use in `#[kernel_args(kernel = …)]` (feature `kernels`).
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
/// The image is PTX, a cubin or a fat binary, compressed or not. Its path is absolute, or relative to the folder of the
/// crate's `Cargo.toml`. It is a string literal, or `concat!` and `env!` of literals, such as
/// `concat!(env!("OUT_DIR"), "/kernels.ptx")` for a file that a build script writes. The crate is compiled again when
/// the file or a variable changes.
///
/// # Debug information
///
/// The debug information of an image contains the names of parameters, the C++ types of `extern "C"` kernels, and the
/// members of structs. `nvcc -G` and NVRTC's `--device-debug` generate it. A debug build of the same source can provide
/// it for an optimised image, which has the same parameters:
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
/// The second file has any format of an image, and its path follows the same rules. It is not part of the program.
///
/// `debug_info = if_readable` instead of a file ignores debug information of the image that cannot be read, which is an
/// error otherwise: see `kernel_args::guide::kernels`.
///
/// One `kernels!` may contain several modules. If the crate `kernel_args` is re-exported, begin with its path, from the
/// root of the crate: `kernels! { crate = crate::facade::kernel_args; pub mod … }`.
///
/// # The content of a module
///
/// | item | |
/// |---|---|
/// | `IMAGE: &'static CompiledImage` | the image, for `Module::load`; `IMAGE.bytes()` are its bytes |
/// | `KERNELS: CompiledKernels` | all kernels |
/// | one `CompiledKernel` per kernel | its documentation lists the parameters |
/// | one `CompiledKernels` per name shared by several kernels | a struct that names it is compared with the kernel that it fits |
///
/// A cubin contains only the offsets and sizes of parameters, the mangled name of a C++ kernel their types. If the
/// parameters of a kernel differ between the GPUs of an image, a struct that names it does not compile.
///
/// # Generated structs
///
/// With the option `generate` (feature `generate`), a module also contains a struct with `#[derive(KernelArgs)]` for
/// each of its kernels, and a device type for each struct and enum that these kernels take or point to. Each generated
/// struct names its kernel and is compared with it like a hand-written one.
///
/// ```ignore
#[doc = include_str!("kernels/generated.example")]
/// ```
///
/// With debug information (in the image or in the file of `debug_info`), fields have their C++ names. Without it they are named `arg0`,
/// `arg1`…, and a struct by value is an array of bytes. A pointer becomes a cudarc slice, or what `generate(pointers = …)` selects; a pointer
/// to `void`, or to a type that the image does not contain, is always a device pointer. Compilers describe a pointee only if the kernel's
/// body uses it. Types of `half` and `float8` need these features; without them they are structs of their bits. A kernel whose parameters
/// differ between GPUs has no struct. `kernel_args::guide::kernels` has all options and the names, and the module `generate` of the crate
/// `kernel-args-image` the rules for all types.
///
/// # Names
///
/// An item has the kernel's name without namespaces. If a C++ kernel is a template or has overloads, this item is the
/// set of all of them, and each one has an additional item:
///
/// | kernel | item |
/// |---|---|
/// | `saxpy` (`extern "C"`), or `sim::saxpy(int)` without overloads | `saxpy` |
/// | an instance, `void saxpy<float, 4>(int)` | `saxpy_float_4` |
/// | one of several overloads, `saxpy(int, float const*)` | `saxpy_int_float_const_ptr` |
/// | instances that would have the same name | followed by the types of their parameters |
/// | one of several kernels of rustc, `sim::step` and `sim::inner::step` | `step_sim`, `step_sim_inner` |
/// | a name that is still not unique, or longer than 100 bytes | followed by a number derived from its symbol |
/// | a name that is a keyword | `r#type`; `self_` for `self`, `Self`, `super`, `crate` and `_` |
/// | `IMAGE`, `KERNELS`, `__BYTES`, `__TABLE`, `__IMAGE` | followed by `_` |
///
/// `*` is spelled `ptr`, `&` is `ref`, `-` is `minus`; any other character that an identifier cannot contain is `_`.
/// The item of an instance does not depend on the other instances.
#[proc_macro]
pub fn kernels(input: TokenStream) -> TokenStream {
    #[cfg(feature = "kernels")]
    return kernels::kernels(input.into()).into();
    #[cfg(not(feature = "kernels"))]
    syn::Error::new(
        input.into_iter().next().map_or_else(proc_macro2::Span::call_site, |token| token.span().into()),
        texts::KERNELS_FEATURE,
    )
    .into_compile_error()
    .into()
}

/// Compares the declarations of host functions with the static library that contains them (features `kernels` and
/// `debug-info`).
///
/// Linkers compare names only. This attribute on a block that somebody wrote by hand compares each function with the
/// debug information of the library: its arguments, their names and types, and the returned type. An error is at the
/// argument, with the type to declare.
///
/// ```ignore
/// #[kernel_args::launchers(library = concat!(env!("OUT_DIR"), "/liblaunchers.a"))]
/// unsafe extern "C" {
///     /// cudaError_t scale(float* x, unsigned n, float alpha, cudaStream_t stream)
///     fn scale(x: *mut f32, n: usize, alpha: f32, stream: cudaStream_t) -> u32;
/// }
/// ```
///
/// The path is resolved as in [`kernels!`]. `crate = path` is the path of the crate `kernel_args`. The other options,
/// what is compared, and which libraries can be read: `kernel_args::guide::launchers`.
///
/// Next to each function is a type of the same name, which implements `kernel_args::launcher::Launcher`.
#[proc_macro_attribute]
pub fn launchers(options: TokenStream, block: TokenStream) -> TokenStream {
    #[cfg(all(feature = "kernels", feature = "debug-info"))]
    return launchers::launchers(options.into(), &block.into()).into();
    #[cfg(not(all(feature = "kernels", feature = "debug-info")))]
    {
        let _ = options;
        let error = syn::Error::new(proc_macro2::Span::call_site(), texts::LAUNCHERS_FEATURE).into_compile_error();
        block.into_iter().chain(TokenStream::from(error)).collect()
    }
}

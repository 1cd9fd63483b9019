//! Rust structs for the kernels of an image, as text (feature `generate`).
//!
//! One struct with `#[derive(KernelArgs)]` for each kernel, and one `#[derive(DeviceType)]` type for each struct and enum that
//! they take by value or point to. How much of it has the names of C++ depends on what the image tells:
//!
//! | the image has | fields have | structs by value have |
//! |---|---|---|
//! | debug information | the names and types of C++ | their members |
//! | mangled names (kernels that are not `extern "C"`) | the types of C++, and the names `arg0`, `arg1`… | their bytes |
//! | PTX of `extern "C"` kernels | unsigned integers, floats, bytes | |
//! | cubins of such alone | unsigned integers of the sizes, bytes | |
//!
//! # What is written
//!
//! | C++ | Rust |
//! |---|---|
//! | numbers, `bool`, CUDA's vectors and tensor maps, texture and surface objects | the type of that meaning; `char` is `c_char` |
//! | `T const*`, `T*` | `&'a CudaSlice<T>`, `&'a mut CudaSlice<T>`; with [`Pointers::Raw`] `DevicePointer<T>`, `DevicePointerMut<T>` |
//! | a pointer to `void`, to a function, or to what is not described | `DevicePointer<c_void>`, `DevicePointerMut<c_void>` |
//! | a pointer to a pointer | a slice of device pointers |
//! | a struct | a struct with the same members; in place of members that Rust cannot have, bytes |
//! | a union; a struct with bit fields, base classes, virtual functions or packed members | a struct of bytes |
//! | a struct without members | a struct of one byte |
//! | an enum whose values are described | an enum; a second name of a value is a constant |
//! | any other enum | its integer |
//! | `__half`, `__nv_bfloat16`; `__nv_fp8_e4m3`, `__nv_fp8_e5m2` | with [`Options::half`] and [`Options::float8`] the types of these crates, else structs of their bits |
//! | a 64-bit integer of which nothing tells whether it is a pointer | `u64` |
//!
//! An argument is written by the host alone, so its enums have no values but those of their variants. Memory of enums
//! (`CudaSlice<Mode>`) that a kernel writes must hold none but them when it is read back.
//!
//! # Names
//!
//! The struct of a kernel is named after its item in `kernels!` (see [`items`]): `saxpy` is `Saxpy`, `axpy_float` is `AxpyFloat`. A
//! type is named after its C++ name without namespaces, with its template arguments: `sim::Box<float, 3>` is `BoxFloat3`.
//! Types of one name get their namespaces before it, or a number behind it, as do those with the name of a type of
//! `kernel-args`; a kernel with the name of a type gets `Args` behind it. Fields, members and variants have their names in C++:
//! keywords as raw identifiers, `self`, `Self`, `super`, `crate` and `_` with `_` behind them, and other characters than
//! letters, digits and `_` as `_`.
//!
//! Kernels stand in the order of their items in `kernels!`, by name, then types in the order of their names. One image always
//! gives one text, which rustfmt leaves as it is.

mod align;
mod cuda;
mod declare;
mod define;
mod docs;
mod fields;
mod identifier;
mod imports;
pub mod items;
mod names;
mod resolve;
mod scalar;
mod ty;
mod write;

use alloc::{string::String, vec, vec::Vec};
use kernel_args_abi::{Members, Parameter};
use kernel_args_image::{self as image, Kernels, mangled::Demangled};

/// What the structs of kernels have for pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum Pointers {
    /// cudarc's slices: `&'a CudaSlice<T>` and `&'a mut CudaSlice<T>`.
    #[default]
    Slices,
    /// `DevicePointer<T>` and `DevicePointerMut<T>`, which need no cudarc.
    Raw,
}

/// How a struct names its kernel, with which it is compared at compile time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum Naming<'a> {
    /// Not at all: the struct is compared when a kernel is loaded with it.
    #[default]
    None,
    /// By the items of `kernels!`, with the path of their module before them (`crate::kernels::saxpy`), or empty where the
    /// structs stand in it: `kernel = saxpy`.
    Items(&'a str),
    /// By the path of the image: `ptx = "saxpy.ptx", entry = "saxpy"`. rustc reads it once for each struct.
    Image {
        /// The path, as an expression of Rust: a literal, or `concat!`.
        path: &'a str,
        /// That of an image with debug information of the same kernels, if the first has none.
        debug_info: Option<&'a str>,
    },
}

/// What is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub struct Options<'a> {
    /// What the first line says that the text is made from; empty for no such line.
    pub source: &'a str,
    /// The path of the crate `kernel_args`.
    pub krate: &'a str,
    /// What the structs have for pointers.
    pub pointers: Pointers,
    /// Whether `kernel-args` has the feature `half`.
    pub half: bool,
    /// Whether `kernel-args` has the feature `float8`.
    pub float8: bool,
    /// How a struct names its kernel.
    pub naming: Naming<'a>,
    /// Whether the text may stand where Rust's prelude is not: it names everything by its whole path.
    pub without_prelude: bool,
}

impl Default for Options<'_> {
    /// For the features that `kernel-args` has by default, without names of kernels.
    fn default() -> Self {
        Self {
            source: "",
            krate: "kernel_args",
            pointers: Pointers::Slices,
            half: false,
            float8: false,
            naming: Naming::None,
            without_prelude: false,
        }
    }
}

/// A kernel that a struct is written for.
#[derive(Clone, Debug)]
pub struct Kernel<'k> {
    /// Its symbol.
    pub symbol: &'k str,
    /// Its C++ name, where the symbol is mangled.
    pub demangled: Option<&'k Demangled>,
    /// Its parameters, as all sources together tell them.
    pub parameters: Vec<Parameter<'k>>,
    /// The same as debug information tells them, for what they point to.
    pub described: Members<'k>,
    /// Whether the image has it with other parameters for other GPUs.
    pub varies: bool,
}

impl<'k> Kernel<'k> {
    /// A kernel of an image. `varies` is whether the image has it with other parameters for other GPUs, as
    /// [`Kernels::varies`] tells.
    #[must_use]
    pub fn new(kernel: &'k image::Kernel<'_>, varies: bool) -> Self {
        Self {
            symbol: kernel.name,
            demangled: kernel.demangled.as_ref(),
            parameters: kernel.parameters(),
            described: kernel.described,
            varies,
        }
    }
}

/// Structs for all kernels of an image.
#[must_use]
pub fn of_image(image: &Kernels<'_>, options: &Options<'_>) -> String {
    of_images(image, None, options)
}

/// Structs for all kernels of an image, of which another image has debug information. A kernel that it describes with other
/// parameters is written without it.
#[must_use]
pub fn of_images(
    image: &Kernels<'_>,
    debug_info: Option<&Kernels<'_>>,
    options: &Options<'_>,
) -> String {
    let described = |symbol: &str| debug_info?.kernel(symbol, None);
    let kernel = |symbol: &str| {
        let kernel = image.kernel(symbol, None)?;
        let described = described(kernel.name).and_then(|by| kernel.clone().described_by(&by).ok());
        Some((described.unwrap_or(kernel), image.varies(symbol)))
    };
    let found: Vec<_> = image.symbols().filter_map(kernel).collect();
    let kernels: Vec<_> = found
        .iter()
        .map(|(kernel, varies)| Kernel::new(kernel, *varies))
        .collect();
    rust(&kernels, options)
}

/// Structs for these kernels.
#[must_use]
pub fn rust(kernels: &[Kernel<'_>], options: &Options<'_>) -> String {
    let as_named: Vec<items::Kernel<'_>> = kernels
        .iter()
        .map(|kernel| items::Kernel {
            symbol: kernel.symbol,
            demangled: kernel.demangled.cloned(),
        })
        .collect();
    let (order, items) = items::items(&as_named);
    let mut own = vec![""; kernels.len()];
    for item in &items {
        if let items::What::Kernel(at) = item.what {
            own[at] = &item.name;
        }
    }
    let found: Vec<_> = order
        .iter()
        .map(|&index| &kernels[index])
        .zip(own)
        .collect();
    let mut types = define::Types::new(options);
    // A second time, so that a type that only a later kernel describes is known to all.
    let mut fields = Vec::new();
    for _ in 0..2 {
        fields = found
            .iter()
            .map(|(kernel, _)| fields::of_kernel(kernel, &mut types))
            .collect();
    }
    let definitions = types.finish(&fields);
    let names = names::names(found.iter().map(|(_, item)| *item), &definitions);
    let kernels = found.into_iter().zip(fields);
    write::write(kernels, &definitions, &names, options)
}

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
mod definition;
mod docs;
mod fields;
mod identifier;
mod imports;
pub mod items;
mod names;
mod options;
mod resolve;
mod scalar;
mod ty;
mod write;

pub use options::{Kernel, Naming, Options, Pointers};

use alloc::{string::String, vec, vec::Vec};
use fields::Fields;
use kernel_args_image::Kernels;

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
        let described =
            described(kernel.name).and_then(|by| kernel.clone().with_debug_info_of(&by).ok());
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
    let used = fields.iter().flat_map(Fields::iter);
    let definitions = types.finish(used.filter_map(|field| field.ty.named()).collect());
    let names = names::names(found.iter().map(|(_, item)| *item), &definitions);
    let kernels = found.into_iter().zip(fields);
    write::write(kernels, &definitions, &names, options)
}

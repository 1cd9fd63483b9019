//! C++ headers of Rust types: structs, enums and kernels, with assertions of their layout.
//!
//! ```
//! use kernel_args::{DevicePointerMut, DeviceType, KernelArgs, cpp, vector::Float4};
//!
//! #[derive(Clone, Copy, DeviceType)]
//! #[repr(u32)]
//! enum Falloff { Linear, Quadratic = 2 }
//!
//! #[derive(Clone, Copy, DeviceType)]
//! #[device_type(cpp = "sim::Light")]
//! #[repr(C)]
//! struct Light { intensity: f32, direction: Float4, falloff: Falloff }
//!
//! #[derive(KernelArgs)]
//! struct Shade { n: u32, light: Light, out: DevicePointerMut<Float4> }
//!
//! # fn main() -> Result<(), cpp::HeaderError> {
//! let text = cpp::header(&[cpp::kernel::<Shade>("shade")])?;
//! # assert_eq!(text, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/shade.h")));
//! # Ok(())
//! # }
//! ```
//!
//! `text` is:
//!
//! ```c++
#![doc = include_str!("../tests/data/shade.h")]
//! ```
//!
//! The kernel's file then contains:
//!
//! ```c++
//! #include "shade.h"
//!
//! extern "C" __global__ void shade(unsigned int n, sim::Light light, float4* out) { /* … */ }
//! ```
//!
//! It does not compile if the kernel takes different parameters, or if the compiler gives `sim::Light` a different layout.
//!
//! # In a build script
//!
//! A build script cannot name the types of the crate that it builds. Put the types and argument structs in a small separate
//! crate. The program and its build script both depend on it:
//!
//! ```toml
//! # types/Cargo.toml
//! [dependencies]
//! kernel-args = { version = "0.1", default-features = false, features = ["derive", "header"] }
//!
//! # Cargo.toml of the program
//! [dependencies]
//! types = { path = "types" }
//!
//! [build-dependencies]
//! types = { path = "types" }
//! kernel-args = { version = "0.1", default-features = false, features = ["derive", "header"] }
//! ```
//!
//! ```no_run
//! // build.rs
//! # mod types { #[derive(kernel_args::KernelArgs)] pub struct Shade { n: u32 } }
//! use kernel_args::cpp;
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let text = cpp::header(&[cpp::kernel::<types::Shade>("shade")])?;
//!     let place = std::path::Path::new(&std::env::var("OUT_DIR")?).join("shade.h");
//!     std::fs::write(place, text)?;
//!     // … compile the kernels with OUT_DIR among the include paths
//!     Ok(())
//! }
//! ```
//!
//! # The declaration of each type
//!
//! | Rust | C++ |
//! |---|---|
//! | a `repr(C)` struct | a struct with the C++ name and namespace from `#[device_type(cpp = "sim::Light")]`; with `alignas` if it is aligned to more than its members |
//! | a `repr(C, packed)` struct | a struct between `#pragma pack(push, 1)` and `#pragma pack(pop)` |
//! | a `repr(transparent)` struct | the type of its field; with `cpp = "…"` a struct with that name and the same members |
//! | an enum | an `enum class` with the integer type of its `repr` |
//! | integers, floats, `bool` | `unsigned int`, `float`, `bool`, …; never the types of `<cstdint>`, because NVRTC does not have this header |
//! | `i128`, `u128` | `__int128`, `unsigned __int128` (NVRTC: `--device-int128`) |
//! | `Float4`, `glam::Vec3`, `half::f16`, … | the CUDA type; its header is included |
//! | texture and surface objects, conditions of graphs | `unsigned long long`, the type behind `cudaTextureObject_t` |
//! | `TensorMap` | `CUtensorMap` from `cuda.h`; for NVRTC, which cannot compile `cuda.h`, a declaration; as a parameter `const __grid_constant__` |
//! | `&CudaSlice<T>`, `DevicePointer<T>` | `T const*` |
//! | `&mut CudaSlice<T>`, `DevicePointerMut<T>` | `T*` |
//! | a pointer to an array | `float (*)[4]`; behind another pointer, a pointer to the first element |
//! | an array as a member | an array |
//! | an array as a parameter | a struct `KERNEL_FIELD` with the member `elements` |
//! | a field without a C++ type (`#[kernel_args(opaque)]`) | an aligned array of bytes |
//! | `PhantomData` | nothing |
//!
//! A field keeps its Rust name, or has the name in `#[kernel_args(name = "…")]`. A name that is not valid in C++ is changed, and a
//! comment shows the original: a keyword gets a `_` at the end (`new_`), the number of a tuple field gets a `_` at the front (`_0`).
//!
//! These are errors. Each error names the field and the code to write:
//! - Two different types with the same C++ name. All instances of a generic struct have the name of the struct, so a header can
//!   contain only one of them. For several instances, wrap each in a `repr(transparent)` struct with its own name.
//! - A pointer to a struct or enum that is not in the list and not part of a type in the list. [`device_type`] adds it.
//! - Types that C++ cannot declare: instances of templates by their name, enums of 128 bits, names with
//!   letters that are not ASCII.
//!
//! # Compilers
//!
//! nvcc and NVRTC can compile the header. A header without kernels and CUDA types compiles with every C++11 compiler. Compilers
//! on Windows have no `__int128`.

use crate::{device::DeviceType, marshal::KernelArgs};
use alloc::string::String;
use core::any::type_name;
use kernel_args_abi::Parameter;

pub use kernel_args_image::header::{Header, HeaderError, Item};

/// Returns the text of a C++ header with these types and kernels, and all types that they contain.
///
/// [`Header`] has more options: a namespace, an include guard, files that declare some of the types.
///
/// # Errors
/// If C++ cannot declare one of the items with its layout. The [module](self) lists the cases.
pub fn header(items: &[Item<'_>]) -> Result<String, HeaderError> {
    Header::new().items(items).write()
}

/// Returns a struct or enum for a header. The header also declares the types of its members: you need not list them.
#[must_use]
pub fn device_type<T: DeviceType>() -> Item<'static> {
    let ty = Parameter::field("", type_name::<T>(), 0, T::LAYOUT, T::CLASS, T::CPP);
    Item::device_type(ty.with_members(T::MEMBERS))
}

/// Returns a kernel that takes `A`, for a header.
///
/// `symbol` is its symbol, or its name in C++: `saxpy` is an `extern "C"` kernel; `_Z5saxpyifPKfPf`, `sim::saxpy` and
/// `::saxpy` are kernels with C++ linkage. A mangled symbol contains the parameter types, and these must match the
/// fields.
#[must_use]
pub fn kernel<A: KernelArgs>(symbol: &str) -> Item<'_> {
    Item::kernel(symbol, A::PARAMETERS)
}

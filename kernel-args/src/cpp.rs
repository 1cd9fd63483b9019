//! C++ headers of Rust types: structs, enums and kernels, with assertions of their layout.
//!
//! [`header`] writes the declarations that a `.cu` file needs to agree with the structs of a Rust program: it includes the
//! header in place of declarations of its own, and a change on one side no longer compiles on the other.
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
//! The kernel's file then says:
//!
//! ```c++
//! #include "shade.h"
//!
//! extern "C" __global__ void shade(unsigned int n, sim::Light light, float4* out) { /* … */ }
//! ```
//!
//! If it takes other parameters, or if `sim::Light` is laid out in another way by the compiler, it does not compile.
//!
//! # In a build script
//!
//! A build script cannot name the types of the crate that it builds. Types and argument structs are in a small crate of
//! their own, on which both the program and its build script depend:
//!
//! ```toml
//! # types/Cargo.toml
//! [dependencies]
//! kernel-args = { version = "0.1", default-features = false, features = ["header"] }
//!
//! # Cargo.toml of the program
//! [dependencies]
//! types = { path = "types" }
//!
//! [build-dependencies]
//! types = { path = "types" }
//! kernel-args = { version = "0.1", default-features = false, features = ["header"] }
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
//! # What is declared how
//!
//! | Rust | C++ |
//! |---|---|
//! | a `repr(C)` struct | a struct of its C++ name, in the namespace that `#[device_type(cpp = "sim::Light")]` says; with `alignas` where it is aligned to more than its members |
//! | a `repr(transparent)` struct | what it is around; with `cpp = "…"` a struct of that name with its members |
//! | an enum | an `enum class` of the integer of its `repr` |
//! | integers, floats, `bool` | `unsigned int`, `float`, `bool`, …; no type of `<cstdint>`, which NVRTC lacks |
//! | `i128`, `u128` | `__int128`, `unsigned __int128` (NVRTC: `--device-int128`) |
//! | `Float4`, `glam::Vec3`, `half::f16`, … | the type of CUDA's; its header is included |
//! | texture and surface objects | `unsigned long long`, which `cudaTextureObject_t` is |
//! | `TensorMap` | `CUtensorMap`, of `cuda.h`; declared for NVRTC, which cannot compile that; as a parameter `const __grid_constant__` |
//! | `&CudaSlice<T>`, `DevicePointer<T>` | `T const*` |
//! | `&mut CudaSlice<T>`, `DevicePointerMut<T>` | `T*` |
//! | an array as a member | an array |
//! | an array as a parameter | a struct `KERNEL_FIELD` with the member `elements` |
//! | what has no C++ type (`#[kernel_args(opaque)]`) | its bytes, aligned |
//! | `PhantomData` | nothing |
//!
//! A field is called as in Rust, or as `#[kernel_args(name = "…")]` says. A name that C++ does not have is changed, with a
//! comment: a keyword gets a `_` behind it (`new_`), a number of a tuple's field one before it (`_0`).
//!
//! These are errors, which name the field and say what to write:
//! - Two different types of one C++ name. Each instance of a generic struct has the name of the struct, so a header can have
//!   one of them; a `repr(transparent)` struct around each gives them names.
//! - A pointer to a struct or enum that is not in the list, and that none of the list consists of: [`device_type`] adds it.
//! - What C++ cannot declare: instances of templates by their name, enums of 128 bits, pointers to arrays, names with letters
//!   beyond ASCII.
//!
//! # Which compilers
//!
//! nvcc and NVRTC; without CUDA's types and apart from the kernels, any compiler of C++11. On Windows `__int128` is no type.

use crate::{device::DeviceType, marshal::KernelArgs};
use alloc::string::String;
use core::any::type_name;
use kernel_args_abi::Parameter;

pub use kernel_args_codegen::header::{Header, HeaderError, Item};

/// The text of a C++ header with these types and kernels, and all types that they consist of.
///
/// [`Header`] has more options: a namespace, an include guard, files that declare some of the types.
///
/// # Errors
/// Where C++ cannot declare one of them with its layout, as the [module](self) lists.
pub fn header(items: &[Item<'_>]) -> Result<String, HeaderError> {
    Header::new().items(items).write()
}

/// A struct or enum for a header. One that others in the list consist of need not be listed.
#[must_use]
pub fn device_type<T: DeviceType>() -> Item<'static> {
    let ty = Parameter::field("", type_name::<T>(), 0, T::LAYOUT, T::CLASS, T::CPP);
    Item::device_type(ty.with_members(T::MEMBERS))
}

/// A kernel that takes `A`, for a header.
///
/// `symbol` is its symbol, or its name in C++: `saxpy` is an `extern "C"` kernel, `_Z5saxpyifPKfPf`, `sim::saxpy` and
/// `::saxpy` are some with C++ linkage. A mangled symbol tells the types, which have to be those of the fields.
#[must_use]
pub fn kernel<A: KernelArgs>(symbol: &str) -> Item<'_> {
    Item::kernel(symbol, A::PARAMETERS)
}

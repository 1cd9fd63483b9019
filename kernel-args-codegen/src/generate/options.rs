//! What is written, and for what.

use alloc::vec::Vec;
use kernel_args_abi::{Members, Parameter};
use kernel_args_image::{self as image, mangled::Demangled};

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
    pub debug_info: Members<'k>,
    /// Whether the image has it with other parameters for other GPUs.
    pub varies: bool,
}

impl<'k> Kernel<'k> {
    /// A kernel of an image. `varies` is whether the image has it with other parameters for other GPUs, as
    /// [`Kernels::varies`](image::Kernels::varies) tells.
    #[must_use]
    pub fn new(kernel: &'k image::Kernel<'_>, varies: bool) -> Self {
        Self {
            symbol: kernel.name,
            demangled: kernel.demangled.as_ref(),
            parameters: kernel.parameters(),
            debug_info: kernel.debug_info,
            varies,
        }
    }
}

//! The options, the kernels and the variables for the generated text.

use crate::prelude::*;
use crate::{self as image, mangled::Demangled};
use core::cell::RefCell;
use kernel_args_abi::{Members, Parameter};

/// The type of pointers in the structs of kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum Pointers {
    /// cudarc's slices: `&'a CudaSlice<T>` and `&'a mut CudaSlice<T>`.
    #[default]
    Slices,
    /// cudarc's views, which also take whole slices: `CudaView<'a, T>` and `CudaViewMut<'a, T>`.
    Views,
    /// `DevicePointer<T>` and `DevicePointerMut<T>`, which do not require cudarc.
    Raw,
    /// `Retained<DevicePointer<T>>` and `Retained<DevicePointerMut<T>>`, for the nodes of a graph.
    Retained,
}

/// How a struct names its kernel, with which it is compared at compile time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum Naming<'a> {
    /// It names no kernel. The struct is compared when a kernel is loaded with it.
    #[default]
    None,
    /// By an item of `kernels!`: the path of the module (`crate::kernels::saxpy`), or empty if the structs are inside
    /// the module.
    Items(&'a str),
    /// By the path of the image: `ptx = "saxpy.ptx", entry = "saxpy"`. rustc reads the image once per struct.
    Image {
        /// The path as a Rust expression: a literal, or `concat!`.
        path: &'a str,
        /// The path of an image with debug information for the same kernels, if the first image does not contain it.
        debug_info: Option<&'a str>,
    },
}

/// The options for the generated text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(clippy::struct_excessive_bools, reason = "three of them are features")]
pub struct Options<'a> {
    /// The source that the first line names. If empty, there is no such line.
    pub source: &'a str,
    /// The path of the crate `kernel_args`.
    pub krate: &'a str,
    /// The type of pointers in the structs.
    pub pointers: Pointers,
    /// Whether `kernel-args` has the feature `half`.
    pub half: bool,
    /// Whether `kernel-args` has the feature `float8`.
    pub float8: bool,
    /// Whether `kernel-args` has the feature `textures`.
    pub textures: bool,
    /// Attributes by item, `matmul`, or field, `matmul.n`. A field with `as` is a `usize`.
    pub contracts: &'a [(String, String)],
    /// Receives the items and fields of `contracts` that the text contains.
    pub used: Option<&'a RefCell<BTreeSet<String>>>,
    /// How a struct names its kernel.
    pub naming: Naming<'a>,
    /// Whether the text must compile without Rust's prelude.
    pub without_prelude: bool,
}

impl Default for Options<'_> {
    /// Options for the default features of `kernel-args`, without kernel names.
    fn default() -> Self {
        Self {
            source: "",
            krate: "kernel_args",
            pointers: Pointers::Slices,
            half: false,
            float8: false,
            textures: false,
            contracts: &[],
            used: None,
            naming: Naming::None,
            without_prelude: false,
        }
    }
}

/// A kernel for which a struct is generated.
#[derive(Clone, Debug)]
pub struct Kernel<'k> {
    /// The symbol.
    pub symbol: &'k str,
    /// The C++ name, if the symbol is mangled.
    pub demangled: Option<&'k Demangled>,
    /// The parameters, joined from all sources.
    pub parameters: Vec<Parameter<'k>>,
    /// The parameters from debug information, including their pointees.
    pub debug_info: Members<'k>,
    /// Whether the image contains different parameters for different GPUs.
    pub varies: bool,
}

impl<'k> Kernel<'k> {
    /// Creates a kernel of an image. `varies` is the result of [`Kernels::varies`](image::Kernels::varies).
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

/// A global variable whose type is generated.
#[derive(Clone, Debug)]
pub struct Variable<'k> {
    /// Its size, C++ type and members.
    pub value: Parameter<'k>,
    /// The variable from debug information, as the only parameter of a list.
    pub debug_info: Members<'k>,
}

impl<'k> Variable<'k> {
    /// Creates a variable of an image. `None` without debug information.
    #[must_use]
    pub fn new(variable: &'k image::Variable<'_>) -> Option<Self> {
        let debug_info = variable.debug_info();
        let value = variable.value()?;
        debug_info.is_known().then_some(Self { value, debug_info })
    }
}

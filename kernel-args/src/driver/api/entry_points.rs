//! Entry points of libraries in this process (C, the CUDA runtime, the driver), and how they get their types.
//!
//! cudarc's bindings panic if the library or a symbol is missing.

use super::{Api, Unavailable};
#[cfg(feature = "graphs")]
use crate::memory::DeclareSlice;
use core::{
    ffi::{c_int, c_void},
    ptr::NonNull,
};
use libloading::Library;
use std::sync::OnceLock;

/// An `added` entry point is `unsafe`, and adds a node to a graph, after an array of nodes.
macro_rules! signature {
    (unsafe ($($argument:ty),*)) => { unsafe extern "C" fn($($argument),*) -> Status };
    (added ($($argument:ty),*)) => {
        unsafe extern "C" fn(&mut CUgraphNode, CUgraph, *const CUgraphNode, usize $(, $argument)*) -> Status
    };
    ($safe:ident ($($argument:ty),*)) => { extern "C" fn($($argument),*) -> Status };
}

macro_rules! reported_name {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $reported:literal) => {
        $reported
    };
}

/// The method that calls an entry point and returns its error with its name.
macro_rules! method {
    ($(#[$meta:meta])* $when:ident safe $name:ident($($argument:ident: $ty:ty),*) $($reported:literal)?) => {
        $(#[$meta])*
        #[inline(always)]
        pub(crate) fn $name(&self, $($argument: $ty),*) -> Result<(), CallError> {
            required!($when self, $name)?($($argument),*).check(reported_name!($name $($reported)?))
        }
    };
    ($(#[$meta:meta])* $when:ident added $name:ident($($argument:ident: $ty:ty),*)) => {
        method! {
            $(#[$meta])*
            $when unsafe $name(
                node: &mut CUgraphNode, graph: CUgraph, after: *const CUgraphNode, count: usize $(, $argument: $ty)*
            )
        }
    };
    ($(#[$meta:meta])* $when:ident unsafe $name:ident($($argument:ident: $ty:ty),*) $($reported:literal)?) => {
        $(#[$meta])*
        #[inline(always)]
        pub(super) unsafe fn $name(&self, $($argument: $ty),*) -> Result<(), CallError> {
            let call = required!($when self, $name)?;
            // SAFETY: the caller guarantees what CUDA's Driver API documents for the function with this name.
            unsafe { call($($argument),*) }.check(reported_name!($name $($reported)?))
        }
    };
}

/// A `newer` entry point of an `Api` by its name, or the error that the driver lacks it.
macro_rules! required {
    (always $api:expr, $name:ident) => {
        Ok::<_, $crate::driver::api::Unavailable>($api.$name)
    };
    (newer $api:expr, $name:ident) => {
        required!($api, $name)
    };
    ($api:expr, $name:ident) => {
        $api.$name.ok_or($crate::driver::api::Unavailable::EntryPoint(stringify!($name)))
    };
}
pub(crate) use required;

/// Entry points by the names that the library exports; `newer` ones can be missing. `= "name"` is the name in error
/// messages, if it differs.
macro_rules! entry_points {
    (
        always { $($kind:ident $name:ident($($argument:ident: $ty:ty),* $(,)?) $(= $reported:literal)?;)* }
        $(#[$group:meta] newer {
            $($(#[$since:meta])* $newer_kind:ident $newer:ident($($newer_argument:ident: $newer_ty:ty),* $(,)?) $(= $newer_reported:literal)?;)*
        })*
    ) => {
        #[allow(non_snake_case, reason = "their names")]
        pub(crate) struct Api {
            $(pub(crate) $name: signature!($kind ($($ty),*)),)*
            $($($(#[$since])* #[$group] pub(crate) $newer: Option<signature!($newer_kind ($($newer_ty),*))>,)*)*
            /// `cuLaunchKernelEx`; for drivers older than 11.8, `cuLaunchKernel` with the same arguments.
            pub(super) launch_kernel: LaunchKernelEx,
        }

        #[allow(dead_code, reason = "some entry points are only called through their pointers")]
        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the names and arguments of the entry points")]
        impl Api {
            pub(super) fn load(library: &Library) -> Result<Self, Unavailable> {
                let mut api = Self {
                    $($name: {
                        let symbol = symbol(library, concat!(stringify!($name), "\0"))?;
                        // SAFETY: CUDA's Driver API documents the function with this name, if need be without a suffix
                        // such as `_v2` (`cuda.h` has the suffixed names). The table gives it the documented type,
                        // written with types of the same ABI: `&mut T`, `*mut T` and `Option<NonNull<T>>` have the same
                        // ABI, and a `repr(transparent)` struct has the ABI of its field (`fn` of the standard library,
                        // "ABI compatibility"). A function pointer may be transmuted from a data pointer
                        // (`core::mem::transmute`).
                        unsafe { mem::transmute::<NonNull<c_void>, signature!($kind ($($ty),*))>(symbol) }
                    },)*
                    $($(#[$group] $newer: symbol(library, concat!(stringify!($newer), "\0")).ok().map(|symbol| {
                        // SAFETY: as proved for the entry points that are always present.
                        unsafe { mem::transmute::<NonNull<c_void>, signature!($newer_kind ($($newer_ty),*))>(symbol) }
                    }),)*)*
                    launch_kernel: launch_without_attributes,
                };
                if let Some(launch_kernel_ex) = api.cuLaunchKernelEx {
                    api.launch_kernel = launch_kernel_ex;
                }
                Ok(api)
            }

            $(method! { always $kind $name($($argument: $ty),*) $($reported)? })*
            $($(method! { #[$group] newer $newer_kind $newer($($newer_argument: $newer_ty),*) $($newer_reported)? })*)*
        }
    };
}

pub(super) use {entry_points, method, reported_name, signature};

#[inline]
pub(crate) fn api() -> Result<&'static Api, Unavailable> {
    static API: OnceLock<Api> = OnceLock::new();
    if let Some(api) = API.get() {
        return Ok(api);
    }
    let api = Api::load(driver().ok_or(Unavailable::Library)?)?;
    Ok(API.get_or_init(|| api))
}

// SAFETY: C11, 7.22.4.2: `int atexit(void (*)(void))`. It accepts any function of that type, and is thread-safe (7.1.4;
// POSIX).
unsafe extern "C" {
    /// The function that was registered last runs first, so this one runs before the driver's.
    #[cfg(feature = "graphs")]
    pub(crate) safe fn atexit(function: extern "C" fn()) -> c_int;
}

pub(super) fn symbol(library: &Library, name: &'static str) -> Result<NonNull<c_void>, Unavailable> {
    // SAFETY: every symbol has an untyped address. Nothing is read from it here.
    let symbol = unsafe { library.get::<*mut c_void>(name.as_bytes()) };
    let symbol = symbol.ok().and_then(|symbol| NonNull::new(*symbol));
    symbol.ok_or(Unavailable::EntryPoint(name.trim_end_matches('\0')))
}

pub(crate) fn driver() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    const NAMES: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so", "libcuda.so.1"] };
    let find = || {
        NAMES.iter().find_map(|name| {
            // SAFETY: the initialisers of the NVIDIA driver library run in every program that loads it, and have no
            // precondition.
            unsafe { Library::new(*name) }.ok()
        })
    };
    LIBRARY.get_or_init(find).as_ref()
}

/// Returns the control by which the test driver learns where the slices of a pool are. A real driver has no such
/// function.
#[cfg(feature = "graphs")]
pub(crate) fn declare_slice() -> Option<DeclareSlice> {
    static DECLARE: OnceLock<Option<DeclareSlice>> = OnceLock::new();
    *DECLARE.get_or_init(|| {
        let symbol = symbol(driver()?, "kernel_args_test_driver_slice\0").ok()?;
        // SAFETY: the control has this type; it takes numbers, and has no precondition. A function pointer may be
        // transmuted from a data pointer.
        Some(unsafe { core::mem::transmute::<NonNull<c_void>, DeclareSlice>(symbol) })
    })
}

/// `cudaRuntimeGetVersion`, if the CUDA runtime is loaded in this process.
#[cfg(target_os = "linux")]
pub(crate) fn runtime_version() -> Option<c_int> {
    use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
    /// `<dlfcn.h>` of glibc and musl.
    const RTLD_NOLOAD: c_int = 4;
    type GetVersion = extern "C" fn(&mut c_int) -> c_int;
    let names = ["libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"];
    let library = names.iter().find_map(|name| {
        // SAFETY: with `RTLD_NOLOAD`, `dlopen` loads nothing (`dlopen(3)`), so no initialiser runs.
        unsafe { Library::open(Some(*name), RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL) }.ok()
    })?;
    // SAFETY: CUDA Runtime API, "Version Management": `cudaError_t cudaRuntimeGetVersion(int*)`, in every release; the
    // enum is a C `int`. `library` is held while the symbol is used.
    let get_version = unsafe { library.get::<GetVersion>(b"cudaRuntimeGetVersion\0") }.ok()?;
    let mut version = 0;
    (get_version(&mut version) == 0).then_some(version)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn runtime_version() -> Option<c_int> {
    None
}

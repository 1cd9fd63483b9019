//! What is taken from libraries that this process has, C's, the CUDA runtime's and the driver's: how an entry point gets its type.
//!
//! cudarc's bindings panic where the library or a symbol is missing, and return an enum that lacks the codes of newer
//! drivers. These return an error and a number. They are looked up once.

use super::{Api, Unavailable};
use core::{
    ffi::{c_int, c_void},
    ptr::NonNull,
};
use libloading::Library;
use std::sync::OnceLock;

/// The type of an entry point. A `kept` one is safe too, and called through a pointer that is looked up once.
macro_rules! signature {
    (kept ($($argument:ty),*)) => { extern "C" fn($($argument),*) -> Status };
    (safe ($($argument:ty),*)) => { extern "C" fn($($argument),*) -> Status };
    (unsafe ($($argument:ty),*)) => { unsafe extern "C" fn($($argument),*) -> Status };
}

/// The name of a call in errors.
macro_rules! said {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $said:literal) => {
        $said
    };
}

/// The method that calls a `safe` entry point and returns its error with its name. An `unsafe` one is called by the file that proves
/// the call.
macro_rules! method {
    ($when:ident unsafe $($rest:tt)*) => {};
    ($when:ident kept $($rest:tt)*) => {};
    ($(#[$meta:meta])* always safe $name:ident($($argument:ident: $ty:ty),*) $($said:literal)?) => {
        $(#[$meta])*
        #[inline(always)]
        pub(crate) fn $name(&self, $($argument: $ty),*) -> Result<(), CallError> {
            (self.$name)($($argument),*).check(said!($name $($said)?))
        }
    };
    ($(#[$meta:meta])* newer safe $name:ident($($argument:ident: $ty:ty),*) $($said:literal)?) => {
        $(#[$meta])*
        #[inline(always)]
        pub(crate) fn $name(&self, $($argument: $ty),*) -> Result<(), CallError> {
            required!(self, $name)?($($argument),*).check(said!($name $($said)?))
        }
    };
}

/// One of the `newer` entry points of an `Api`, by its name, or the error that the driver lacks it.
macro_rules! required {
    ($api:expr, $name:ident) => {
        $api.$name
            .ok_or($crate::driver::api::Unavailable::EntryPoint(stringify!(
                $name
            )))
    };
}
pub(crate) use required;

/// Entry points by the names that the library exports; the `newer` ones may be missing. `= "name"`: under which errors name the call,
/// if that differs.
macro_rules! entry_points {
    (
        always { $($kind:ident $name:ident($($argument:ident: $ty:ty),* $(,)?) $(= $said:literal)?;)* }
        newer { $($(#[$since:meta])* $newer_kind:ident $newer:ident($($newer_argument:ident: $newer_ty:ty),* $(,)?) $(= $newer_said:literal)?;)* }
    ) => {
        /// The entry points, named as CUDA's Driver API documents them.
        #[allow(non_snake_case, reason = "their names")]
        pub(crate) struct Api {
            $(pub(crate) $name: signature!($kind ($($ty),*)),)*
            $($(#[$since])* pub(crate) $newer: Option<signature!($newer_kind ($($newer_ty),*))>,)*
            /// `cuLaunchKernelEx`, or `cuLaunchKernel` behind the same arguments where the driver is older than 11.8.
            pub(super) launch_kernel: LaunchKernelEx,
        }

        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the names and arguments of the entry points")]
        impl Api {
            pub(super) fn load(library: &Library) -> Result<Self, Unavailable> {
                let mut api = Self {
                    $($name: {
                        let symbol = symbol(library, concat!(stringify!($name), "\0"))?;
                        // SAFETY: a symbol of this name is the function that CUDA's Driver API documents under it, or under the name
                        // without `_v2` and the like (`cuda.h` has these names). The table below gives it that type, spelled with
                        // types of the same ABI: `&mut T`, `*mut T` and `Option<NonNull<T>>` have one, and `repr(transparent)` structs
                        // that of their field (`fn` of the standard library, "ABI compatibility"). A pointer to a function may be
                        // transmuted from a data pointer (`core::mem::transmute`, "Turning a pointer into a function pointer").
                        unsafe { mem::transmute::<NonNull<c_void>, signature!($kind ($($ty),*))>(symbol) }
                    },)*
                    $($newer: match symbol(library, concat!(stringify!($newer), "\0")) {
                        // SAFETY: for the reasons of the `always` ones: the documented type, spelled with types of the same ABI.
                        Ok(symbol) => Some(unsafe {
                            mem::transmute::<NonNull<c_void>, signature!($newer_kind ($($newer_ty),*))>(symbol)
                        }),
                        Err(_) => None,
                    },)*
                    launch_kernel: launch_without_attributes,
                };
                // Decided once, so that a launch does not ask.
                if let Some(launch_kernel_ex) = api.cuLaunchKernelEx {
                    api.launch_kernel = launch_kernel_ex;
                }
                Ok(api)
            }

            $(method! { always $kind $name($($argument: $ty),*) $($said)? })*
        }

        #[allow(non_snake_case, clippy::too_many_arguments, reason = "the names and arguments of the entry points")]
        impl Api {
            $(method! { newer $newer_kind $newer($($newer_argument: $newer_ty),*) $($newer_said)? })*
        }
    };
}

pub(super) use {entry_points, method, said, signature};

/// The entry points.
#[inline]
pub(crate) fn api() -> Result<&'static Api, Unavailable> {
    static API: OnceLock<Api> = OnceLock::new();
    if let Some(api) = API.get() {
        return Ok(api);
    }
    let api = Api::load(driver().ok_or(Unavailable::Library)?)?;
    Ok(API.get_or_init(|| api))
}

// SAFETY: C11, 7.22.4.2: `int atexit(void (*)(void))`. It takes any function of that type, and is one that threads may call at once
// (7.1.4 lists no exception; POSIX, "Thread-Safety": all functions except those listed).
unsafe extern "C" {
    /// Registers a function that the end of the process runs. What is registered last runs first: before what the driver has
    /// registered.
    pub(crate) safe fn atexit(function: extern "C" fn()) -> c_int;
}

/// The address of a symbol, by its name, which ends with NUL.
pub(super) fn symbol(
    library: &Library,
    name: &'static str,
) -> Result<NonNull<c_void>, Unavailable> {
    // SAFETY: the type that is asked for is an untyped address, which every symbol has; nothing is read from it here.
    let symbol = unsafe { library.get::<*mut c_void>(name.as_bytes()) };
    let symbol = symbol.ok().and_then(|symbol| NonNull::new(*symbol));
    symbol.ok_or(Unavailable::EntryPoint(name.trim_end_matches('\0')))
}

/// The driver's library, under the names that it has on this system. It stays loaded until the process ends.
pub(super) fn driver() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    const NAMES: &[&str] = if cfg!(windows) {
        &["nvcuda.dll"]
    } else {
        &["libcuda.so", "libcuda.so.1"]
    };
    let find = || {
        NAMES.iter().find_map(|name| {
            // SAFETY: initialisers run that NVIDIA's driver library has for every program that loads it, and they have no precondition.
            unsafe { Library::new(*name) }.ok()
        })
    };
    LIBRARY.get_or_init(find).as_ref()
}

/// Whether the driver's library is on this machine.
pub(crate) fn is_available() -> bool {
    driver().is_some()
}

/// `cudaRuntimeGetVersion`, where the library of the CUDA runtime is loaded in this process. One that is linked statically is not
/// seen.
#[cfg(target_os = "linux")]
pub(crate) fn runtime_version() -> Option<c_int> {
    use libloading::os::unix::{Library, RTLD_LAZY, RTLD_LOCAL};
    /// `<dlfcn.h>` of glibc and musl: only a library that is loaded already.
    const RTLD_NOLOAD: c_int = 4;
    type GetVersion = extern "C" fn(&mut c_int) -> c_int;
    let names = [
        "libcudart.so",
        "libcudart.so.13",
        "libcudart.so.12",
        "libcudart.so.11.0",
    ];
    let library = names.iter().find_map(|name| {
        // SAFETY: with `RTLD_NOLOAD` nothing is loaded (`dlopen(3)`), so no initialiser runs.
        unsafe { Library::open(Some(*name), RTLD_NOLOAD | RTLD_LAZY | RTLD_LOCAL) }.ok()
    })?;
    // SAFETY: CUDA Runtime API, "Version Management": `cudaError_t cudaRuntimeGetVersion(int* runtimeVersion)`, in every release;
    // the enum is a C `int`. The symbol is used while the library is held.
    let get_version = unsafe { library.get::<GetVersion>(b"cudaRuntimeGetVersion\0") }.ok()?;
    let mut version = 0;
    (get_version(&mut version) == 0).then_some(version)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn runtime_version() -> Option<c_int> {
    None
}

//! What is taken from libraries that this process has: the driver's, the CUDA runtime's, C's.

use super::Unavailable;
use core::{
    ffi::{c_int, c_void},
    ptr::NonNull,
};
use libloading::Library;
use std::sync::OnceLock;

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

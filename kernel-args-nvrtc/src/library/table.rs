//! The table of library functions.

use crate::Error;
use libloading::Library;
use std::{
    ffi::{c_char, c_int, c_void},
    mem,
};

/// `nvrtcResult` as a number, because a newer NVRTC can return values that this version does not know.
pub(super) type Status = c_int;
/// `nvrtcProgram`.
pub(super) type Handle = *mut c_void;
/// A function that writes a size, and the function that writes that many bytes.
pub(super) type Size = unsafe extern "C" fn(Handle, *mut usize) -> Status;
pub(super) type Write = unsafe extern "C" fn(Handle, *mut c_char) -> Status;

pub(super) const SUCCESS: Status = 0;

macro_rules! entry_points {
    (
        always { $($name:ident($($argument:ty),* $(,)?);)* }
        newer { $($newer:ident($($newer_argument:ty),*);)* }
    ) => {
        /// The NVRTC library, loaded until the process ends.
        #[allow(non_snake_case, reason = "NVRTC's names")]
        pub struct Nvrtc {
            $(pub(super) $name: unsafe extern "C" fn($($argument),*) -> Status,)*
            $(pub(super) $newer: Option<unsafe extern "C" fn($($newer_argument),*) -> Status>,)*
            pub(super) nvrtcGetErrorString: unsafe extern "C" fn(Status) -> *const c_char,
        }

        impl Nvrtc {
            pub(super) fn load(library: &Library) -> Result<Self, Error> {
                Ok(Self {
                    // SAFETY: the table has the parameters of each function as the sections "General Information Query" and
                    // "Compilation" declare them. All return `nvrtcResult`, an enum of C with the size of `int`.
                    $($name: unsafe { symbol(library, stringify!($name)) }?,)*
                    // SAFETY: the table has the parameters of these functions as the same sections declare them.
                    $($newer: unsafe { symbol(library, stringify!($newer)) }.ok(),)*
                    // SAFETY: section "Error Handling": `const char* nvrtcGetErrorString(nvrtcResult result)`.
                    nvrtcGetErrorString: unsafe { symbol(library, "nvrtcGetErrorString") }?,
                })
            }
        }
    };
}

entry_points! {
    always {
        nvrtcVersion(*mut c_int, *mut c_int);
        nvrtcCreateProgram(
            *mut Handle, *const c_char, *const c_char, c_int, *const *const c_char, *const *const c_char
        );
        nvrtcDestroyProgram(*mut Handle);
        nvrtcCompileProgram(Handle, c_int, *const *const c_char);
        nvrtcAddNameExpression(Handle, *const c_char);
        nvrtcGetLoweredName(Handle, *const c_char, *mut *const c_char);
        nvrtcGetProgramLogSize(Handle, *mut usize);
        nvrtcGetProgramLog(Handle, *mut c_char);
        nvrtcGetPTXSize(Handle, *mut usize);
        nvrtcGetPTX(Handle, *mut c_char);
    }
    // Added in CUDA 11.1 and 11.2.
    newer {
        nvrtcGetNumSupportedArchs(*mut c_int);
        nvrtcGetSupportedArchs(*mut c_int);
        nvrtcGetCUBINSize(Handle, *mut usize);
        nvrtcGetCUBIN(Handle, *mut c_char);
    }
}

/// Returns one of the `newer` functions, or the error that the library lacks it.
macro_rules! newer {
    ($nvrtc:expr, $name:ident) => {
        $nvrtc.$name.ok_or(Error::EntryPoint(stringify!($name)))
    };
}
pub(super) use newer;

/// # Safety
/// `T` is the type of a function pointer that matches the library's function of this name.
unsafe fn symbol<T: Copy>(library: &Library, name: &'static str) -> Result<T, Error> {
    const {
        assert!(
            mem::size_of::<T>() == mem::size_of::<usize>(),
            "a function pointer"
        );
    };
    // SAFETY: the caller guarantees the type. The pointer never outlives the library, because `Nvrtc::open` never unloads it.
    let symbol = unsafe { library.get::<T>(name) };
    symbol
        .map(|function| *function)
        .map_err(|_| Error::EntryPoint(name))
}

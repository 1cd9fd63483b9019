//! Entry points that an older driver may not have.
//!
//! cudarc panics where the driver's library or one of its symbols is missing; these look first.

use super::error::{DriverCall, Error};
use cudarc::driver::sys::{CUfunction, CUresult};
use libloading::Library;
use std::{ffi::c_char, sync::OnceLock};

/// The driver's library, under the names that it has on this system.
fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    const NAMES: &[&str] = if cfg!(windows) {
        &["nvcuda.dll"]
    } else {
        &["libcuda.so", "libcuda.so.1"]
    };
    LIBRARY
        .get_or_init(|| {
            NAMES.iter().find_map(|name| {
                // SAFETY: NVIDIA's driver library may be loaded by any program; its initialisers have
                // no precondition.
                unsafe { Library::new(*name) }.ok()
            })
        })
        .as_ref()
}

pub(super) fn is_available() -> bool {
    library().is_some()
}

/// An error where there is no driver, before cudarc panics for it.
pub(super) fn require() -> Result<(), Error> {
    if is_available() {
        Ok(())
    } else {
        Err(Error::NoDriver)
    }
}

type GetParamInfo = unsafe extern "C" fn(CUfunction, usize, *mut usize, *mut usize) -> CUresult;
type GetName = unsafe extern "C" fn(*mut *const c_char, CUfunction) -> CUresult;

/// `cuFuncGetParamInfo`: driver 12.4 and newer. CUDA Driver API, "Execution Control".
#[inline]
pub(super) fn get_param_info() -> Option<GetParamInfo> {
    static SYMBOL: OnceLock<Option<GetParamInfo>> = OnceLock::new();
    *SYMBOL.get_or_init(|| {
        // SAFETY: the type is the documented one of this entry point.
        unsafe { library()?.get::<GetParamInfo>(b"cuFuncGetParamInfo\0") }
            .ok()
            .map(|symbol| *symbol)
    })
}

/// `cuFuncGetName`: driver 12.3 and newer. CUDA Driver API, "Execution Control".
pub(super) fn get_name() -> Option<GetName> {
    static SYMBOL: OnceLock<Option<GetName>> = OnceLock::new();
    *SYMBOL.get_or_init(|| {
        // SAFETY: the type is the documented one of this entry point.
        unsafe { library()?.get::<GetName>(b"cuFuncGetName\0") }
            .ok()
            .map(|symbol| *symbol)
    })
}

/// The error of a driver call, by the call's name.
pub(super) fn check(call: &'static str, status: CUresult) -> Result<(), Error> {
    match status {
        CUresult::CUDA_SUCCESS => Ok(()),
        error => Err(Error::Driver(DriverCall { call, error })),
    }
}

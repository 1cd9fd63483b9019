//! What the driver says about a kernel.

use crate::loader::Library;
use std::{
    collections::HashMap,
    ffi::{CStr, c_char, c_void},
    sync::{Arc, Mutex, PoisonError},
};

type ParamInfo = unsafe extern "C" fn(*mut c_void, usize, *mut usize, *mut usize) -> u32;
type ErrorName = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;

/// The offset and size in bytes of each parameter.
pub(crate) type Recorded = Arc<[(usize, usize)]>;

/// The most parameters that a kernel can have: 32,764 bytes of them.
const MOST: usize = 32_764;

pub(crate) struct Driver {
    /// `cuFuncGetParamInfo`, of CUDA 12.4.
    of_function: Option<ParamInfo>,
    /// `cuKernelGetParamInfo`: a launch also takes a `CUkernel`.
    of_kernel: Option<ParamInfo>,
    error_name: Option<ErrorName>,
    known: Mutex<HashMap<usize, Option<Recorded>>>,
}

/// The library of the driver.
pub(crate) fn library() -> Result<Library, String> {
    let files = ["libcuda.so.1", "libcuda.so"].map(String::from);
    Ok(Library::first(&files).ok_or("libcuda.so.1 cannot be loaded")?)
}

impl Driver {
    pub(crate) fn of(library: Library) -> Self {
        Self {
            // SAFETY: the type in the CUDA driver API's documentation.
            of_function: unsafe { library.function(c"cuFuncGetParamInfo") },
            // SAFETY: the type in the CUDA driver API's documentation.
            of_kernel: unsafe { library.function(c"cuKernelGetParamInfo") },
            // SAFETY: the type in the CUDA driver API's documentation.
            error_name: unsafe { library.function(c"cuGetErrorName") },
            known: Mutex::default(),
        }
    }

    /// The parameters of a `CUfunction` or `CUkernel`; `None` with a driver older than CUDA 12.4.
    pub(crate) fn parameters(&self, function: usize) -> Option<Recorded> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known
            .entry(function)
            .or_insert_with(|| {
                let queries = [self.of_function, self.of_kernel];
                queries
                    .into_iter()
                    .flatten()
                    .find_map(|query| all(query, function))
            })
            .clone()
    }

    /// Forgets the parameters of all functions.
    pub(crate) fn forget(&self) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clear();
    }

    /// `0`, or the number and the name of an error.
    pub(crate) fn status(&self, status: u32) -> String {
        if status == 0 {
            return String::from("0");
        }
        let mut name: *const c_char = std::ptr::null();
        if let Some(query) = self.error_name {
            // SAFETY: the function writes a pointer to a text of the driver, or null.
            let _ = unsafe { query(status, &raw mut name) };
        }
        if name.is_null() {
            return status.to_string();
        }
        // SAFETY: the driver's texts end with a zero, and live as long as the driver.
        let name = unsafe { CStr::from_ptr(name) };
        format!("{status} {}", name.to_string_lossy())
    }
}

/// All parameters, until the driver knows no further one.
fn all(query: ParamInfo, function: usize) -> Option<Recorded> {
    const INVALID_VALUE: u32 = 1;
    let mut parameters = Vec::new();
    for index in 0..=MOST {
        let (mut offset, mut size) = (0, 0);
        // SAFETY: a launch has just taken this handle, and the pointers are valid.
        match unsafe {
            query(
                function as *mut c_void,
                index,
                &raw mut offset,
                &raw mut size,
            )
        } {
            0 => parameters.push((offset, size)),
            INVALID_VALUE => return Some(parameters.into()),
            _ => return None,
        }
    }
    None
}

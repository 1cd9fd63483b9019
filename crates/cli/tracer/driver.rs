//! What the driver says about a kernel.

use crate::loader::Library;
use std::{
    collections::HashMap,
    ffi::{CStr, c_char, c_void},
    sync::{Arc, Mutex, PoisonError},
};

type ParamInfo = unsafe extern "C" fn(*mut c_void, usize, *mut usize, *mut usize) -> u32;
type PointerAttributes = unsafe extern "C" fn(u32, *const u32, *const *mut u64, u64) -> u32;
type ContextDevice = unsafe extern "C" fn(*mut i32) -> u32;
type DeviceAttribute = unsafe extern "C" fn(*mut i32, u32, i32) -> u32;
type ErrorName = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;

/// The offset and size in bytes of each parameter.
pub(crate) type Recorded = Arc<[(usize, usize)]>;

/// The most parameters that a kernel can have: 32,764 bytes of them.
const MOST: usize = 32_764;

/// The memory at an address.
pub(crate) struct Allocation {
    /// `CUmemorytype`; 0 if no allocation contains the address.
    pub(crate) kind: u64,
    pub(crate) device: u32,
    /// The address for kernels of the current context.
    pub(crate) pointer: u64,
    pub(crate) start: u64,
    /// In bytes.
    pub(crate) size: u64,
}

impl Allocation {
    /// `CU_MEMORYTYPE_HOST`
    pub(crate) const HOST: u64 = 1;
}

pub(crate) struct Driver {
    /// `cuFuncGetParamInfo`, of CUDA 12.4.
    of_function: Option<ParamInfo>,
    /// `cuKernelGetParamInfo`: a launch also takes a `CUkernel`.
    of_kernel: Option<ParamInfo>,
    error_name: Option<ErrorName>,
    pointer_attributes: Option<PointerAttributes>,
    context_device: Option<ContextDevice>,
    device_attribute: Option<DeviceAttribute>,
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
            // SAFETY: the type in the CUDA driver API's documentation: an array of as many attributes as pointers to their values.
            pointer_attributes: unsafe { library.function(c"cuPointerGetAttributes") },
            // SAFETY: the type in the CUDA driver API's documentation.
            context_device: unsafe { library.function(c"cuCtxGetDevice") },
            // SAFETY: the type in the CUDA driver API's documentation.
            device_attribute: unsafe { library.function(c"cuDeviceGetAttribute") },
            known: Mutex::default(),
        }
    }

    /// The parameters of a `CUfunction` or `CUkernel`; `None` with a driver older than CUDA 12.4.
    pub(crate) fn parameters(&self, function: usize) -> Option<Recorded> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recorded) = known().get(&function) {
            return recorded.clone();
        }
        // Not under the lock: with lazy loading the query loads the module of the function, whose callback calls `forget`.
        let queries = [self.of_function, self.of_kernel].into_iter().flatten();
        let recorded = { queries }.find_map(|query| all(query, function));
        known().insert(function, recorded.clone());
        recorded
    }

    /// The number of the current device.
    pub(crate) fn device(&self) -> Option<i32> {
        let mut device = 0;
        // SAFETY: the call writes one number.
        let error = unsafe { self.context_device?(&raw mut device) };
        (error == 0).then_some(device)
    }

    /// Whether kernels of a device can access all memory of the process.
    pub(crate) fn is_pageable(&self, device: i32) -> Option<bool> {
        /// `CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS`
        const PAGEABLE: u32 = 88;
        let mut pageable = 0;
        // SAFETY: the call writes one number.
        let error = unsafe { self.device_attribute?(&raw mut pageable, PAGEABLE, device) };
        (error == 0).then_some(pageable != 0)
    }

    /// What the driver knows of an address.
    pub(crate) fn memory(&self, address: u64) -> Option<Allocation> {
        /// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `_DEVICE_ORDINAL`, `_DEVICE_POINTER`, `_RANGE_START_ADDR`, `_RANGE_SIZE`.
        const ATTRIBUTES: [u32; 5] = [2, 9, 3, 11, 12];
        // The kind and the device have 4 bytes; the driver writes the lower ones.
        let mut values = [0_u64; 5];
        let places: [*mut u64; 5] = values.each_mut().map(|value| &raw mut *value);
        // SAFETY: as many attributes as places, each with room for the largest. Any address may be asked about: "this function will not
        // return an error when the ptr encountered is not a valid CUDA pointer" (`cuPointerGetAttributes`).
        let error = unsafe { self.pointer_attributes?(5, ATTRIBUTES.as_ptr(), places.as_ptr(), address) };
        let [kind, device, pointer, start, size] = values;
        (error == 0).then_some(Allocation { kind, device: device as u32, pointer, start, size })
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
        match unsafe { query(function as *mut c_void, index, &raw mut offset, &raw mut size) } {
            0 => parameters.push((offset, size)),
            INVALID_VALUE => return Some(parameters.into()),
            _ => return None,
        }
    }
    None
}

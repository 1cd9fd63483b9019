//! What the driver says about a kernel.

use crate::{loader::Library, lock};
use std::{
    collections::HashMap,
    ffi::{CStr, c_char, c_void},
    sync::{Arc, Mutex},
};

/// The offset and size in bytes of each parameter.
pub(crate) type Recorded = Arc<[(usize, usize)]>;

/// `CUDA_ERROR_NOT_FOUND`, for a function that the driver lacks.
const MISSING: u32 = 500;

type ParamInfo = unsafe extern "C" fn(*mut c_void, usize, *mut usize, *mut usize) -> u32;

/// The most parameters that a kernel can have: 32,764 bytes of them.
const MOST: usize = 32_764;

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

macro_rules! functions {
    ($($(#[$docs:meta])* $field:ident = $name:literal($($argument:ty),*);)*) => {
        /// The driver's functions; it may be too old for some of them.
        pub(crate) struct Driver {
            $($(#[$docs])* $field: Option<unsafe extern "C" fn($($argument),*) -> u32>,)*
            known: Mutex<HashMap<usize, Option<Recorded>>>,
        }

        impl Driver {
            pub(crate) fn of(library: Library) -> Self {
                Self {
                    // SAFETY: the types in the CUDA driver API's documentation.
                    $($field: unsafe { library.function($name) },)*
                    known: Mutex::default(),
                }
            }
        }
    };
}

functions! {
    /// Of CUDA 12.4.
    of_function = c"cuFuncGetParamInfo"(*mut c_void, usize, *mut usize, *mut usize);
    /// A launch also takes a `CUkernel`.
    of_kernel = c"cuKernelGetParamInfo"(*mut c_void, usize, *mut usize, *mut usize);
    error_name = c"cuGetErrorName"(u32, *mut *const c_char);
    /// An array of as many attributes as pointers to their values.
    pointer_attributes = c"cuPointerGetAttributes"(u32, *const u32, *const *mut u64, u64);
    context_device = c"cuCtxGetDevice"(*mut i32);
    device_attribute = c"cuDeviceGetAttribute"(*mut i32, u32, i32);
    device_name = c"cuDeviceGetName"(*mut c_char, i32, i32);
    version = c"cuDriverGetVersion"(*mut i32);
    synchronize = c"cuCtxSynchronize"();
    is_capturing = c"cuStreamIsCapturing"(usize, *mut i32);
    copy = c"cuMemcpyDtoH_v2"(*mut c_void, u64, usize);
}

pub(crate) fn library() -> Result<Library, String> {
    let files = ["libcuda.so.1", "libcuda.so"].map(String::from);
    Ok(Library::first(&files).ok_or("libcuda.so.1 cannot be loaded")?)
}

impl Driver {
    /// `None` with a driver older than CUDA 12.4.
    pub(crate) fn parameters(&self, function: usize) -> Option<Recorded> {
        if let Some(recorded) = lock(&self.known).get(&function) {
            return recorded.clone();
        }
        // Not under the lock: with lazy loading the query loads the module of the function, whose callback calls
        // `forget`.
        let queries = [self.of_function, self.of_kernel].into_iter().flatten();
        let recorded = { queries }.find_map(|query| all(query, function));
        lock(&self.known).insert(function, recorded.clone());
        recorded
    }

    pub(crate) fn device(&self) -> Option<i32> {
        let mut device = 0;
        // SAFETY: the call writes one number.
        let error = unsafe { self.context_device?(&raw mut device) };
        (error == 0).then_some(device)
    }

    fn attribute(&self, device: i32, attribute: u32) -> Option<i32> {
        let mut value = 0;
        // SAFETY: the call writes one number.
        let error = unsafe { self.device_attribute?(&raw mut value, attribute, device) };
        (error == 0).then_some(value)
    }

    pub(crate) fn is_pageable(&self, device: i32) -> Option<bool> {
        /// `CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS`
        const PAGEABLE: u32 = 88;
        self.attribute(device, PAGEABLE).map(|pageable| pageable != 0)
    }

    /// Returns the status of the context after all its work.
    pub(crate) fn synchronize(&self) -> u32 {
        // SAFETY: a callback of CUPTI may synchronize the context, which is current for a launch.
        self.synchronize.map_or(MISSING, |synchronize| unsafe { synchronize() })
    }

    /// Returns whether the stream is captured: a launch does not run then.
    pub(crate) fn captures(&self, stream: usize) -> bool {
        let mut status = 0;
        // SAFETY: the stream of a launch that runs now; the pointer is valid.
        let result = self.is_capturing.map_or(MISSING, |query| unsafe { query(stream, &raw mut status) });
        result != 0 || status != 0
    }

    pub(crate) fn copy(&self, to: &mut [u8], from: u64) -> Result<(), String> {
        let to = (to.as_mut_ptr().cast(), to.len());
        // SAFETY: `to` has this length; the driver refuses the copy if no allocation has these bytes.
        match self.copy.map_or(MISSING, |copy| unsafe { copy(to.0, from, to.1) }) {
            0 => Ok(()),
            status => Err(format!("the memory cannot be copied: error {status}")),
        }
    }

    /// As far as they are known.
    pub(crate) fn machine(&self) -> [String; 3] {
        /// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
        const MAJOR_MINOR: [u32; 2] = [75, 76];
        let device = self.device().unwrap_or(0);
        let (mut version, mut name) = (0, [0_u8; 256]);
        // SAFETY: the pointer is valid.
        self.version.map(|query| unsafe { query(&raw mut version) });
        // SAFETY: room for 256 bytes, of which the last stays 0.
        self.device_name.map(|query| unsafe { query(name.as_mut_ptr().cast(), 255, device) });
        let [major, minor] = MAJOR_MINOR.map(|attribute| self.attribute(device, attribute).unwrap_or(0));
        let name = CStr::from_bytes_until_nul(&name).unwrap_or_default();
        [
            name.to_string_lossy().into_owned(),
            format!("sm_{major}{minor}"),
            format!("{}.{}", version / 1000, version % 1000 / 10),
        ]
    }

    pub(crate) fn memory(&self, address: u64) -> Option<Allocation> {
        /// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, `_DEVICE_ORDINAL`, `_DEVICE_POINTER`, `_RANGE_START_ADDR`,
        /// `_RANGE_SIZE`.
        const ATTRIBUTES: [u32; 5] = [2, 9, 3, 11, 12];
        // The kind and the device have 4 bytes; the driver writes the lower ones.
        let mut values = [0_u64; 5];
        let places: [*mut u64; 5] = values.each_mut().map(|value| &raw mut *value);
        // SAFETY: as many attributes as places, each with room for the largest. Any address may be asked about: "this
        // function will not return an error when the ptr encountered is not a valid CUDA pointer"
        // (`cuPointerGetAttributes`).
        let error = unsafe { self.pointer_attributes?(5, ATTRIBUTES.as_ptr(), places.as_ptr(), address) };
        let [kind, device, pointer, start, size] = values;
        (error == 0).then_some(Allocation { kind, device: device as u32, pointer, start, size })
    }

    pub(crate) fn forget(&self) {
        lock(&self.known).clear();
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

/// Returns all parameters, until the driver knows no further one.
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

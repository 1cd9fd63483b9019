//! Libraries that are loaded at run time.

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    mem::transmute_copy,
};

const RTLD_LAZY: c_int = 1;
/// Only if it is already loaded.
const RTLD_NOLOAD: c_int = 4;

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// A library that is never unloaded.
#[derive(Clone, Copy)]
pub(crate) struct Library(*mut c_void);

impl Library {
    /// In this order; a library that is already loaded is preferred.
    pub(crate) fn first(files: &[String]) -> Option<Self> {
        let open = |file: &String, flags| {
            let file = CString::new(file.as_str()).ok()?;
            // SAFETY: a text that ends with a zero.
            let library = unsafe { dlopen(file.as_ptr(), flags) };
            (!library.is_null()).then_some(Self(library))
        };
        let loaded = files.iter().find_map(|file| open(file, RTLD_LAZY | RTLD_NOLOAD));
        loaded.or_else(|| files.iter().find_map(|file| open(file, RTLD_LAZY)))
    }

    /// Returns a function of the library, as the type `F`.
    ///
    /// # Safety
    /// `F` is the type of a pointer to this function.
    pub(crate) unsafe fn function<F: Copy>(self, name: &CStr) -> Option<F> {
        const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
        // SAFETY: the library is never unloaded, and the name ends with a zero.
        let function = unsafe { dlsym(self.0, name.as_ptr()) };
        // SAFETY: a pointer to a function has the size of this pointer, and the caller guarantees the type.
        (!function.is_null()).then(|| unsafe { transmute_copy(&function) })
    }
}

//! The name of a function, as the driver tells it.

use crate::driver::api::{Status, api};
use cudarc::driver::sys::CUfunction;
use std::{ffi::CStr, ptr, string::String};

/// What stands for the name of a function whose driver does not tell it.
pub(crate) const UNNAMED: &str = "(unnamed)";

/// The function's symbol, for messages; drivers before 12.3 do not tell it.
///
/// # Safety
/// `function` is loaded.
pub(crate) unsafe fn function_name(function: CUfunction) -> String {
    let mut name = ptr::null();
    let get_name = api().ok().and_then(|api| api.cuFuncGetName);
    let found = get_name.is_some_and(|get_name| {
        // SAFETY: the caller vouches for the function; `name` outlives the call.
        unsafe { get_name(&raw mut name, function) == Status::SUCCESS }
    });
    if found && !name.is_null() {
        // SAFETY: the driver returned a text that ends with NUL and lives as long as the function.
        unsafe { CStr::from_ptr(name) }
            .to_string_lossy()
            .into_owned()
    } else {
        String::from(UNNAMED)
    }
}

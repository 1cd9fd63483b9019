//! The names and descriptions of errors: `cuGetErrorName`, `cuGetErrorString`.

use std::ffi::c_char;

use crate::{
    entry::Out,
    error::{Status, entry},
};

entry_points! {
    fn cuGetErrorName(_driver, error: Status, name: Out<*const c_char>) {
        match entry(error.0) {
            Ok((text, _)) => name.set(text.as_ptr()),
            Err(status) => {
                name.set_if_wanted(std::ptr::null());
                Err(status)
            }
        }
    }

    fn cuGetErrorString(driver, error: Status, text: Out<*const c_char>) {
        match entry(error.0) {
            Ok((_, description)) => text.set(driver.faulted(error).unwrap_or(description).as_ptr()),
            Err(status) => {
                text.set_if_wanted(std::ptr::null());
                Err(status)
            }
        }
    }
}

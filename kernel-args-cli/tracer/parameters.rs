//! The bytes of a launch's parameters.

use crate::cupti::{Launch, Parameters};
use std::{
    ffi::{c_int, c_ulong, c_void},
    fmt::Write as _,
    process, slice,
};

/// A parameter: its offset, and its bytes.
pub(crate) type Value = (usize, Vec<u8>);

/// The parameters of a launch; `None` if it is not known where they are.
///
/// # Safety
/// If `is_accepted`, the driver has accepted these parameters for a function with the parameters `recorded`.
pub(crate) unsafe fn bytes(
    launch: &Launch,
    recorded: Option<&[(usize, usize)]>,
    is_accepted: bool,
) -> Option<Vec<Value>> {
    let read = |address: *const u8, size: usize| {
        if !is_accepted {
            return peek(address, size);
        }
        // SAFETY: the driver has read this many bytes there.
        Some(unsafe { slice::from_raw_parts(address, size) }.to_vec())
    };
    let value = |(index, &(offset, size)): (usize, &(usize, usize))| {
        let address = match launch.parameters {
            // The array has a pointer for each parameter (`cuLaunchKernel` in the CUDA driver API's documentation).
            Parameters::Array(array) => read(array.wrapping_add(index).cast(), size_of::<usize>())
                .and_then(|bytes| Some(usize::from_ne_bytes(bytes.try_into().ok()?)))
                .map(|address| address as *const u8),
            Parameters::Buffer(buffer, length) if offset + size <= length => {
                Some(buffer.wrapping_add(offset))
            }
            _ => None,
        };
        let address = address.filter(|address| !address.is_null())?;
        Some((offset, read(address, size)?))
    };
    recorded?.iter().enumerate().map(value).collect()
}

/// `offset size bytes` of each parameter, the bytes in hexadecimal, separated by commas; `?` if they are not known.
pub(crate) fn text(values: Option<&[Value]>) -> String {
    let Some(values) = values else {
        return String::from("?");
    };
    let mut text = String::new();
    for (offset, bytes) in values {
        let separator = if text.is_empty() { "" } else { "," };
        let _ = write!(text, "{separator}{offset} {} ", bytes.len());
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
    }
    text
}

/// `struct iovec`
#[repr(C)]
struct Part {
    address: *mut c_void,
    size: usize,
}

unsafe extern "C" {
    fn process_vm_readv(
        process: c_int,
        to: *const Part,
        to_count: c_ulong,
        from: *const Part,
        from_count: c_ulong,
        flags: c_ulong,
    ) -> isize;
}

/// Reads memory of this process that may not exist: the driver can have refused a launch because of it.
fn peek(address: *const u8, size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0_u8; size];
    let to = Part {
        address: bytes.as_mut_ptr().cast(),
        size,
    };
    let from = Part {
        address: address.cast_mut().cast(),
        size,
    };
    let process = c_int::try_from(process::id()).ok()?;
    // SAFETY: `to` is memory of this size; the kernel checks `from` (`process_vm_readv(2)`: `EFAULT`).
    let read = unsafe { process_vm_readv(process, &raw const to, 1, &raw const from, 1, 0) };
    usize::try_from(read)
        .is_ok_and(|read| read == size)
        .then_some(bytes)
}

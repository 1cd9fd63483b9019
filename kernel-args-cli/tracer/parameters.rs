//! The bytes of a launch's parameters.

use crate::{
    cupti::{Launch, Parameters},
    driver::Driver,
};
use std::{
    ffi::{c_int, c_ulong, c_void},
    fmt::Write as _,
    process, slice,
};

/// `offset size bytes` of each parameter, the bytes in hexadecimal, separated by commas; `?` if it is not known where the parameters are.
///
/// # Safety
/// If `is_accepted`, the driver has accepted these parameters for a function with the parameters `recorded`.
pub(crate) unsafe fn copy(
    launch: &Launch,
    recorded: Option<&[(usize, usize)]>,
    is_accepted: bool,
) -> String {
    let Some(recorded) = recorded else {
        return String::from("?");
    };
    let read = |address: *const u8, size: usize| {
        if !is_accepted {
            return peek(address, size);
        }
        // SAFETY: the driver has read this many bytes there.
        Some(unsafe { slice::from_raw_parts(address, size) }.to_vec())
    };
    let mut text = String::new();
    for (index, &(offset, size)) in recorded.iter().enumerate() {
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
        let bytes = address
            .filter(|address| !address.is_null())
            .and_then(|address| read(address, size));
        let Some(bytes) = bytes else {
            return String::from("?");
        };
        let separator = if text.is_empty() { "" } else { "," };
        let _ = write!(text, "{separator}{offset} {size} ");
        for byte in bytes {
            let _ = write!(text, "{byte:02x}");
        }
    }
    text
}

/// What is known about the words of a launch's parameters that may be pointers, before the launch:
/// `device pageable`, then for each word `offset kind device address`, separated by commas. A word at the end of an allocation has the
/// kind `end`, one that points to other memory of the process `host`. Nothing is sent about words that cannot be addresses.
///
/// `values` is what [`copy`] has returned.
pub(crate) fn memory(driver: &Driver, values: &str) -> Option<String> {
    let (device, is_pageable) = driver.device()?;
    let mut text = format!("{device} {}", u8::from(is_pageable));
    for value in values.split(',') {
        let mut fields = value.split(' ');
        let (Some(offset), _, Some(digits)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let start: usize = offset.parse().ok()?;
        // Pointers are aligned to 8 bytes.
        for at in (start.next_multiple_of(8)..).step_by(8) {
            let Some(word) = digits.get(2 * (at - start)..2 * (at - start) + 16) else {
                break;
            };
            let word = u64::from_str_radix(word, 16).ok()?.swap_bytes();
            if word == 0 {
                continue;
            }
            let [kind, owner, address] = driver.memory(word)?;
            let kind = match kind {
                0 if driver.memory(word - 1)?[0] != 0 => "end",
                0 if peek(word as *const u8, 1).is_some() => "host",
                0 => "0",
                1 => "1",
                _ => "2",
            };
            let owner = owner as u32;
            let _ = write!(text, ",{at} {kind} {owner} {address:x}");
        }
    }
    Some(text)
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

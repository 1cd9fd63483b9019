//! The bytes of a launch's parameters.

use crate::{
    cupti::{LaunchCall, Parameters},
    driver::{Allocation, Driver},
    protocol::{Handle, Memory, MemoryKind, Passed, Word},
};
use std::{
    ffi::{c_int, c_ulong, c_void},
    process, slice,
};

/// Returns the parameters of a launch; `None` if it is not known where they are.
///
/// # Safety
/// If `is_accepted`, the driver has accepted these parameters for a function with the parameters `recorded`.
pub(crate) unsafe fn bytes(
    launch: &LaunchCall,
    recorded: Option<&[(usize, usize)]>,
    is_accepted: bool,
) -> Option<Vec<Passed>> {
    let read = |parts: &[IoVec]| {
        if !is_accepted {
            return peek(parts);
        }
        // SAFETY: the driver has read this many bytes there.
        let part = |part: &IoVec| unsafe { slice::from_raw_parts(part.address.cast(), part.size) };
        Some(parts.iter().map(part).collect::<Vec<&[u8]>>().concat())
    };
    let recorded = recorded?;
    if recorded.is_empty() {
        return Some(Vec::new());
    }
    let places: Vec<IoVec> = match launch.parameters {
        // The array has a pointer for each parameter (`cuLaunchKernel` in the CUDA driver API's documentation).
        Parameters::Array(array) => {
            let addresses =
                read(&[IoVec { address: array.cast_mut().cast(), size: recorded.len() * size_of::<usize>() }])?;
            let addresses = addresses.as_chunks().0.iter().copied().map(usize::from_ne_bytes);
            let part =
                |(address, &(_, size)): (usize, &(usize, usize))| IoVec { address: address as *mut c_void, size };
            addresses.zip(recorded).map(part).collect()
        }
        Parameters::Buffer(buffer, length) => {
            let part = |&(offset, size): &(usize, usize)| {
                let address = buffer.wrapping_add(offset).cast_mut().cast();
                (offset + size <= length).then_some(IoVec { address, size })
            };
            recorded.iter().map(part).collect::<Option<_>>()?
        }
        Parameters::None => return None,
    };
    if places.iter().any(|place| place.address.is_null()) {
        return None;
    }
    let bytes = read(&places)?;
    let mut rest = bytes.as_slice();
    let value = |&(offset, size): &(usize, usize)| {
        let bytes = rest.split_off(..size)?;
        Some(Passed { offset, bytes: bytes.to_vec() })
    };
    recorded.iter().map(value).collect()
}

/// Before the launch.
pub(crate) fn memory(driver: &Driver, values: &[Passed]) -> Option<Memory> {
    let device = driver.device()?;
    let mut memory = Memory { device: device.cast_unsigned(), is_pageable: false, words: Vec::new() };
    for passed in values {
        for (at, word) in words(passed) {
            let known = driver.memory(word)?;
            let place = match known.kind {
                0 if driver.memory(word - 1)?.kind != 0 => MemoryKind::End,
                0 if exists(word) => {
                    memory.is_pageable = driver.is_pageable(device)?;
                    MemoryKind::Host
                }
                0 => MemoryKind::Nowhere,
                Allocation::HOST => MemoryKind::Registered,
                _ => MemoryKind::Device,
            };
            let address = Handle(known.pointer);
            memory.words.push(Word { offset: passed.offset + at, place, device: known.device, address });
        }
    }
    Some(memory)
}

/// With their offsets in the parameter. Pointers are aligned to 8 bytes.
pub(crate) fn words(Passed { offset, bytes }: &Passed) -> impl Iterator<Item = (usize, u64)> {
    let first = offset.next_multiple_of(8) - offset;
    let words = bytes.get(first..).unwrap_or_default().chunks_exact(8);
    let word = move |(index, word): (usize, &[u8])| {
        let word = word.try_into().map_or(0, u64::from_ne_bytes);
        (first + index * 8, word)
    };
    words.enumerate().map(word).filter(|(_, word)| *word != 0)
}

/// `struct iovec`
#[repr(C)]
struct IoVec {
    address: *mut c_void,
    size: usize,
}

unsafe extern "C" {
    fn process_vm_readv(
        process: c_int,
        to: *const IoVec,
        to_count: c_ulong,
        from: *const IoVec,
        from_count: c_ulong,
        flags: c_ulong,
    ) -> isize;
}

/// Reads memory that may not exist: the driver can have refused a launch because of it.
fn peek(parts: &[IoVec]) -> Option<Vec<u8>> {
    /// `IOV_MAX`
    const MOST: usize = 1024;
    let process = c_int::try_from(process::id()).ok()?;
    let mut all = Vec::new();
    for parts in parts.chunks(MOST) {
        let mut bytes = vec![0_u8; parts.iter().map(|part| part.size).sum()];
        let to = IoVec { address: bytes.as_mut_ptr().cast(), size: bytes.len() };
        let count = parts.len() as c_ulong;
        // SAFETY: `to` is memory of this size; the kernel checks `parts` (`process_vm_readv(2)`: `EFAULT`).
        let read = unsafe { process_vm_readv(process, &raw const to, 1, parts.as_ptr(), count, 0) };
        if !usize::try_from(read).is_ok_and(|read| read == bytes.len()) {
            return None;
        }
        all.append(&mut bytes);
    }
    Some(all)
}

fn exists(address: u64) -> bool {
    let address = address as *mut c_void;
    peek(&[IoVec { address, size: 1 }]).is_some()
}

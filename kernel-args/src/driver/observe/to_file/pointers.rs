//! The allocations that the arguments of a launch point to.

use crate::driver::api::{Allocation, Api, CallError, Readable};
use kernel_args_abi::{Class, CppBase, Parameter};
use kernel_args_image::recording::{ElementType, Manifest, Memory, Pointer};
use std::io::{self, Read};

/// Adds the memory that the next parameter of `manifest` points to, and its allocation.
///
/// Looks each aligned word of an argument up, whatever its type: structs without known members and integers can contain
/// pointers too. `promised` makes the memory of a pointer readable.
pub(super) fn add_memory(
    manifest: &mut Manifest,
    allocations: &mut Vec<Readable>,
    api: &Api,
    parameter: &Parameter<'_>,
    bytes: &[u8],
    promised: impl Fn(Allocation) -> Option<Readable>,
) -> Result<(), CallError> {
    let Manifest { parameters, memory, pointers, .. } = manifest;
    for (word, bytes) in bytes.chunks_exact(size_of::<u64>()).enumerate() {
        let address = bytes.try_into().map_or(0, u64::from_ne_bytes);
        if address == 0 {
            continue;
        }
        let Some(found) = api.allocation(address)? else { continue };
        let readable = if parameter.class == Class::Pointer { promised(found) } else { found.of_gpu() };
        let Some(readable) = readable else { continue };
        let known = memory.iter().position(|one| one.address == found.start);
        let index = known.unwrap_or_else(|| {
            allocations.push(readable);
            memory.push(Memory { address: found.start, size: found.size, elements: elements(parameter) });
            memory.len() - 1
        });
        if memory[index].elements != elements(parameter) {
            memory[index].elements = None;
        }
        pointers.push(Pointer {
            parameter: parameters.len(),
            at: word * size_of::<u64>(),
            memory: index,
            offset: address - found.start,
        });
    }
    Ok(())
}

fn elements(pointer: &Parameter<'_>) -> Option<ElementType> {
    if pointer.cpp.depth != 1 {
        return None;
    }
    match pointer.cpp.base {
        CppBase::Float { bits: 32 } => Some(ElementType::F32),
        CppBase::Float { bits: 64 } => Some(ElementType::F64),
        _ => None,
    }
}

/// Reads an allocation from its start.
pub(super) struct Content<'a> {
    api: &'a Api,
    allocation: &'a Readable,
    at: u64,
}

impl<'a> Content<'a> {
    /// In pieces that take the driver longer than a call does.
    pub(super) fn of(api: &'a Api, allocation: &'a Readable) -> impl Read {
        const PIECE: usize = 4 << 20;
        io::BufReader::with_capacity(PIECE, Self { api, allocation, at: 0 })
    }
}

impl Read for Content<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let left = self.allocation.allocation().size - self.at;
        let length = left.min(to.len() as u64) as usize;
        if length == 0 {
            return Ok(0);
        }
        let read = self.allocation.read(self.api, self.at, &mut to[..length]);
        read.map_err(|error| io::Error::other(crate::driver::error::Error::from(error)))?;
        self.at += length as u64;
        Ok(length)
    }
}

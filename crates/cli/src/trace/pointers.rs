//! `--check-pointers`: what is wrong with the pointers of a launch. The tracer has looked up the memory; it never changes the program.

use super::{
    kernels::Argument,
    protocol::{Launch, Memory, MemoryKind, Word},
};
use kernel_args_abi::{
    Parameter,
    pointers::{element_align, for_each_pointer},
};
use std::{convert::Infallible, fmt};

pub(super) struct BadPointer {
    /// The name of the parameter with the path to the pointer, or `parameter 2`.
    pub(super) parameter: String,
    pub(super) address: u64,
    pub(super) problem: Problem,
}

pub(super) enum Problem {
    /// Memory of the process that kernels cannot access, at least not at this address.
    Host,
    NotAllocated,
    OtherDevice {
        memory: u32,
        kernel: u32,
    },
    Misaligned {
        required: usize,
    },
}

/// Nothing is known about a launch whose parameters are not known.
pub(super) fn check(launch: &Launch, parameters: &[Parameter<'_>], arguments: &[Argument<'_>]) -> Vec<BadPointer> {
    let (Some(memory), Some(values)) = (&launch.memory, &launch.values) else {
        return Vec::new();
    };
    let mut bad = Vec::new();
    for (index, ((parameter, passed), argument)) in parameters.iter().zip(values).zip(arguments).enumerate() {
        let name = argument.shown_name(index);
        let named = Parameter { name: &name, ..*parameter };
        let Ok(()) = for_each_pointer::<Infallible>(&named, &passed.bytes, &mut |pointer| {
            let (at, address) = (passed.offset.saturating_add(pointer.offset), pointer.address);
            // The driver has only been asked about words that are not null.
            let word = memory.words.binary_search_by_key(&at, |word| word.offset);
            let found = word.ok().map(|word| &memory.words[word]).filter(|_| !pointer.is_integer && address != 0);
            let problem = found.and_then(|word| {
                let misaligned = || misaligned(address, element_align(pointer.parameter));
                located(memory, address, word).or_else(misaligned)
            });
            bad.extend(problem.map(|problem| BadPointer { parameter: pointer.path.to_string(), address, problem }));
            Ok(())
        });
    }
    bad
}

fn located(memory: &Memory, address: u64, word: &Word) -> Option<Problem> {
    let kernel = memory.device;
    match word.place {
        MemoryKind::Device if word.address.0 == 0 && word.device != kernel => {
            Some(Problem::OtherDevice { memory: word.device, kernel })
        }
        MemoryKind::Registered if word.address.0 != address => Some(Problem::Host),
        MemoryKind::Host if !memory.is_pageable => Some(Problem::Host),
        MemoryKind::Nowhere => Some(Problem::NotAllocated),
        // Kernels take the end of a range as a pointer.
        MemoryKind::Device | MemoryKind::Registered | MemoryKind::Host | MemoryKind::End => None,
    }
}

fn misaligned(address: u64, required: usize) -> Option<Problem> {
    let is_aligned = address.is_multiple_of(required.max(1) as u64);
    (!is_aligned).then_some(Problem::Misaligned { required })
}

impl fmt::Display for BadPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { parameter, address, problem } = self;
        write!(f, "{parameter} = {address:#x} {problem}")
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Host => f.write_str("points to host memory, which the GPU cannot access at this address"),
            Self::NotAllocated => {
                f.write_str("points to memory that is not allocated: it was freed, or never allocated")
            }
            Self::OtherDevice { memory, kernel } => {
                write!(f, "points to memory of GPU {memory}, which GPU {kernel} cannot access")
            }
            Self::Misaligned { required } => {
                write!(f, "is not aligned to {required} bytes, as its type needs")
            }
        }
    }
}

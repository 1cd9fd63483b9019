//! `--check-pointers`: what is wrong with the pointers of a launch, whose memory the tracer has looked up.

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
    /// With the path to the pointer, or `parameter 2`.
    pub(super) parameter: String,
    pub(super) address: u64,
    pub(super) problem: String,
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
            let problem = found.and_then(|word| problem(memory, address, word, element_align(pointer.parameter)));
            bad.extend(problem.map(|problem| BadPointer { parameter: pointer.path.to_string(), address, problem }));
            Ok(())
        });
    }
    bad
}

fn problem(memory: &Memory, address: u64, word: &Word, align: usize) -> Option<String> {
    let is_host = match word.place {
        MemoryKind::Device if word.address.0 == 0 && word.device != memory.device => {
            let (memory, kernel) = (word.device, memory.device);
            return Some(format!("points to memory of GPU {memory}, which GPU {kernel} cannot access"));
        }
        MemoryKind::Nowhere => {
            return Some("points to memory that is not allocated: it was freed, or never allocated".to_owned());
        }
        // Memory of the process that kernels cannot access, at least not at this address.
        MemoryKind::Registered => word.address.0 != address,
        MemoryKind::Host => !memory.is_pageable,
        // Kernels take the end of a range as a pointer.
        MemoryKind::Device | MemoryKind::End => false,
    };
    if is_host {
        return Some("points to host memory, which the GPU cannot access at this address".to_owned());
    }
    let is_aligned = address.is_multiple_of(align.max(1) as u64);
    (!is_aligned).then(|| format!("is not aligned to {align} bytes, as its type needs"))
}

impl fmt::Display for BadPointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {:#x} {}", self.parameter, self.address, self.problem)
    }
}

//! Debug information in an image.

use crate::dwarf::{self, DebugInfo};
use alloc::vec::Vec;
use kernel_args_abi::Members;

/// The debug information of the texts and cubins of an image.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Debug {
    parts: Vec<(Part, DebugInfo)>,
    /// Why debug information is not read, in whole or of single kernels.
    pub(super) errors: Vec<(Part, dwarf::Error)>,
}

/// A text or cubin of an image, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Text(u32),
    Cubin(u32),
}

impl Debug {
    /// Adds what a text or cubin says of its kernels: how much memory it takes. What cannot be read is told by
    /// [`Kernels::debug_errors`](super::Kernels::debug_errors); the rest of the image tells its parameters without it.
    pub(super) fn add<'k>(
        &mut self,
        part: Part,
        bytes: &[u8],
        kernels: impl Iterator<Item = &'k str>,
    ) -> usize {
        let read = match part {
            Part::Text(_) => DebugInfo::of_ptx(bytes, kernels),
            Part::Cubin(_) => DebugInfo::of_cubin(bytes, kernels),
        };
        match read {
            Ok(mut info) => {
                let errors = info.take_errors().into_iter();
                self.errors.extend(errors.map(|error| (part, error)));
                let weight = info.weight();
                if info.symbols().len() > 0 {
                    self.parts.push((part, info));
                }
                weight
            }
            Err(error) => {
                self.errors.push((part, error));
                size_of::<(Part, dwarf::Error)>()
            }
        }
    }

    /// What is said of the kernel in this part, or else in any other.
    pub(super) fn parameters(&self, part: Option<Part>, symbol: &str) -> Members<'_> {
        let of = |is_own: bool| {
            self.parts
                .iter()
                .filter(move |(other, _)| (part == Some(*other)) == is_own)
                .find_map(|(_, info)| info.parameters(symbol))
        };
        of(true).or_else(|| of(false)).unwrap_or(Members::UNKNOWN)
    }
}

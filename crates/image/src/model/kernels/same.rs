//! Whether the texts and cubins of an image contain the same kernel.

use super::{Kernels, Place};
use crate::model::kernel::Limits;
use crate::prelude::*;
use kernel_args_abi::Sm;

impl Kernels<'_> {
    /// Returns whether the texts and cubins contain this kernel with parameters of another number or size, or in PTX of
    /// other alignments or classes. Offsets of over-aligned parameters depend on the GPU, so they are not compared.
    #[must_use]
    pub fn varies(&self, symbol: &str) -> bool {
        self.vary(self.places(symbol))
    }

    /// Returns whether the texts and cubins contain this variable with different sizes, or in PTX with different
    /// alignments or classes.
    #[must_use]
    pub fn variable_varies(&self, symbol: &str) -> bool {
        self.vary(self.places_in(&self.variables, symbol))
    }

    fn vary(&self, places: &[Place]) -> bool {
        let (mut sizes, mut declared) = (None, None);
        places.len() > 1
            && places.iter().any(|&place| {
                if let Some(entry) = self.entry(place) {
                    let layouts = entry.parameters.iter().map(|p| (p.layout, p.class));
                    let own = layouts.clone().map(|(layout, _)| layout.size());
                    return differs(&mut declared, layouts) || differs(&mut sizes, own);
                }
                let parameters = self.records(place).map(|(_, kernel)| kernel.parameters.as_slice());
                differs(&mut sizes, parameters.unwrap_or_default().iter().map(|p| p.size))
            })
    }

    /// If every text and cubin has this kernel, with the same parameters at the same offsets and with the same limits.
    /// Then the kernel is the same on every GPU.
    pub(crate) fn same_limits(&self, symbol: &str) -> Option<Limits> {
        const NO_GPU: Sm = Sm(0);
        let places = self.places(symbol);
        if places.len() != self.parts.len() || self.varies(symbol) {
            return None;
        }
        let entries = || places.iter().filter_map(|&place| self.entry(place));
        let recorded: Vec<_> = places.iter().filter_map(|&at| self.records(at)).collect();
        let mut aligned = entries().flat_map(|entry| entry.parameters);
        if !recorded.is_empty() && aligned.any(|parameter| parameter.layout.align().bytes() > 16) {
            return None;
        }
        let mut first = None;
        let mut lists = recorded.iter().map(|(_, kernel)| kernel.parameters.iter());
        if lists.any(|list| differs(&mut first, list.map(|p| p.offset))) {
            return None;
        }
        let generations = self.generations().flatten();
        // The choice of code changes at a generation of the image, and behind one that is for this generation alone.
        let mut limits = generations
            .flat_map(|sm| [sm, Sm(sm.0 + 1)])
            .chain([NO_GPU])
            .filter_map(|sm| Some(self.chosen(places, Some(sm))?.limits()));
        let first = limits.next()?;
        limits.all(|other| other == first).then_some(first)
    }
}

fn differs<T: PartialEq + Copy>(first: &mut Option<Vec<T>>, found: impl Iterator<Item = T> + Clone) -> bool {
    let first = first.get_or_insert_with(|| found.clone().collect());
    found.ne(first.iter().copied())
}

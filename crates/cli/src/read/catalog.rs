//! Collects the kernels of all files and removes duplicates.

use super::{
    merge::{Seen, merge},
    observe::{Observed, ObservedKernel},
};
use crate::{error::Error, global::Globals, kernel::Kernel, place::Place};
use kernel_args_image::mangled::Demangled;
use std::collections::HashMap;

/// The data collected so far. Threads add to it in any order.
#[derive(Default)]
pub(crate) struct Catalog {
    /// Grouped by the number of the file or archive member, because kernels of different units are kept apart.
    kernels: HashMap<(u32, Box<str>), Vec<Seen>>,
    /// Each PTX text and cubin that was read, with its number and the number of its unit.
    places: HashMap<u32, Place>,
    globals: Globals,
    pub(crate) errors: Vec<Error>,
    pub(crate) warnings: Vec<Error>,
}

impl Catalog {
    /// Adds the data of the image with this number, in the unit with the second number.
    pub(crate) fn add(&mut self, number: u32, unit: u32, mut place: Place, observed: Observed) {
        place.sm = observed.sm.or(place.sm);
        for what in observed.debug_errors {
            let what = format!("the debug information cannot be read: {what}");
            self.warnings.push(Error::new(place.unit.to_string(), what).at(place.at));
        }
        self.places.insert(number, place);
        for global in observed.globals {
            self.globals.add(global);
        }
        for kernel in observed.kernels {
            let ObservedKernel { symbol, observation, resources, bodies } = kernel;
            let image = (number, resources);
            let bodies = bodies.map(|bodies| (number, bodies));
            let seen = self.kernels.entry((unit, symbol.into())).or_default();
            match seen.iter_mut().find(|seen| seen.observation == observation) {
                Some(seen) => {
                    seen.images.push(image);
                    let is_first = |new: &(u32, _)| {
                        let known = seen.bodies.as_ref();
                        known.is_none_or(|(known, _)| new.0 < *known)
                    };
                    if bodies.as_ref().is_some_and(is_first) {
                        seen.bodies = bodies;
                    }
                }
                None => seen.push(Seen { observation, images: vec![image], bodies }),
            }
        }
    }

    /// Returns every kernel once per list of parameters and limits, in the order of the symbols.
    pub(crate) fn finish(self) -> Finished {
        let Self { kernels, places, globals, mut errors, warnings } = self;
        let mut read: Vec<_> = kernels.into_iter().collect();
        read.sort_unstable_by(|((a, x), _), ((b, y), _)| (x, a).cmp(&(y, b)));
        let mut finished: Vec<Kernel> = Vec::new();
        let mut first_of_symbol = 0;
        for ((_, symbol), mut seen) in read {
            for seen in &mut seen {
                seen.images.sort_unstable_by_key(|(number, _)| *number);
            }
            seen.sort_unstable_by_key(|seen| seen.images.first().map(|(number, _)| *number));
            if finished.get(first_of_symbol).is_none_or(|kernel| *kernel.symbol != *symbol) {
                first_of_symbol = finished.len();
            }
            let demangled = match finished.get(first_of_symbol) {
                Some(kernel) => kernel.demangled.clone(),
                None => Demangled::new(&symbol),
            };
            for kernel in merge(&symbol, demangled.as_ref(), &seen, &places) {
                let known = &mut finished[first_of_symbol..];
                match known.iter_mut().find(|known| known.is_same(&kernel)) {
                    Some(known) => known.join(kernel),
                    None => finished.push(kernel),
                }
            }
        }
        for kernel in &mut finished {
            kernel.images.sort_by(|a, b| a.place.cmp(&b.place));
            kernel.images.dedup();
        }
        errors.sort_by(|a, b| (&a.file, a.at).cmp(&(&b.file, b.at)));
        Finished {
            kernels: finished,
            globals,
            places: {
                let mut places: Vec<Place> = places.into_values().collect();
                places.sort();
                places
            },
            errors,
            warnings,
        }
    }
}

/// The result of reading all files.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) kernels: Vec<Kernel>,
    pub(crate) globals: Globals,
    /// Every PTX text and cubin.
    pub(crate) places: Vec<Place>,
    pub(crate) errors: Vec<Error>,
    pub(crate) warnings: Vec<Error>,
}

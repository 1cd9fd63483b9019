//! Collects the kernels of all files and removes duplicates.

use super::{Files, contents::Contents, paths::Skipped};
use crate::{
    error::Error,
    global::Globals,
    kernel::{InImage, Kernel},
    limits::Limits,
    place::Place,
};
use kernel_args_image::{Observed, Variant, mangled::Demangled, variants};
use std::collections::HashMap;

/// Threads add to it in any order.
#[derive(Default)]
pub(crate) struct Catalog {
    /// By the number of the file or archive member: kernels of different units are kept apart.
    kernels: HashMap<(u32, String), Vec<Observed<u32>>>,
    /// By the number of the PTX text or cubin.
    places: HashMap<u32, Place>,
    globals: Globals,
    pub(crate) errors: Vec<Error>,
    pub(crate) warnings: Vec<Error>,
}

impl Catalog {
    pub(super) fn add(&mut self, number: u32, unit: u32, mut place: Place, contents: Contents) {
        place.sm = contents.sm;
        for what in contents.debug_errors {
            let what = format!("the debug information cannot be read: {what}");
            self.warnings.push(Error::new(place.unit.to_string(), what).at(place.at));
        }
        self.places.insert(number, place);
        for global in contents.globals {
            self.globals.add(global);
        }
        for (symbol, kernel) in contents.kernels {
            kernel.add_to(self.kernels.entry((unit, symbol)).or_default());
        }
    }

    /// Every kernel once per list of parameters and limits, in the order of the symbols.
    pub(super) fn finish(self, skipped: Skipped) -> Files {
        let Self { kernels, places, globals, mut errors, warnings } = self;
        let mut read: Vec<_> = kernels.into_iter().collect();
        read.sort_unstable_by(|((a, x), _), ((b, y), _)| (x, a).cmp(&(y, b)));
        let mut finished: Vec<Kernel> = Vec::new();
        let mut first_of_symbol = 0;
        for ((_, symbol), seen) in read {
            if finished.get(first_of_symbol).is_none_or(|kernel| kernel.symbol != symbol) {
                first_of_symbol = finished.len();
            }
            let demangled = match finished.get(first_of_symbol) {
                Some(kernel) => kernel.demangled.clone(),
                None => Demangled::new(&symbol),
            };
            for variant in variants(demangled.as_ref(), seen) {
                let Variant { demangled, parameters, directives, dynamic_shared, described, images, bodies } = variant;
                let image = |image: kernel_args_image::InImage<u32>| {
                    Some(InImage { place: places.get(&image.place)?.clone(), resources: image.resources })
                };
                let kernel = Kernel {
                    symbol: symbol.clone(),
                    demangled,
                    parameters,
                    limits: Limits { directives, dynamic_shared },
                    described,
                    images: images.into_iter().filter_map(image).collect(),
                    bodies,
                };
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
        let mut places: Vec<Place> = places.into_values().collect();
        places.sort();
        Files { kernels: finished, globals, places, errors, warnings, skipped }
    }
}

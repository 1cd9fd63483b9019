//! Collects the kernels of all files and removes duplicates.

use super::{Files, Wanted, paths::Skipped};
use crate::{
    error::Error,
    global::{Global, Globals},
    kernel::{InImage, Kernel},
    limits::Limits,
    place::{Kind, Place},
};
use kernel_args_abi::Sm;
use kernel_args_image::{self as image, Image, Kernels, Observed, Variant, mangled::Demangled, variants};
use std::collections::BTreeMap;

/// What a PTX text or cubin contains.
pub(super) struct Contents {
    sm: Option<Sm>,
    kernels: Vec<(String, Observed<u32>)>,
    globals: Vec<Global>,
    debug_errors: Vec<String>,
}

impl Contents {
    /// Analyses the code of the kernels that `wanted` accepts.
    pub(super) fn read(number: u32, place: &Place, bytes: &[u8], wanted: &Wanted<'_>) -> Result<Self, image::Error> {
        let kernels = match place.kind {
            Kind::Ptx => {
                let mut kernels = Kernels::of_ptx(bytes)?;
                if kernels.symbols().any(wanted) {
                    // A text that cannot be analysed has kernels, too.
                    let image = Image::read(bytes);
                    _ = image.and_then(|image| image.add_bodies(&mut kernels, wanted));
                }
                kernels
            }
            Kind::Cubin => Kernels::of_cubin(bytes)?,
        };
        let sm = kernels.generations().next().flatten().or(place.sm);
        let symbols = kernels.variable_symbols();
        Ok(Self {
            sm,
            // Each symbol is demangled once for all images.
            kernels: kernels
                .undemangled()
                .map(|kernel| (kernel.name.to_owned(), kernel.observed(number, sm)))
                .collect(),
            globals: symbols.filter_map(|symbol| Global::of(&kernels.variable(symbol, None)?)).collect(),
            debug_errors: kernels.debug_errors().map(ToString::to_string).collect(),
        })
    }
}

/// Threads add to it in any order.
#[derive(Default)]
pub(crate) struct Catalog {
    /// By the symbol, and the number of the file or archive member: kernels of different units are kept apart.
    kernels: BTreeMap<(String, u32), Vec<Observed<u32>>>,
    /// By the number of the PTX text or cubin.
    places: BTreeMap<u32, Place>,
    globals: Globals,
    pub(crate) errors: Vec<Error>,
    warnings: Vec<Error>,
}

impl Catalog {
    pub(super) fn add(&mut self, number: u32, unit: u32, mut place: Place, contents: Contents) {
        place.sm = contents.sm;
        for what in contents.debug_errors {
            let what = format!("the debug information cannot be read: {what}");
            self.warnings.push(Error::new(&place.unit, what).at(place.at));
        }
        self.places.insert(number, place);
        for global in contents.globals {
            self.globals.add(global);
        }
        for (symbol, kernel) in contents.kernels {
            kernel.add_to(self.kernels.entry((symbol, unit)).or_default());
        }
    }

    /// Returns every kernel once per list of parameters and limits, in the order of the symbols.
    pub(super) fn finish(self, skipped: Skipped) -> Files {
        let Self { kernels, places, globals, mut errors, warnings } = self;
        let mut finished: Vec<Kernel> = Vec::new();
        let mut first_of_symbol = 0;
        for ((symbol, _), seen) in kernels {
            if finished.get(first_of_symbol).is_none_or(|kernel| kernel.symbol != symbol) {
                first_of_symbol = finished.len();
            }
            let demangled = match finished.get(first_of_symbol) {
                Some(kernel) => kernel.demangled.clone(),
                None => Demangled::new(&symbol),
            };
            for variant in variants(demangled.as_ref(), seen) {
                let Variant { demangled, parameters, directives, dynamic_shared, described, images, bodies } = variant;
                let image = |image: image::InImage<u32>| {
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
                    host: None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::Unit;

    #[test]
    fn only_wanted_kernels_are_analysed() {
        let kernel =
            |name: &str| format!(".visible .entry {name}(.param .u32 n)\n{{\nld.param.u32 %r1, [n];\nret;\n}}\n");
        let text = format!(".version 9.0\n.target sm_90\n.address_size 64\n{}{}", kernel("a"), kernel("b"));
        let unit = Unit { number: 0, file: "file".into(), member: None };
        let place = Place { unit, at: 0, kind: Kind::Ptx, sm: None };
        let contents = Contents::read(0, &place, text.as_bytes(), &|symbol| symbol == "b").unwrap();
        let analysed: Vec<_> =
            contents.kernels.iter().map(|(symbol, kernel)| (symbol.as_str(), kernel.bodies.is_some())).collect();
        assert_eq!((contents.sm, &analysed[..]), (Some(Sm(90)), &[("a", false), ("b", true)][..]));
    }
}

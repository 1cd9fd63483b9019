//! An image, sent from the thread that reads headers to the threads that parse.

use super::{Wanted, catalog::Catalog, gate::Pass};
use crate::{
    error::Error,
    global::Global,
    place::{Kind, Place},
};
use kernel_args_abi::Sm;
use kernel_args_image::{self as image, Image, Kernels, Observed, fatbin::StreamedMember};
use std::sync::{Mutex, PoisonError};

pub(super) struct Job<'g> {
    pub(super) image: u32,
    pub(super) unit: u32,
    pub(super) place: Place,
    pub(super) bytes: Bytes,
    /// Releases the memory when it is dropped.
    pub(super) _pass: Pass<'g>,
}

pub(super) enum Bytes {
    Plain(Vec<u8>),
    Member(StreamedMember, Vec<u8>),
}

/// The data of a PTX text or cubin, without its bytes.
pub(super) struct Contents {
    pub(super) sm: Option<Sm>,
    /// By their symbols.
    pub(super) kernels: Vec<(String, Observed<u32>)>,
    pub(super) globals: Vec<Global>,
    /// Why debug information cannot be read.
    pub(super) debug_errors: Vec<String>,
}

impl Job<'_> {
    pub(super) fn run(self, catalog: &Mutex<Catalog>, wanted: &Wanted<'_>) {
        let Self { image, unit, place, bytes, _pass } = self;
        let read = |bytes: &[u8]| Contents::read(image, &place, bytes, wanted);
        let contents = match &bytes {
            Bytes::Plain(bytes) => read(bytes),
            Bytes::Member(member, payload) => {
                let bytes = member.with_payload(payload).bytes();
                bytes.map_err(image::Error::Fatbin).and_then(|bytes| read(&bytes))
            }
        };
        drop(bytes);
        let mut catalog = catalog.lock().unwrap_or_else(PoisonError::into_inner);
        match contents {
            Ok(contents) => catalog.add(image, unit, place, contents),
            Err(error) => {
                let error = Error::new(place.unit.to_string(), error.to_string());
                catalog.errors.push(error.at(place.at));
            }
        }
    }
}

impl Contents {
    /// Analyses the code of the kernels that `wanted` accepts.
    fn read(number: u32, place: &Place, bytes: &[u8], wanted: &Wanted<'_>) -> Result<Self, image::Error> {
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

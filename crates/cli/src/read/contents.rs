//! What a PTX text or cubin contains.

use super::Wanted;
use crate::{
    global::Global,
    place::{Kind, Place},
};
use kernel_args_abi::Sm;
use kernel_args_image::{Error, Image, Kernels, Observed};

pub(super) struct Contents {
    pub(super) sm: Option<Sm>,
    pub(super) kernels: Vec<(String, Observed<u32>)>,
    pub(super) globals: Vec<Global>,
    pub(super) debug_errors: Vec<String>,
}

impl Contents {
    /// Analyses the code of the kernels that `wanted` accepts.
    pub(super) fn read(number: u32, place: &Place, bytes: &[u8], wanted: &Wanted<'_>) -> Result<Self, Error> {
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

//! Combines the data of a file's PTX texts and cubins into kernels.

use super::observe::Observation;
use crate::{
    kernel::{InImage, Kernel, with_bodies},
    limits::Limits,
    place::{Kind, Place},
};
use kernel_args_abi::{Body, Class, Layout, Members, ParamLayout, Parameter, Sm};
use kernel_args_image::{ParameterList, cubin::Resources, join_parameters, mangled::Demangled, same_sizes};
use std::collections::HashMap;

/// The data of images about a kernel, and these images.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) observation: Observation,
    /// The numbers of the images.
    pub(super) images: Vec<(u32, Option<Resources>)>,
    /// What the code of the first PTX text does, with the number of this image.
    pub(super) bodies: Option<(u32, ParameterList)>,
}

/// A PTX text, or cubins with the same offsets, sizes and limits.
struct Source<'s> {
    parameters: Vec<Parameter<'s>>,
    limits: Limits,
    described: Option<&'s ParameterList>,
    images: Vec<(u32, Option<Resources>)>,
    bodies: Option<&'s ParameterList>,
}

/// A kernel, once per list of parameters and limits.
pub(super) fn merge(
    symbol: &str,
    demangled: Option<&Demangled>,
    seen: &[Seen],
    places: &HashMap<u32, Place>,
) -> Vec<Kernel> {
    let of = |kind| {
        let seen = seen.iter();
        seen.filter(move |seen| seen.observation.kind == kind).map(Seen::source)
    };
    let texts: Vec<Source<'_>> = of(Kind::Ptx).collect();
    let cubins = of(Kind::Cubin).fold(Vec::new(), group);
    let described = seen.iter().find_map(|seen| seen.observation.described.as_ref());
    let kernel = |text: Option<&Source<'_>>, cubins: Option<&Source<'_>>, limits, images: &[_]| {
        let mut own = [cubins, text].into_iter().flatten();
        let own = own.find_map(|source| source.described);
        let described = own.or(described);
        let members = described.map_or(Members::UNKNOWN, ParameterList::members);
        let lists = || [text, cubins].map(|source| source.map(|source| source.parameters.clone()));
        let [declared, recorded] = lists();
        let untyped = join_parameters(declared, recorded, None, Members::UNKNOWN);
        let name = demangled.map(|name| name.clone().name_for(&untyped));
        let [declared, recorded] = lists();
        let mut parameters = join_parameters(declared, recorded, name.as_ref(), members);
        for parameter in &mut parameters {
            parameter.body = Body::UNKNOWN;
        }
        let parameters = ParameterList::new(&parameters);
        let image = |(number, resources): &(u32, Option<Resources>)| {
            places.get(number).map(|place| InImage { place: place.clone(), resources: *resources })
        };
        Kernel {
            symbol: symbol.to_owned(),
            demangled: name,
            parameters,
            described: described.cloned(),
            limits,
            images: images.iter().filter_map(image).collect(),
            bodies: text.and_then(|text| text.bodies).cloned(),
        }
    };
    let mut merged = Vec::new();
    let mut used = vec![false; texts.len()];
    for cubins in &cubins {
        let fits = |text: &Source<'_>| same_sizes(&text.parameters, &cubins.parameters);
        let is_own =
            |text: &_| fits(text) && cubins.limits.are_of(text.limits) && has_same_offsets(text, cubins, places);
        let own = texts.iter().position(is_own);
        // A kernel with different limits is for a different GPU, but has the same types.
        let text = own.or_else(|| texts.iter().position(fits));
        let (mut limits, mut images) = (cubins.limits, cubins.images.clone());
        if let Some(own) = own {
            used[own] = true;
            limits = texts[own].limits;
            images.extend(&texts[own].images);
        }
        let text = text.map(|text| &texts[text]);
        merged.push(kernel(text, Some(cubins), limits, &images));
    }
    for (text, _) in texts.iter().zip(used).filter(|(_, used)| !used) {
        merged.push(kernel(Some(text), None, text.limits, &text.images));
    }
    merged
}

/// Whether the GPUs of a PTX text place its parameters as one of the cubins does.
fn has_same_offsets(text: &Source<'_>, cubins: &Source<'_>, places: &HashMap<u32, Place>) -> bool {
    let layouts: Option<Vec<Layout>> = text.parameters.iter().map(Parameter::layout).collect();
    let Some(layouts) = layouts else {
        return true;
    };
    let mut offsets = vec![0; layouts.len()];
    let Ok(block) = ParamLayout::EMPTY.push_all(&layouts, &mut offsets) else {
        return true;
    };
    let gpus = |source: &Source<'_>| {
        let images = source.images.iter();
        let gpus = images.filter_map(|(number, _)| places.get(number)?.sm);
        gpus.collect::<Vec<_>>()
    };
    let base = |sm: Sm| sm.param_base(block.size());
    let same = |a: Sm, b: Sm| a == b || base(a).is_some() && base(a) == base(b);
    let (of_text, of_cubins) = (gpus(text), gpus(cubins));
    !block.depends_on_gpu() || of_text.iter().any(|a| of_cubins.iter().any(|b| same(*a, *b)))
}

impl Seen {
    fn source(&self) -> Source<'_> {
        let bodies = self.bodies.as_ref().map(|(_, bodies)| bodies);
        Source {
            parameters: with_bodies(self.observation.parameters.parameters(), bodies),
            limits: self.observation.limits,
            described: self.observation.described.as_ref(),
            images: self.images.clone(),
            bodies,
        }
    }
}

/// Adds a cubin to the group of cubins that are equal to it.
fn group<'s>(mut groups: Vec<Source<'s>>, cubin: Source<'s>) -> Vec<Source<'s>> {
    let is_same = |group: &&mut Source<'_>| {
        let place = |(a, b): (&Parameter<'_>, &Parameter<'_>)| a.offset == b.offset;
        group.limits == cubin.limits
            && same_sizes(&group.parameters, &cubin.parameters)
            && group.parameters.iter().zip(&cubin.parameters).all(place)
    };
    match groups.iter_mut().find(is_same) {
        Some(group) => {
            // Only cubins of some GPU generations mark a parameter as a pointer.
            for (known, parameter) in group.parameters.iter_mut().zip(&cubin.parameters) {
                if known.class.same(Class::Unknown) {
                    known.class = parameter.class;
                }
            }
            group.described = group.described.or(cubin.described);
            group.images.extend(cubin.images);
        }
        None => groups.push(cubin),
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::{Seen, merge};
    use crate::{
        limits::Limits,
        place::{Kind, Place, Unit},
        read::observe::Observation,
    };
    use kernel_args_abi::{Alignment, Parameter, Sm};
    use kernel_args_image::ParameterList;
    use std::collections::HashMap;

    fn place(at: u64, kind: Kind, sm: u16) -> Place {
        Place { unit: Unit { number: 0, file: "file".into(), member: None }, at, kind, sm: Some(Sm(sm)) }
    }

    /// What was read of a kernel in the image with this number.
    fn seen(number: u32, kind: Kind, parameters: &[Parameter<'static>], limits: Limits) -> Seen {
        Seen {
            observation: Observation { kind, parameters: ParameterList::new(parameters), limits, described: None },
            images: vec![(number, None)],
            bodies: None,
        }
    }

    /// PTX is listed with the GPUs on which its parameters have the same offsets.
    #[test]
    fn ptx_is_listed_with_cubins_of_its_offsets() {
        let aligned = |number, kind, offset: Option<usize>, align| {
            let first = Parameter {
                offset: offset.map(|_| 0),
                align: Alignment::new(if kind == Kind::Ptx { 8 } else { 0 }),
                ..Parameter::record(0, 8)
            };
            let second = Parameter { offset, align: Alignment::new(align), ..Parameter::record(0, 128) };
            seen(number, kind, &[first, second], Limits::default())
        };
        let places = HashMap::from([
            (0, place(0, Kind::Cubin, 80)),
            (1, place(1, Kind::Cubin, 100)),
            (2, place(2, Kind::Ptx, 120)),
        ]);
        let list = [
            aligned(0, Kind::Cubin, Some(32), 0),
            aligned(1, Kind::Cubin, Some(64), 0),
            aligned(2, Kind::Ptx, None, 64),
        ];
        let found = |list: &[Seen]| {
            let merged = merge("k", None, list, &places);
            let of = |kernel: &crate::kernel::Kernel| {
                let gpus = kernel.images.iter().map(|image| image.place.gpu());
                gpus.collect::<Vec<_>>().join(" ")
            };
            merged.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(found(&list), ["sm_80", "sm_100 PTX sm_120"]);
        // No cubin has its offsets.
        let [first, _, text] = list;
        assert_eq!(found(&[first, text]), ["sm_80", "PTX sm_120"]);
    }

    /// Whether PTX is the source of cubins: the limits are equal.
    #[test]
    fn ptx_matches_cubins_with_equal_limits() {
        let limited = |number, kind, threads| {
            let mut limits = Limits::default();
            limits.directives.max_threads = Some([threads, 1, 1]);
            seen(number, kind, &[], limits)
        };
        let places = HashMap::from([
            (0, place(0, Kind::Cubin, 90)),
            (1, place(1, Kind::Cubin, 90)),
            (2, place(2, Kind::Ptx, 90)),
        ]);
        let kernels = |threads: [u32; 3]| {
            let list = [
                limited(0, Kind::Cubin, threads[0]),
                limited(1, Kind::Cubin, threads[1]),
                limited(2, Kind::Ptx, threads[2]),
            ];
            let merged = merge("k", None, &list, &places);
            let of = |kernel: &crate::kernel::Kernel| {
                let at = kernel.images.iter().map(|image| image.place.at);
                (kernel.limits.directives.max_threads.unwrap()[0], at.collect::<Vec<_>>())
            };
            merged.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(kernels([64, 128, 128]), [(64, vec![0]), (128, vec![1, 2])]);
        assert_eq!(kernels([64, 128, 256]), [(64, vec![0]), (128, vec![1]), (256, vec![2])]);
    }
}

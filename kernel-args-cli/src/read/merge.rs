//! The kernels of one file out of what its PTX texts and cubins say.

use super::{
    catalog::Seen,
    observe::{About, Declared, Recorded, Resources},
    place::Place,
};
use crate::kernel::{InImage, Kernel, Limits};
use kernel_args_abi::{Class, CppType, Members, Parameter};
use kernel_args_image::{ParameterList, mangled::Demangled};
use std::collections::HashMap;

/// A kernel, once for each list of parameters and limits that it has.
///
/// As `image::Kernel::parameters` tells it: sizes, alignments and classes are PTX's where there is PTX of the same sizes, offsets
/// the cubin's, C++ types the symbol's, and the rest is debug information's.
pub(super) fn merge(
    symbol: &str,
    demangled: Option<&Demangled>,
    seen: &[Seen],
    places: &HashMap<u32, Place>,
) -> Vec<Kernel> {
    let texts: Vec<(&Seen, &[Declared])> = seen.iter().filter_map(text).collect();
    let mut merged: Vec<Kernel> = Vec::new();
    let mut used = vec![false; texts.len()];
    for group in groups(seen) {
        let records = &group.records;
        let fitting = |(_, declared): &(&Seen, &[Declared])| {
            declared.len() == records.len()
                && declared.iter().zip(records).all(|(d, r)| d.size == r.size)
        };
        let limits_of = |(seen, _): &(&Seen, &[Declared])| seen.observation.limits;
        let same = |text: &_| fitting(text) && group.limits.are_of(limits_of(text));
        let same = texts.iter().position(same);
        let mut images = group.images;
        let mut limits = group.limits;
        if let Some(index) = same {
            limits = limits.with_text(limits_of(&texts[index]));
            used[index] = true;
            images.extend(&texts[index].0.images);
        }
        // One with other limits is of another GPU, and has the same types.
        let text = same.or_else(|| texts.iter().position(fitting));
        let declared = text.map(|index| texts[index].1);
        let told = group
            .told
            .or_else(|| text.and_then(|index| texts[index].0.told()));
        let told = told.or_else(|| seen.iter().find_map(Seen::told));
        let list = parameters(declared, Some(records), told, demangled);
        let list = (list, told);
        push(&mut merged, symbol, demangled, list, limits, images, places);
    }
    for ((seen_text, declared), _) in texts.iter().zip(used).filter(|(_, used)| !used) {
        let told = seen_text
            .told()
            .or_else(|| seen.iter().find_map(Seen::told));
        let list = parameters(Some(declared), None, told, demangled);
        let list = (list, told);
        let (limits, images) = (seen_text.observation.limits, seen_text.images.clone());
        push(&mut merged, symbol, demangled, list, limits, images, places);
    }
    merged
}

impl Seen {
    fn told(&self) -> Option<&ParameterList> {
        self.observation.told.as_ref()
    }
}

fn text(seen: &Seen) -> Option<(&Seen, &[Declared])> {
    match &seen.observation.about {
        About::Text(declared) => Some((seen, declared)),
        About::Cubin(_) => None,
    }
}

/// Cubins with the same offsets, sizes and limits.
struct Group<'s> {
    records: Vec<Recorded>,
    limits: Limits,
    told: Option<&'s ParameterList>,
    images: Vec<(u32, Resources)>,
}

fn groups(seen: &[Seen]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for seen in seen {
        let About::Cubin(records) = &seen.observation.about else {
            continue;
        };
        let limits = seen.observation.limits;
        let alike = |group: &&mut Group<'_>| {
            let places = |records: &[Recorded]| {
                records
                    .iter()
                    .map(|r| (r.offset, r.size))
                    .collect::<Vec<_>>()
            };
            group.limits == limits && places(&group.records) == places(records)
        };
        match groups.iter_mut().find(alike) {
            Some(group) => {
                // Some GPU generations' cubins tell pointers.
                for (known, record) in group.records.iter_mut().zip(records) {
                    if known.class.same(Class::Unknown) {
                        known.class = record.class;
                    }
                }
                group.told = group.told.or(seen.told());
                group.images.extend(&seen.images);
            }
            None => groups.push(Group {
                records: records.clone(),
                limits,
                told: seen.told(),
                images: seen.images.clone(),
            }),
        }
    }
    groups
}

fn parameters(
    declared: Option<&[Declared]>,
    records: Option<&[Recorded]>,
    told: Option<&ParameterList>,
    demangled: Option<&Demangled>,
) -> ParameterList {
    let count = declared.map_or_else(|| records.map_or(0, <[_]>::len), <[_]>::len);
    let types = demangled.and_then(|demangled| demangled.types_of(count));
    let cpp = |index: usize| {
        let types = types.as_ref();
        types
            .and_then(|types| types.get(index).copied())
            .unwrap_or(CppType::UNKNOWN)
    };
    let parameter = |index: usize| {
        let declared = declared.and_then(|declared| declared.get(index));
        let record = records.and_then(|records| records.get(index));
        let offset = record.map(|record| record.offset);
        let size = declared.map(|d| d.size).or(record.map(|r| r.size));
        let class = declared.map(|d| d.class).or(record.map(|r| r.class));
        let size = size.unwrap_or(0);
        Parameter {
            name: declared.map_or("", |declared| &declared.name),
            spelling: declared.map_or("", |declared| &declared.declaration),
            offset,
            align: declared.map(|declared| declared.align),
            class: class.unwrap_or(Class::Unknown),
            cpp: cpp(index),
            ..Parameter::record(0, size)
        }
    };
    let mut list: Vec<Parameter<'_>> = (0..count).map(parameter).collect();
    let told = told.map(ParameterList::parameters).unwrap_or_default();
    if !told.is_empty() {
        Members::of(&told).complete(&mut list);
    }
    ParameterList::new(&list)
}

fn push(
    merged: &mut Vec<Kernel>,
    symbol: &str,
    demangled: Option<&Demangled>,
    (list, told): (ParameterList, Option<&ParameterList>),
    limits: Limits,
    images: Vec<(u32, Resources)>,
    places: &HashMap<u32, Place>,
) {
    let image = |(number, resources): (u32, Resources)| {
        places.get(&number).map(|place| InImage {
            place: place.clone(),
            resources,
        })
    };
    merged.push(Kernel {
        symbol: symbol.to_owned(),
        demangled: demangled.cloned(),
        parameters: list,
        told: told.cloned(),
        limits,
        images: images.into_iter().filter_map(image).collect(),
    });
}

#[cfg(test)]
mod tests {
    use super::merge;
    use crate::{
        kernel::Limits,
        read::{
            catalog::Seen,
            observe::{About, Observation, Resources},
            place::{Kind, Place, Unit},
        },
    };
    use kernel_args_abi::Sm;
    use std::collections::HashMap;

    /// PTX is the text of the cubins whose limits it has.
    #[test]
    fn ptx_goes_with_the_cubins_of_its_limits() {
        let seen = |number: u32, about, threads| Seen {
            observation: Observation {
                about,
                limits: Limits {
                    max_threads: Some([threads, 1, 1]),
                    ..Limits::default()
                },
                told: None,
            },
            images: vec![(number, Resources::default())],
        };
        let place = |at, kind| Place {
            unit: Unit {
                number: 0,
                file: "file".into(),
                member: None,
            },
            at,
            kind,
            sm: Some(Sm(90)),
        };
        let places = HashMap::from([
            (0, place(0, Kind::Cubin)),
            (1, place(1, Kind::Cubin)),
            (2, place(2, Kind::Ptx)),
        ]);
        let kernels = |threads: [u32; 3]| {
            let list = [
                seen(0, About::Cubin(Vec::new()), threads[0]),
                seen(1, About::Cubin(Vec::new()), threads[1]),
                seen(2, About::Text(Vec::new()), threads[2]),
            ];
            let merged = merge("k", None, &list, &places);
            let of = |kernel: &crate::kernel::Kernel| {
                let at = kernel.images.iter().map(|image| image.place.at);
                (
                    kernel.limits.max_threads.unwrap()[0],
                    at.collect::<Vec<_>>(),
                )
            };
            merged.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(kernels([64, 128, 128]), [(64, vec![0]), (128, vec![1, 2])]);
        assert_eq!(
            kernels([64, 128, 256]),
            [(64, vec![0]), (128, vec![1]), (256, vec![2])]
        );
    }
}

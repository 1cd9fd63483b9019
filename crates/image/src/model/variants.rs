//! A kernel in several PTX texts and cubins: which of them contain the same parameters and limits.

use crate::prelude::*;
use crate::{
    code::directives::Directives,
    formats::cubin::Resources,
    mangled::Demangled,
    model::kernel::{Kernel, join_parameters, same_sizes},
    table::ParameterList,
};
use kernel_args_abi::{Body, Class, Layout, Members, ParamLayout, Parameter, Sm, check::is_made, signature::Slot};

/// A kernel in PTX texts, or in cubins, that contain the same data about it, which does not borrow the image. `P`
/// identifies a text or cubin; a lower one has priority.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Observed<P> {
    /// Whether it is in cubins.
    pub is_cubin: bool,
    /// Without debug information. The spelling is the PTX declaration without the name.
    pub parameters: ParameterList,
    /// The requirements for a launch.
    pub directives: Directives,
    /// Whether it uses dynamic shared memory. `None` for cubins.
    pub dynamic_shared: Option<bool>,
    /// The parameters from debug information.
    pub described: Option<ParameterList>,
    /// The texts or cubins.
    pub images: Vec<InImage<P>>,
    /// What the code of the first analysed text does with each parameter.
    pub bodies: Option<(P, ParameterList)>,
}

/// A PTX text or cubin that contains a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InImage<P> {
    /// Identifies the text or cubin.
    pub place: P,
    /// Its GPU generation. For PTX, the lowest supported one.
    pub sm: Option<Sm>,
    /// The kernel's resources. `None` for PTX.
    pub resources: Option<Resources>,
}

/// A kernel with one list of parameters and one set of limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variant<P> {
    /// The C++ name, if the symbol is mangled.
    pub demangled: Option<Demangled>,
    /// Joined from all sources, without what the code does with them.
    pub parameters: ParameterList,
    /// The requirements for a launch.
    pub directives: Directives,
    /// Whether it uses dynamic shared memory. `None` if the kernel is only in cubins.
    pub dynamic_shared: Option<bool>,
    /// The parameters from debug information only.
    pub described: Option<ParameterList>,
    /// The texts and cubins, at least one.
    pub images: Vec<InImage<P>>,
    /// What the code in PTX does with each parameter, if it was analysed.
    pub bodies: Option<ParameterList>,
}

impl Kernel<'_> {
    /// Returns the data about a kernel that is in one PTX text or cubin only.
    pub fn observed<P: Clone>(&self, place: P, sm: Option<Sm>) -> Observed<P> {
        let parameters = self.parameters_without_debug_info();
        let spellings: Vec<String> = parameters.iter().map(spelling).collect();
        let listed = parameters.iter().zip(&spellings).map(|(parameter, spelling)| Parameter {
            name: if is_made(parameter.name) { "" } else { parameter.name },
            spelling,
            ..*parameter
        });
        let bodies = (!self.bodies.is_empty()).then(|| (place.clone(), list_of(&self.bodies)));
        let resources = self.records.map(|records| records.resources);
        Observed {
            is_cubin: self.entry.is_none(),
            parameters: ParameterList::new(&listed.collect::<Vec<_>>()),
            directives: self.directives(),
            dynamic_shared: self.dynamic_shared(),
            described: self.debug_info.is_known().then(|| ParameterList::of_members(self.debug_info)),
            images: vec![InImage { place, sm, resources }],
            bodies,
        }
    }
}

/// Returns the PTX declaration without the name: `.align 4 .b8[12]`.
fn spelling(parameter: &Parameter<'_>) -> String {
    let declaration = parameter.spelling.strip_prefix(".param ").unwrap_or(parameter.spelling);
    match declaration.rsplit_once(parameter.name) {
        Some((before, length)) => format!("{}{length}", before.trim_end()),
        None => declaration.to_owned(),
    }
}

fn list_of(bodies: &[Body<'_>]) -> ParameterList {
    /// A hostile text has one long name for many kernels.
    const FILE_NAME: usize = 256;
    fn short(mut slot: Slot<'_>) -> Slot<'_> {
        let evidence = [&mut slot.access, &mut slot.write, &mut slot.arithmetic, &mut slot.indirect];
        for evidence in evidence.into_iter().flatten().filter(|evidence| evidence.file.len() > FILE_NAME) {
            evidence.file = "";
        }
        slot
    }
    let slots: Vec<Vec<_>> = bodies.iter().map(|body| body.slots().map(short).collect()).collect();
    let short = bodies.iter().zip(&slots);
    ParameterList::of_bodies(short.map(|(body, slots)| if body.is_known() { Body::of(slots) } else { Body::UNKNOWN }))
}

impl<P: Ord + Clone> Observed<P> {
    /// A list contains equal data once.
    pub fn add_to(self, list: &mut Vec<Self>) {
        let is_equal = |known: &&mut Self| {
            (known.is_cubin, &known.parameters, known.directives) == (self.is_cubin, &self.parameters, self.directives)
                && (known.dynamic_shared, &known.described) == (self.dynamic_shared, &self.described)
        };
        let Some(known) = list.iter_mut().find(is_equal) else {
            return list.push(self);
        };
        known.images.extend(self.images);
        known.bodies = match (known.bodies.take(), self.bodies) {
            (Some(known), Some(new)) => Some(if new.0 < known.0 { new } else { known }),
            (known, new) => known.or(new),
        };
    }

    fn parameters(&self) -> Vec<Parameter<'_>> {
        let mut parameters = self.parameters.parameters();
        let bodies = self.bodies.as_ref().map_or(Members::UNKNOWN, |(_, bodies)| bodies.members());
        for (parameter, known) in parameters.iter_mut().zip(bodies.iter()) {
            parameter.body = known.body;
        }
        parameters
    }
}

/// A PTX text, or cubins with the same offsets, sizes and limits.
struct Group<'s, P> {
    first: &'s Observed<P>,
    parameters: Vec<Parameter<'s>>,
    described: Option<&'s ParameterList>,
    images: Vec<InImage<P>>,
}

fn first<P>(seen: &Observed<P>) -> Option<&P> {
    seen.images.first().map(|image| &image.place)
}

/// Returns a kernel once per list of parameters and limits, from what all images contain about it.
///
/// Each PTX text belongs to the cubins with the same limits that place its parameters alike. Other cubins have the
/// types of the first text with the same sizes.
#[must_use]
pub fn variants<P: Ord + Clone>(demangled: Option<&Demangled>, mut seen: Vec<Observed<P>>) -> Vec<Variant<P>> {
    for seen in &mut seen {
        sort(&mut seen.images, &|a, b| a.place.cmp(&b.place));
    }
    sort(&mut seen, &|a, b| first(a).cmp(&first(b)));
    let of = |is_cubin| {
        seen.iter().filter(move |seen| seen.is_cubin == is_cubin).map(|first| Group {
            first,
            parameters: first.parameters(),
            described: first.described.as_ref(),
            images: first.images.clone(),
        })
    };
    let texts: Vec<Group<'_, P>> = of(false).collect();
    let cubins = of(true).fold(Vec::new(), group);
    let described = seen.iter().find_map(|seen| seen.described.as_ref());
    let variant = |text: Option<&Group<'_, P>>, cubins: Option<&Group<'_, P>>, own: &[&Group<'_, P>]| {
        let limits = own[0].first;
        let described = [cubins, text].into_iter().flatten().find_map(|group| group.described).or(described);
        let join = |name, members| {
            let [declared, recorded] = [text, cubins].map(|group| group.map(|group| group.parameters.clone()));
            join_parameters(declared, recorded, name, members)
        };
        let name = demangled.map(|name| name.clone().name_for(&join(None, Members::UNKNOWN)));
        let mut parameters = join(name.as_ref(), described.map_or(Members::UNKNOWN, ParameterList::members));
        for parameter in &mut parameters {
            parameter.body = Body::UNKNOWN;
        }
        Variant {
            parameters: ParameterList::new(&parameters),
            demangled: name,
            directives: limits.directives,
            dynamic_shared: limits.dynamic_shared,
            described: described.cloned(),
            images: own.iter().rev().flat_map(|group| group.images.iter().cloned()).collect(),
            bodies: text.and_then(|text| text.first.bodies.clone()).map(|(_, bodies)| bodies),
        }
    };
    let mut merged = Vec::new();
    let mut used = vec![false; texts.len()];
    for cubins in &cubins {
        let fits = |text: &Group<'_, P>| same_sizes(&text.parameters, &cubins.parameters);
        let is_own = |text: &Group<'_, P>| {
            let declared = text.first.directives;
            fits(text) && cubins.first.directives.completed_by(declared) == declared && has_same_offsets(text, cubins)
        };
        if let Some(own) = texts.iter().position(is_own) {
            used[own] = true;
            merged.push(variant(Some(&texts[own]), Some(cubins), &[&texts[own], cubins]));
        } else {
            // A kernel with different limits is for a different GPU, but has the same types.
            merged.push(variant(texts.iter().find(|text| fits(text)), Some(cubins), &[cubins]));
        }
    }
    for (text, _) in texts.iter().zip(used).filter(|(_, used)| !used) {
        merged.push(variant(Some(text), None, &[text]));
    }
    merged
}

/// Returns whether the GPUs of a PTX text place its parameters as one of the cubins does.
fn has_same_offsets<P>(text: &Group<'_, P>, cubins: &Group<'_, P>) -> bool {
    let layouts: Option<Vec<Layout>> = text.parameters.iter().map(Parameter::layout).collect();
    let Some(layouts) = layouts else {
        return true;
    };
    let Ok(block) = ParamLayout::EMPTY.push_all(&layouts, &mut vec![0; layouts.len()]) else {
        return true;
    };
    let base = |sm: Sm| sm.param_base(block.size());
    let same = |a: Sm, b: Sm| a == b || base(a).is_some() && base(a) == base(b);
    let gpus = |images: &[InImage<P>]| images.iter().filter_map(|image| image.sm).collect::<Vec<_>>();
    let (of_text, of_cubins) = (gpus(&text.images), gpus(&cubins.images));
    !block.depends_on_gpu() || of_text.iter().any(|a| of_cubins.iter().any(|b| same(*a, *b)))
}

fn group<'s, P>(mut groups: Vec<Group<'s, P>>, cubin: Group<'s, P>) -> Vec<Group<'s, P>> {
    let is_same = |group: &&mut Group<'_, P>| {
        group.first.directives == cubin.first.directives
            && same_sizes(&group.parameters, &cubin.parameters)
            && group.parameters.iter().zip(&cubin.parameters).all(|(a, b)| a.offset == b.offset)
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

//! One struct for all instances of a template that differ in one type.

use super::{
    fields::{Field, Fields},
    options::Kernel,
    ty::{From, Leaf, Ty},
};
use alloc::{borrow::ToOwned, boxed::Box, format, string::String, vec::Vec};

pub(super) const PARAMETER: &str = "T";

const ANY: Ty = Ty::number(PARAMETER, 0);

pub(super) struct Generic {
    pub(super) item: String,
    pub(super) template: String,
    pub(super) fields: Vec<Field>,
    /// The type of each instance, and the end of its name: `<float>`.
    pub(super) bindings: Vec<(Ty, String)>,
}

impl Generic {
    /// `None` if the kernels are not instances of one template with one type in different places.
    pub(super) fn new(item: &str, kernels: &[(&Kernel<'_>, &str)], fields: &[Fields]) -> Option<Self> {
        let instances = kernels.iter().zip(fields).filter_map(|((kernel, _), fields)| {
            // Other languages spell instances in another way.
            let cpp = kernel.demangled.filter(|demangled| demangled.has_parameters())?;
            Some((cpp.name(), cpp.template_arguments()?, fields.as_deref().ok()))
        });
        let instances: Vec<_> = instances.collect();
        let [(template, _, first), others @ ..] = instances.as_slice() else { return None };
        if others.is_empty() || others.iter().any(|(name, ..)| name != template) {
            return None;
        }
        let first = (*first)?;
        let mut types: Vec<Ty> = Vec::new();
        let mut generic: Option<Vec<Ty>> = None;
        for (_, _, other) in others {
            let other = (*other)?;
            let mut pair = None;
            let same = |(a, b): (&Field, &Field)| {
                let are_alike = (&a.name, &a.renamed, a.is_opaque) == (&b.name, &b.renamed, b.is_opaque);
                are_alike.then(|| shared(&a.ty, &b.ty, &mut pair))?
            };
            let all: Vec<Ty> = first.iter().zip(other).map(same).collect::<Option<_>>()?;
            let (one, ty) = pair?;
            if types.is_empty() {
                types.push(one);
            }
            let is_another = generic.as_ref().is_some_and(|generic| *generic != all);
            if is_another || first.len() != other.len() || types.contains(&ty) {
                return None;
            }
            types.push(ty);
            generic = Some(all);
        }
        let fields = first.iter().zip(generic?).enumerate().map(|(at, (field, ty))| {
            let mut docs: Vec<&str> = Vec::new();
            for doc in instances.iter().filter_map(|(_, _, fields)| Some(fields.as_ref()?.get(at)?.doc.as_str())) {
                if !docs.contains(&doc) {
                    docs.push(doc);
                }
            }
            let more = if docs.len() > SHOWN { ", …" } else { "" };
            docs.truncate(SHOWN);
            let doc = format!("{}{more}", docs.join(", "));
            Field { name: field.name.clone(), renamed: field.renamed.clone(), ty, is_opaque: field.is_opaque, doc }
        });
        let suffixes = instances.iter().map(|(_, arguments, _)| format!("<{arguments}>"));
        Some(Self {
            item: item.to_owned(),
            template: (*template).to_owned(),
            fields: fields.collect(),
            bindings: types.into_iter().zip(suffixes).collect(),
        })
    }
}

const SHOWN: usize = 3;

/// The type parameter replaces the types that differ, which must be the same `pair` everywhere.
fn shared(a: &Ty, b: &Ty, pair: &mut Option<(Ty, Ty)>) -> Option<Ty> {
    match (a, b) {
        _ if a == b => Some(a.clone()),
        (Ty::Pointer { to: x, is_const }, Ty::Pointer { to: y, is_const: other }) if is_const == other => {
            Some(Ty::Pointer { to: Box::new(shared(x, y, pair)?), is_const: *is_const })
        }
        (Ty::Array(x, count), Ty::Array(y, other)) if count == other => {
            Some(Ty::Array(Box::new(shared(x, y, pair)?), *count))
        }
        _ if is_argument(a) && is_argument(b) => {
            let found = (a.clone(), b.clone());
            (*pair.get_or_insert_with(|| found.clone()) == found).then_some(ANY)
        }
        _ => None,
    }
}

/// Whether a type is bound to the type parameter. `c_char` is the same type as another integer.
fn is_argument(ty: &Ty) -> bool {
    match ty {
        Ty::Leaf(Leaf { from, .. }) => *from != From::Core,
        Ty::Defined(_) => true,
        Ty::Void | Ty::Pointer { .. } | Ty::Array(..) => false,
    }
}

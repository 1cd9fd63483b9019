//! The fields of a kernel's struct, and one struct for all instances of a template that differ in one type.

use super::{
    align,
    define::Types,
    docs,
    identifier::{distinct, raw, upper_camel, variable},
    options::{Kernel, Variable},
    ty::{From, Leaf, Ty},
};
use crate::prelude::*;
use kernel_args_abi::{Alignment, CppType, Parameter, check::is_made, param_layout::LIMIT};

/// The fields of a struct, or why it does not exist.
pub(super) type Fields = Result<Vec<Field>, &'static str>;

pub(super) struct Field {
    pub(super) name: String,
    pub(super) renamed: Option<String>,
    pub(super) ty: Ty,
    /// Whether the comparison would reject the type, although size and alignment are right.
    pub(super) is_opaque: bool,
    pub(super) doc: String,
}

pub(super) fn of_kernel<'k>(kernel: &Kernel<'k>, types: &mut Types<'k, '_>) -> Fields {
    if kernel.varies {
        return Err(docs::VARIES);
    }
    let sizes = kernel.parameters.iter().map(|parameter| parameter.size);
    if sizes.clone().any(|size| size == 0) {
        return Err(docs::NO_BYTES);
    }
    if sizes.fold(0, usize::saturating_add) > LIMIT {
        return Err(docs::TOO_LARGE);
    }
    let names = names(&kernel.parameters);
    let mut end = Some(0);
    let mut fields = Vec::with_capacity(names.len());
    for (index, (parameter, (name, renamed))) in kernel.parameters.iter().zip(names).enumerate() {
        let member = kernel.debug_info.get(index);
        // Ignore debug information for a parameter of another size.
        let referent =
            member.filter(|member| member.size == parameter.size).and_then(|_| kernel.debug_info.referent(index));
        let of = Parameter { offset: parameter.offset.filter(|_| parameter.align.is_none()), ..*parameter };
        let hint = format!("{}Value", upper_camel(&name, "Type"));
        let ty = types.value(&of, referent, &hint);
        let (ty, is_opaque) = placed(types, &of, ty, end);
        if let (Some(offset), Some(end)) = (of.offset, end) {
            types.occurs(&ty, None, offset, end);
        }
        end = parameter.offset.map(|offset| offset + parameter.size);
        fields.push(Field { name: raw(name), renamed, doc: docs::parameter(parameter), ty, is_opaque });
    }
    Ok(fields)
}

pub(super) fn of_variable<'k>(variable: &Variable<'k>, types: &mut Types<'k, '_>) -> Option<usize> {
    let Variable { value, debug_info } = variable;
    let hint = format!("{}Value", upper_camel(value.name, "Type"));
    types.value(value, debug_info.referent(0), &hint).named()
}

/// Returns the type of a parameter, and whether the comparison would reject it. Bytes replace a type that cannot be at
/// its offset.
fn placed(types: &mut Types<'_, '_>, of: &Parameter<'_>, ty: Ty, end: Option<usize>) -> (Ty, bool) {
    let (size, own) = types.layout(&ty);
    let known = of.align.map(Alignment::bytes);
    let needed = match (known, own, of.offset, end) {
        (Some(known), Some(own), ..) if known != own => known,
        (None, Some(own), Some(offset), Some(end)) if !align::is_possible_offset(end, own, offset) => {
            let mut likely = align::LIKELY.into_iter();
            match likely.find(|&align| align::is_possible_offset(end, align, offset) && size % align == 0) {
                Some(align) => align,
                None => return (ty, false),
            }
        }
        _ => return (ty, false),
    };
    let is_known = of.cpp != CppType::UNKNOWN || of.align.is_some();
    (Ty::Defined(types.nameless(size, needed)), is_known)
}

fn names(parameters: &[Parameter<'_>]) -> Vec<(String, Option<String>)> {
    let given = parameters.iter().map(|parameter| parameter.name);
    let wanted = given.clone().enumerate().map(|(index, name)| {
        let has_name = !is_made(name);
        let wanted = if has_name { variable(name) } else { format!("arg{index}") };
        let renamed = (has_name && wanted != name).then(|| name.to_owned());
        (wanted, renamed)
    });
    let (wanted, renamed): (Vec<_>, Vec<_>) = wanted.unzip();
    distinct(given.zip(wanted)).into_iter().zip(renamed).collect()
}

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

/// Returns whether a type is bound to the type parameter. `c_char` is the same type as another integer.
fn is_argument(ty: &Ty) -> bool {
    match ty {
        Ty::Leaf(Leaf { from, .. }) => *from != From::Core,
        Ty::Defined(_) => true,
        Ty::Void | Ty::Pointer { .. } | Ty::Array(..) => false,
    }
}

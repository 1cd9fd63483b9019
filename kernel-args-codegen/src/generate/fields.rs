//! The fields of a kernel's struct.

use super::{
    align,
    define::Types,
    docs,
    identifier::{free, raw, upper_camel, variable},
    options::Kernel,
    ty::Ty,
};
use alloc::{borrow::ToOwned, collections::BTreeSet, format, string::String, vec::Vec};
use kernel_args_abi::{Alignment, CppType, Parameter, check::is_made, param_layout::LIMIT};

/// The struct of a kernel.
pub(super) enum Fields {
    Struct(Vec<Field>),
    /// No struct can be passed to it: why.
    None(&'static str),
}

/// A field of it.
pub(super) struct Field {
    /// As it is written.
    pub(super) name: String,
    /// In C++, where it is another one.
    pub(super) renamed: Option<String>,
    pub(super) ty: Ty,
    /// Whether its type is none that the comparison takes, although it has the size and the alignment.
    pub(super) is_opaque: bool,
    pub(super) doc: String,
}

impl Fields {
    /// The fields, if there is a struct.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Field> {
        let fields = match self {
            Self::Struct(fields) => fields.as_slice(),
            Self::None(_) => &[],
        };
        fields.iter()
    }
}

/// The fields for a kernel.
pub(super) fn of_kernel<'k>(kernel: &Kernel<'k>, types: &mut Types<'k, '_>) -> Fields {
    if kernel.varies {
        return Fields::None(docs::VARIES);
    }
    let sizes = kernel.parameters.iter().map(|parameter| parameter.size);
    if sizes.clone().any(|size| size == 0) {
        return Fields::None(docs::NO_BYTES);
    }
    if sizes.fold(0, usize::saturating_add) > LIMIT {
        return Fields::None(docs::TOO_LARGE);
    }
    let names = names(&kernel.parameters);
    let mut end = Some(0);
    let mut fields = Vec::with_capacity(names.len());
    for (index, (parameter, (name, renamed))) in kernel.parameters.iter().zip(names).enumerate() {
        let described = kernel.debug_info.get(index);
        // What describes another build does not describe this one.
        let referent = described
            .filter(|described| described.size == parameter.size)
            .and_then(|_| kernel.debug_info.referent(index));
        let of = Parameter {
            offset: parameter.offset.filter(|_| parameter.align.is_none()),
            ..*parameter
        };
        let hint = format!("{}Value", upper_camel(&name, "Type"));
        let ty = types.value(&of, referent, &hint);
        let (ty, is_opaque) = placed(types, &of, ty, end);
        if let (Some(offset), Some(end)) = (of.offset, end) {
            types.occurs(&ty, None, offset, end);
        }
        end = parameter.offset.map(|offset| offset + parameter.size);
        fields.push(Field {
            name: raw(name),
            renamed,
            doc: docs::parameter(parameter),
            ty,
            is_opaque,
        });
    }
    Fields::Struct(fields)
}

/// The type of a parameter where it lies as it must, else bytes that do, and whether the comparison would not take those.
fn placed(types: &mut Types<'_, '_>, of: &Parameter<'_>, ty: Ty, end: Option<usize>) -> (Ty, bool) {
    let (size, own) = types.layout(&ty);
    let told = of.align.map(Alignment::bytes);
    let needed = match (told, own, of.offset, end) {
        (Some(told), Some(own), ..) if told != own => told,
        (None, Some(own), Some(offset), Some(end)) if !align::may_lie(end, own, offset) => {
            let fits = |align: &usize| align::may_lie(end, *align, offset) && size % align == 0;
            match align::LIKELY.into_iter().find(fits) {
                Some(align) => align,
                None => return (ty, false),
            }
        }
        _ => return (ty, false),
    };
    let is_known = of.cpp != CppType::UNKNOWN || of.align.is_some();
    (Ty::Defined(types.nameless(size, needed)), is_known)
}

/// The names of the fields, and those of the parameters where they are others.
fn names(parameters: &[Parameter<'_>]) -> Vec<(String, Option<String>)> {
    let has_name = |name: &str| !name.is_empty() && !is_made(name);
    let mut own = BTreeSet::new();
    own.extend(parameters.iter().map(|parameter| parameter.name));
    let mut taken = BTreeSet::new();
    let mut names = Vec::with_capacity(parameters.len());
    for (index, parameter) in parameters.iter().enumerate() {
        let name = parameter.name;
        let is_own = has_name(name) && variable(name) == name;
        let (wanted, renamed) = if is_own {
            (name.to_owned(), None)
        } else if has_name(name) {
            (variable(name), Some(name.to_owned()))
        } else {
            (format!("arg{index}"), None)
        };
        let is_taken = |other: &str| {
            // A field may not have the name of another parameter.
            let is_another = !is_own || other != name;
            is_another && own.contains(other) || taken.contains(other)
        };
        let found = free(&wanted, is_taken);
        taken.insert(found.clone());
        names.push((found, renamed));
    }
    names
}

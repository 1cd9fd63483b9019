//! The fields of a kernel's struct.

use super::{
    align,
    define::Types,
    docs,
    identifier::{distinct, raw, upper_camel, variable},
    options::{Kernel, Variable},
    ty::Ty,
};
use alloc::{borrow::ToOwned, format, string::String, vec::Vec};
use kernel_args_abi::{Alignment, CppType, Parameter, check::is_made, param_layout::LIMIT};

/// The fields of a struct, or why there is none.
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
    let ty = types.value(value, debug_info.referent(0), &hint);
    ty.named()
}

/// The type of a parameter, and whether the comparison would reject it. Bytes replace a type that cannot be at its offset.
fn placed(types: &mut Types<'_, '_>, of: &Parameter<'_>, ty: Ty, end: Option<usize>) -> (Ty, bool) {
    let (size, own) = types.layout(&ty);
    let known = of.align.map(Alignment::bytes);
    let needed = match (known, own, of.offset, end) {
        (Some(known), Some(own), ..) if known != own => known,
        (None, Some(own), Some(offset), Some(end)) if !align::is_possible_offset(end, own, offset) => {
            let fits = |align: &usize| align::is_possible_offset(end, *align, offset) && size % align == 0;
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

fn names(parameters: &[Parameter<'_>]) -> Vec<(String, Option<String>)> {
    let given = parameters.iter().map(|parameter| parameter.name);
    let wanted = given.clone().enumerate().map(|(index, name)| {
        let has_name = !name.is_empty() && !is_made(name);
        let wanted = if has_name { variable(name) } else { format!("arg{index}") };
        let renamed = (has_name && wanted != name).then(|| name.to_owned());
        (wanted, renamed)
    });
    let (wanted, renamed): (Vec<_>, Vec<_>) = wanted.unzip();
    distinct(given.zip(wanted)).into_iter().zip(renamed).collect()
}

//! Types that cannot be spread or flattened, as far as the derive sees it.

use super::field::ParameterField;
use crate::{attr::Shape, diagnostics::Diagnostics, field_errors::INTEGERS, texts};
use syn::{Generics, Type, spanned::Spanned};

/// Reports a spread field whose type is certainly not an array, and returns whether it is one. rustc reports every other such type, but more
/// than once.
pub(super) fn refuse_number(parameter: &ParameterField<'_>, diagnostics: &mut Diagnostics) -> bool {
    const NAMES: [&str; 8] = ["bool", "f32", "f64", "Vec", "Box", "Arc", "Option", "CudaSlice"];
    let ty = parameter.field.ty;
    let is_other = match ty {
        Type::Path(path) => {
            path.path.segments.last().is_some_and(|last| NAMES.iter().chain(&INTEGERS).any(|name| last.ident == name))
        }
        Type::Array(_) | Type::Paren(_) | Type::Group(_) | Type::Macro(_) => false,
        _ => true,
    };
    let is_refused = is_other && matches!(parameter.shape, Shape::Spread(_));
    if is_refused {
        diagnostics.error(ty.span(), texts::NOT_AN_ARRAY);
    }
    is_refused
}

/// Reports a flattened field whose type is a type parameter, and returns whether it is one. rustc does not accept a constant that contains
/// parameters of an unknown number.
pub(super) fn refuse_type_parameter(
    parameter: &ParameterField<'_>,
    generics: &Generics,
    diagnostics: &mut Diagnostics,
) -> bool {
    let mut ty = parameter.field.ty;
    while let Type::Reference(syn::TypeReference { elem: inner, .. })
    | Type::Paren(syn::TypeParen { elem: inner, .. })
    | Type::Group(syn::TypeGroup { elem: inner, .. }) = ty
    {
        ty = inner;
    }
    let is_parameter = matches!(parameter.shape, Shape::Flatten(_))
        && matches!(ty, Type::Path(path) if generics.type_params().any(|own| path.path.is_ident(&own.ident)));
    if is_parameter {
        diagnostics.error(ty.span(), texts::FLATTENED_PARAMETER);
    }
    is_parameter
}

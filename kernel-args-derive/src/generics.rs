//! Bounds that a derive adds to type parameters.

use crate::{
    erase,
    field_errors::{has_bound, ungrouped},
};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    GenericArgument, GenericParam, Generics, Ident, Path, PathArguments, Type, TypeParam, WherePredicate, parse_quote,
};

/// Returns the generics of a device type's impl. A type parameter that occurs in `used` gets the bound `DeviceType`,
/// every other type parameter the bound `'static`. Bounds on a lifetime also apply to `'static`.
pub(crate) fn bounded(generics: &Generics, used: &TokenStream, krate: &Path) -> Generics {
    with_predicates(generics, derived(generics, krate, |parameter| mentions(used, &parameter.ident)))
}

/// Returns the generics of the impl for arguments: the same as for a device type, unless `bound` replaces them. A type
/// parameter that the struct itself declares as a `KernelArg` need not be a device type.
pub(crate) fn bounded_arguments(
    generics: &Generics,
    used: &TokenStream,
    krate: &Path,
    bound: Option<&[WherePredicate]>,
) -> Generics {
    let is_device_type = |parameter: &TypeParam| mentions(used, &parameter.ident) && !is_argument(generics, parameter);
    let types = match bound {
        // These syn types are `Clone` only with a feature that nothing else here needs.
        Some(bound) => bound.iter().map(|one| parse_quote!(#one)).collect(),
        None => derived(generics, krate, is_device_type),
    };
    with_predicates(generics, types)
}

fn derived(generics: &Generics, krate: &Path, is_device_type: impl Fn(&TypeParam) -> bool) -> Vec<WherePredicate> {
    let predicate = |parameter: &TypeParam| {
        let ident = &parameter.ident;
        if is_device_type(parameter) { parse_quote!(#ident: #krate::DeviceType) } else { parse_quote!(#ident: 'static) }
    };
    generics.type_params().map(predicate).collect()
}

/// Returns whether a type has a generic argument that has generic arguments itself, or is an array of such a type.
pub(crate) fn is_nested(ty: &Type) -> bool {
    fn depth(ty: &Type) -> usize {
        let path = match ungrouped(ty) {
            Type::Array(array) => return depth(&array.elem),
            Type::Path(path) => &path.path,
            _ => return 0,
        };
        let arguments = path.segments.iter().filter_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => Some(&arguments.args),
            _ => None,
        });
        let inner = |argument: &GenericArgument| match argument {
            GenericArgument::Type(ty) => 1 + depth(ty),
            _ => 1,
        };
        arguments.flatten().map(inner).max().unwrap_or(0)
    }
    depth(ty) > 1
}

/// `generics` without defaults, with the predicates `types`, and with the bounds on lifetimes applied to `'static`.
fn with_predicates(generics: &Generics, types: Vec<WherePredicate>) -> Generics {
    let (params, _, where_clause) = generics.split_for_impl();
    let mut bounded: Generics = parse_quote!(#params);
    bounded.where_clause = where_clause.map(|clause| parse_quote!(#clause));
    let erased = erased_predicates(generics);
    if !(erased.is_empty() && types.is_empty()) {
        bounded.make_where_clause().predicates.extend(erased.into_iter().chain(types));
    }
    bounded
}

/// Returns whether the struct declares `parameter` as a `KernelArg` or a `PointerArg`, by a bound or in its `where`
/// clause.
fn is_argument(generics: &Generics, parameter: &TypeParam) -> bool {
    const TRAITS: [&str; 2] = ["KernelArg", "PointerArg"];
    let mut clause = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    has_bound(&parameter.bounds, &TRAITS)
        || clause.any(|predicate| match predicate {
            WherePredicate::Type(predicate) => {
                matches!(&predicate.bounded_ty, Type::Path(path) if path.path.is_ident(&parameter.ident))
                    && has_bound(&predicate.bounds, &TRAITS)
            }
            _ => false,
        })
}

/// Returns the bounds of `generics` that mention one of its lifetimes, with `'static` instead.
fn erased_predicates(generics: &Generics) -> Vec<WherePredicate> {
    let inline = generics.type_params().filter(|parameter| !parameter.bounds.is_empty()).map(|parameter| {
        let (ident, bounds) = (&parameter.ident, &parameter.bounds);
        quote!(#ident: #bounds)
    });
    let clause = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    inline
        .chain(clause.map(ToTokens::to_token_stream))
        .filter_map(|predicate| {
            let erased = erase::lifetimes(predicate.clone(), generics);
            (erased.to_string() != predicate.to_string()).then(|| syn::parse2(erased).ok()).flatten()
        })
        .collect()
}

/// Generics without lifetimes, for the parameter buffer's struct.
pub(crate) fn without_lifetimes(generics: &Generics) -> Generics {
    let where_clause =
        generics.where_clause.as_ref().map(|clause| erase::lifetimes(clause.to_token_stream(), generics));
    let params = generics
        .params
        .iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .map(|param| erase::lifetimes(param.to_token_stream(), generics));
    let mut result: Generics = syn::parse2(quote!(<#(#params),*>)).unwrap_or_default();
    result.where_clause = where_clause.and_then(|clause| syn::parse2(clause).ok());
    result
}

pub(crate) fn erased_type(ident: &syn::Ident, generics: &Generics) -> TokenStream {
    let (_, arguments, _) = generics.split_for_impl();
    let arguments = erase::lifetimes(arguments.to_token_stream(), generics);
    quote!(#ident #arguments)
}

/// Returns the type and const parameters.
pub(crate) fn parameters(generics: &Generics) -> impl Iterator<Item = &Ident> {
    let types = generics.type_params().map(|parameter| &parameter.ident);
    types.chain(generics.const_params().map(|parameter| &parameter.ident))
}

pub(crate) fn mentions(tokens: &TokenStream, ident: &syn::Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(other) => other == *ident,
        TokenTree::Group(group) => mentions(&group.stream(), ident),
        _ => false,
    })
}

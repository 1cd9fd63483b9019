//! Bounds that a derive adds to type parameters.

use crate::erase;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{GenericParam, Generics, Path, WherePredicate, parse_quote};

/// The generics of `generics`' impl: every type parameter that occurs in `used` is a `DeviceType`, every
/// other is `'static`; and what was demanded of a lifetime is demanded of `'static` as well.
pub(crate) fn bounded(generics: &Generics, used: &TokenStream, krate: &Path) -> Generics {
    let mut bounded = Generics {
        params: generics
            .params
            .iter()
            .map(|param| without_default(parse_quote!(#param)))
            .collect(),
        where_clause: generics
            .where_clause
            .as_ref()
            .map(|clause| parse_quote!(#clause)),
        ..Generics::default()
    };
    let erased: Vec<WherePredicate> = erased_predicates(generics);
    let types: Vec<WherePredicate> = generics
        .type_params()
        .map(|parameter| {
            let ident = &parameter.ident;
            if mentions(used, ident) {
                parse_quote!(#ident: #krate::DeviceType)
            } else {
                parse_quote!(#ident: 'static)
            }
        })
        .collect();
    if !(erased.is_empty() && types.is_empty()) {
        bounded
            .make_where_clause()
            .predicates
            .extend(erased.into_iter().chain(types));
    }
    bounded
}

/// Only the struct itself has defaults.
fn without_default(mut param: GenericParam) -> GenericParam {
    match &mut param {
        GenericParam::Type(param) => param.default = None,
        GenericParam::Const(param) => param.default = None,
        GenericParam::Lifetime(_) => {}
    }
    param
}

/// The bounds of `generics` that mention one of its lifetimes, for `'static`.
fn erased_predicates(generics: &Generics) -> Vec<WherePredicate> {
    let inline = generics
        .type_params()
        .filter(|parameter| !parameter.bounds.is_empty())
        .map(|parameter| {
            let (ident, bounds) = (&parameter.ident, &parameter.bounds);
            quote!(#ident: #bounds)
        });
    let clause = generics
        .where_clause
        .iter()
        .flat_map(|clause| &clause.predicates);
    inline
        .chain(clause.map(ToTokens::to_token_stream))
        .filter_map(|predicate| {
            let erased = erase::lifetimes(predicate.clone(), generics);
            (erased.to_string() != predicate.to_string())
                .then(|| syn::parse2(erased).ok())
                .flatten()
        })
        .collect()
}

/// Generics without lifetimes: those of the parameter buffer's struct.
pub(crate) fn without_lifetimes(generics: &Generics) -> Generics {
    let where_clause = generics
        .where_clause
        .as_ref()
        .map(|clause| erase::lifetimes(clause.to_token_stream(), generics));
    let params = generics
        .params
        .iter()
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .map(|param| erase::lifetimes(param.to_token_stream(), generics));
    let mut result: Generics = syn::parse2(quote!(<#(#params),*>)).unwrap_or_default();
    result.where_clause = where_clause.and_then(|clause| syn::parse2(clause).ok());
    result
}

/// The type `ident` with its parameters, every lifetime `'static`.
pub(crate) fn erased_type(ident: &syn::Ident, generics: &Generics) -> TokenStream {
    let (_, arguments, _) = generics.split_for_impl();
    let arguments = erase::lifetimes(arguments.to_token_stream(), generics);
    quote!(#ident #arguments)
}

fn mentions(tokens: &TokenStream, ident: &syn::Ident) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(other) => other == *ident,
        TokenTree::Group(group) => mentions(&group.stream(), ident),
        _ => false,
    })
}

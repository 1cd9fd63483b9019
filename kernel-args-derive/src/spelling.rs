//! How a field's type is spelled in messages: with the type that a type parameter stands for, where that is known.

use crate::input::Field;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Generics;

/// An expression of type `&'static str`. `info` is the `TypeInfo` of the field's type.
///
/// The derive does not know what `T` is, but a constant can see the C++ type of the whole field. Where that is the type of
/// `T` itself, or of a pointer to it, it is shown: `&'a CudaSlice<f64>` rather than `&'a CudaSlice<T>`.
pub(crate) fn expression(
    field: &Field<'_>,
    generics: &Generics,
    krate: &TokenStream,
    info: &TokenStream,
) -> TokenStream {
    let spelling = field.spelling();
    let span = field.span();
    let mut params = generics
        .type_params()
        .map(|param| param.ident.to_string())
        .filter(|param| words(field.ty.to_token_stream()).contains(param));
    let (Some(param), None) = (params.next(), params.next()) else {
        return spelling.into_token_stream();
    };
    let Some((before, after)) = around(&spelling, &param) else {
        return quote!(#spelling);
    };
    quote_spanned! {span=>
        const { &#krate::__private::instantiated(#before, #param, #after, #info) }.as_str()
    }
}

/// The identifiers of a type.
fn words(tokens: TokenStream) -> Vec<String> {
    use proc_macro2::TokenTree;
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) => vec![ident.to_string()],
            TokenTree::Group(group) => words(group.stream()),
            _ => Vec::new(),
        })
        .collect()
}

/// What stands before and after a parameter that is the whole type, or the one argument of a type: `<T>`.
fn around<'s>(spelling: &'s str, param: &str) -> Option<(&'s str, &'s str)> {
    if spelling == param {
        return Some(("", ""));
    }
    let argument = format!("<{param}>");
    let (before, after) = spelling.split_once(&argument)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let rest = [before, after];
    let again = rest
        .iter()
        .any(|part| part.split(|c| !is_word(c)).any(|word| word == param));
    (!again).then(|| {
        let at = before.len() + 1;
        (&spelling[..at], &spelling[at + param.len()..])
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::around;

    #[test]
    fn the_one_place_of_a_parameter_is_found() {
        assert_eq!(around("T", "T"), Some(("", "")));
        assert_eq!(
            around("&'a CudaSlice<T>", "T"),
            Some(("&'a CudaSlice<", ">"))
        );
        for other in [
            "Pair<T, T>",
            "[T; 4]",
            "Pair<T, Vec<T>>",
            "Other<TT>",
            "Map<Box<T>, T>",
        ] {
            assert_eq!(around(other, "T"), None, "{other}");
        }
    }
}

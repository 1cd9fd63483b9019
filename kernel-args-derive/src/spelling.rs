//! The spelling of a field's type in messages, with type parameters replaced by known types.

use crate::{generics, input};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use syn::{Generics, Type};

/// Returns an expression of type `&'static str`. `info` is the `TypeInfo` of the field's type.
///
/// A constant can read the C++ type of the whole field. If that is the type of `T` itself, or of a pointer to `T`, the
/// message shows it: `&'a CudaSlice<f64>` instead of `&'a CudaSlice<T>`.
pub(crate) fn expression(
    ty: &Type,
    span: Span,
    generics: &Generics,
    private: &TokenStream,
    info: &TokenStream,
) -> TokenStream {
    let tokens = ty.to_token_stream();
    let spelling = input::spelling(&tokens);
    let mut params =
        generics.type_params().map(|param| &param.ident).filter(|param| generics::mentions(&tokens, param));
    if let (Some(param), None) = (params.next().map(ToString::to_string), params.next())
        && let Some((before, after)) = around(&spelling, &param)
    {
        return instantiated([before, &param, after], span, private, info);
    }
    spelling.into_token_stream()
}

/// Returns the spelling of a type. The type parameter, between two texts, is replaced by the actual type if `info`
/// determines it.
pub(crate) fn instantiated(
    [before, param, after]: [&str; 3],
    span: Span,
    private: &TokenStream,
    info: &TokenStream,
) -> TokenStream {
    quote_spanned!(span=> const { &#private::instantiated(#before, #param, #after, #info) }.as_str())
}

/// Returns the text before and after a parameter that is the whole type, or the only argument of a type: `<T>`.
fn around<'s>(spelling: &'s str, param: &str) -> Option<(&'s str, &'s str)> {
    if spelling == param {
        return Some(("", ""));
    }
    let argument = format!("<{param}>");
    let (before, after) = spelling.split_once(&argument)?;
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let again = [before, after].iter().any(|part| part.split(|c| !is_word(c)).any(|word| word == param));
    (!again).then(|| {
        let at = before.len() + 1;
        (&spelling[..at], &spelling[at + param.len()..])
    })
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn the_one_place_of_a_parameter_is_found() {
        assert_eq!(around("T", "T"), Some(("", "")));
        assert_eq!(around("&'a CudaSlice<T>", "T"), Some(("&'a CudaSlice<", ">")));
        for other in ["Pair<T, T>", "[T; 4]", "Pair<T, Vec<T>>", "Other<TT>", "Map<Box<T>, T>"] {
            assert_eq!(around(other, "T"), None, "{other}");
        }
    }
}

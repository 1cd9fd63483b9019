//! Replaces every lifetime parameter of a struct by `'static`.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use syn::Generics;

/// Replaces the lifetime parameters of `generics` in `tokens` by `'static`. Keeps spans.
///
/// The device types of arguments, constants and the parameter buffer do not depend on lifetimes.
pub(crate) fn lifetimes(tokens: TokenStream, generics: &Generics) -> TokenStream {
    let names: Vec<&Ident> = generics.lifetimes().map(|parameter| &parameter.lifetime.ident).collect();
    if names.is_empty() { tokens } else { replace(tokens, &names) }
}

fn replace(tokens: TokenStream, names: &[&Ident]) -> TokenStream {
    let mut after_quote = false;
    tokens
        .into_iter()
        .map(|token| {
            let in_lifetime = after_quote;
            after_quote = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '\'');
            match token {
                TokenTree::Ident(ident) if in_lifetime && names.contains(&&ident) => {
                    TokenTree::Ident(Ident::new("static", ident.span()))
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), replace(group.stream(), names));
                    inner.set_span(group.span());
                    TokenTree::Group(inner)
                }
                other => other,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::lifetimes;
    use quote::quote;

    #[test]
    fn only_the_structs_own_lifetimes_are_replaced() {
        let input: syn::DeriveInput = syn::parse_quote!(
            struct S<'a, 'b, T>(&'a T, &'b T);
        );
        let tokens = quote!((&'a [T; 'b'], for<'c> fn(&'c a, Foo<'b>)));
        assert_eq!(
            lifetimes(tokens, &input.generics).to_string(),
            quote!((&'static [T; 'b'], for<'c> fn(&'c a, Foo<'static>))).to_string()
        );
    }
}

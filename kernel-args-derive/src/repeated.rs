//! Macros in tokens that the derives emit several times.
//!
//! A procedural macro can return another type at each place: the buffer would have the size of one type, and the value
//! another. So it is an error.

use crate::{diagnostics::Diagnostics, texts};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{GenericParam, Generics};

/// Reports each macro in `tokens`, and each attribute, which can be a macro too. Returns whether nothing was reported.
pub(crate) fn refuse_macros(tokens: impl ToTokens, diagnostics: &mut Diagnostics) -> bool {
    let mut flat = Vec::new();
    flatten(tokens.to_token_stream(), &mut flat);
    let mut complete = true;
    for (i, token) in flat.iter().enumerate() {
        let TokenTree::Group(group) = token else {
            continue;
        };
        complete &= match &flat[..i] {
            [.., TokenTree::Ident(name), mark] if is(mark, '!') && is_name(name) => {
                diagnostics.error(name.span(), texts::repeated_macro(name));
                false
            }
            [.., hash] | [.., hash, _] if is(hash, '#') => {
                diagnostics.error(group.span(), texts::REPEATED_ATTRIBUTE);
                false
            }
            _ => refuse_macros(group.stream(), diagnostics),
        };
    }
    complete
}

/// Reports each macro in the bounds of an impl, and in the types of its const parameters. (Defaults are not emitted.)
pub(crate) fn refuse_macros_in_generics(generics: &Generics, diagnostics: &mut Diagnostics) {
    for parameter in &generics.params {
        match parameter {
            GenericParam::Type(parameter) => refuse_macros(&parameter.bounds, diagnostics),
            GenericParam::Const(parameter) => refuse_macros(&parameter.ty, diagnostics),
            GenericParam::Lifetime(_) => true,
        };
    }
    refuse_macros(&generics.where_clause, diagnostics);
}

/// Appends the tokens without the invisible groups around fragments of `macro_rules!` macros: in `$path!()`, the name
/// of the macro is in such a group.
fn flatten(tokens: TokenStream, flat: &mut Vec<TokenTree>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                flatten(group.stream(), flat);
            }
            other => flat.push(other),
        }
    }
}

fn is(token: &TokenTree, mark: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// Returns whether an identifier before `!(…)` is the name of a macro. After a keyword, as in `if !(a)`, `!` is the
/// operator.
fn is_name(ident: &Ident) -> bool {
    /// Edition 2015 has macros of these names.
    const KEYWORDS_SINCE_2018: [&str; 4] = ["async", "await", "dyn", "try"];
    KEYWORDS_SINCE_2018.iter().any(|name| ident == name) || syn::parse2::<Ident>(ident.to_token_stream()).is_ok()
}

#[allow(clippy::unwrap_used)]
#[cfg(test)]
mod tests {
    use super::refuse_macros;
    use crate::diagnostics::Diagnostics;
    use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
    use quote::quote;

    fn reported(tokens: &TokenStream) -> usize {
        let mut diagnostics = Diagnostics::default();
        let complete = refuse_macros(tokens, &mut diagnostics);
        let errors = diagnostics.into_compile_errors().unwrap_or_default();
        let count = errors.to_string().matches("compile_error").count();
        assert_eq!(complete, count == 0, "{tokens}");
        count
    }

    fn invisible(tokens: TokenStream) -> TokenStream {
        TokenTree::from(Group::new(Delimiter::None, tokens)).into()
    }

    #[test]
    fn a_macro_is_found_at_any_depth() {
        for one in [
            quote!(next!()),
            quote!(next![]),
            quote!(next! {}),
            quote!(::a::b::next!()),
            quote!(r#if!()),
            quote!(try!()),
            quote!([u8; { dyn!() }]),
            quote!([next!(); 2]),
            quote!([u8; next!()]),
            quote!([u8; { 1 + next!(x, other!()) }]),
            quote!(DevicePointer<Foo<{ next!() }>>),
            quote!(((next!()), u8)),
            quote!(<next!() as Trait>::Type),
            quote!(<u8 as Trait<next!()>>::Type),
            quote!(fn(next!()) -> u8),
            quote!(fn(u8) -> next!()),
            quote!(dyn Fn(u8, Box<next!()>)),
            quote!(&'a [next!()]),
            quote!(Item = next!()),
            quote!([u8; { if !(A) { next!() } else { 2 } }]),
        ] {
            assert_eq!(reported(&one), 1, "{one}");
            assert_eq!(reported(&invisible(one.clone())), 1, "{one}");
        }
        let of_path = invisible(quote!(a::next));
        assert_eq!(reported(&quote!(#of_path!())), 1);
        let of_type = invisible(quote!([next!(); 2]));
        assert_eq!(reported(&quote!(Foo<#of_type, next!()>)), 2);
    }

    #[test]
    fn an_attribute_is_found_at_any_depth() {
        for one in [
            quote!(
                [u8; {
                    #[next]
                    const N: usize = 1;
                    N
                }]
            ),
            quote!(
                [u8; {
                    #![next]
                    1
                }]
            ),
            "fn(#[next] u8)".parse().unwrap(),
        ] {
            assert_eq!(reported(&one), 1, "{one}");
        }
    }

    #[test]
    fn the_operator_and_the_type_are_no_macros() {
        for none in [
            quote!([u8; { if !(A) { 1 } else { !{ 2 } } }]),
            quote!([u8; (A != (B)) as usize]),
            quote!(
                [u8; {
                    match !(A) {
                        _ if !(B) => 1,
                        _ => return !(2),
                    }
                }]
            ),
            quote!(Foo<{ !(1) }>),
            quote!(fn() -> !),
            quote!((!, u8)),
            quote!([[f32; 4]; N]),
        ] {
            assert_eq!(reported(&none), 0, "{none}");
        }
    }
}

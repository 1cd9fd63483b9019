//! The fields of a struct, in order.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::{Attribute, Fields, Member, Type, ext::IdentExt, spanned::Spanned};

pub(crate) struct Field<'a> {
    /// The field's member expression: `self.n`, `self.0`.
    pub(crate) member: Member,
    pub(crate) name: String,
    pub(crate) ty: &'a Type,
    pub(crate) attrs: &'a [Attribute],
}

impl<'a> Field<'a> {
    pub(crate) fn all(fields: &'a Fields) -> Vec<Self> {
        fields
            .members()
            .zip(fields)
            .map(|(member, field)| Self { name: name(&member), member, ty: &field.ty, attrs: &field.attrs })
            .collect()
    }

    pub(crate) fn span(&self) -> Span {
        self.ty.span()
    }

    pub(crate) fn spelling(&self) -> String {
        spelling(&self.ty.to_token_stream())
    }
}

/// Returns the name of a member in messages: `n`, `0`. Raw identifiers are without `r#`.
pub(crate) fn name(member: &Member) -> String {
    match member {
        Member::Named(ident) => ident.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}

/// Tokens in the usual formatting: `&'a mut CudaSlice<f32>`, not `& 'a mut CudaSlice < f32 >`.
pub(crate) fn spelling(tokens: &TokenStream) -> String {
    let spaced = tokens.to_string();
    let mut text = String::with_capacity(spaced.len());
    let mut previous = ' ';
    let mut chars = spaced.chars().peekable();
    while let Some(c) = chars.next() {
        if c == ' ' {
            let next = chars.peek().copied().unwrap_or(' ');
            let tight = "<(&[:'*".contains(previous) || "<>,;)]:".contains(next);
            // `dyn Fn() -> T`, `&'a T`, `*const T`: a space follows a word, an arrow or a comma.
            let arrow = text.ends_with("->") || next == '-';
            if tight && !arrow {
                continue;
            }
        }
        text.push(c);
        previous = c;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::spelling;
    use proc_macro2::TokenStream;

    #[test]
    fn types_are_spelled_as_a_person_writes_them() {
        for written in [
            "&'a mut CudaSlice<f32>",
            "Option<&'a CudaView<'b, f32>>",
            "[[f32; 4]; N]",
            "core::num::Wrapping<u32>",
            "*const f32",
            "<T as Trait>::Item",
        ] {
            let tokens: Option<TokenStream> = written.parse().ok();
            assert_eq!(tokens.as_ref().map(spelling).as_deref(), Some(written));
        }
    }
}

//! `#[repr(…)]`.

use super::each;
use crate::diagnostics::Diagnostics;
use proc_macro2::Span;
use syn::{Attribute, LitInt, Token, parenthesized, spanned::Spanned};

#[derive(Default)]
pub(crate) struct Repr {
    pub(crate) c: bool,
    pub(crate) transparent: bool,
    /// The maximum alignment of the fields.
    pub(crate) packed: Option<usize>,
    pub(crate) align: Option<usize>,
    pub(crate) int: Option<syn::Ident>,
    pub(crate) other: Option<Span>,
}

const INTS: [&str; 12] = ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

impl Repr {
    pub(crate) fn parse(attrs: &[Attribute]) -> Self {
        let mut repr = Self::default();
        // rustc itself reports errors in a `repr`.
        each(attrs, "repr", &mut Diagnostics::default(), |meta| {
            let path = &meta.path;
            if path.is_ident("C") {
                repr.c = true;
            } else if path.is_ident("transparent") {
                repr.transparent = true;
            } else if path.is_ident("align") {
                let content;
                parenthesized!(content in meta.input);
                let bytes = content.parse::<LitInt>()?.base10_parse::<usize>()?;
                repr.align = repr.align.max(Some(bytes));
            } else if path.is_ident("packed") {
                repr.packed = Some(1);
                if meta.input.peek(syn::token::Paren) {
                    let content;
                    parenthesized!(content in meta.input);
                    repr.packed = Some(content.parse::<LitInt>()?.base10_parse()?);
                }
            } else if let Some(int) = path.get_ident().filter(|int| INTS.iter().any(|name| int == name)) {
                repr.int = Some(int.clone());
            } else {
                repr.other = Some(path.span());
                if meta.input.peek(Token![=]) {
                    meta.value()?.parse::<syn::Expr>()?;
                }
            }
            Ok(())
        });
        repr
    }
}

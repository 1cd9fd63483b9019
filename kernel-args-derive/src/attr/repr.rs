//! `#[repr(…)]`.

use super::each;
use crate::{diagnostics::Diagnostics, field_errors::INTEGERS};
use syn::{Attribute, LitInt, Token, parenthesized, parse::ParseStream};

#[derive(Default)]
pub(crate) struct Repr {
    pub(crate) c: bool,
    pub(crate) transparent: bool,
    /// The maximum alignment of the fields.
    pub(crate) packed: Option<usize>,
    pub(crate) align: Option<usize>,
    pub(crate) int: Option<syn::Ident>,
}

impl Repr {
    pub(crate) fn parse(attrs: &[Attribute]) -> Self {
        let mut repr = Self::default();
        let bytes = |input: ParseStream<'_>| {
            let content;
            parenthesized!(content in input);
            content.parse::<LitInt>()?.base10_parse::<usize>()
        };
        // rustc itself reports errors in a `repr`.
        each(attrs, "repr", &mut Diagnostics::default(), |name, meta| {
            match name {
                "C" => repr.c = true,
                "transparent" => repr.transparent = true,
                "align" => repr.align = repr.align.max(Some(bytes(meta.input)?)),
                "packed" => {
                    let has_bytes = meta.input.peek(syn::token::Paren);
                    repr.packed = Some(if has_bytes { bytes(meta.input)? } else { 1 });
                }
                _ if INTEGERS.contains(&name) => repr.int = meta.path.get_ident().cloned(),
                _ if meta.input.peek(Token![=]) => _ = meta.value()?.parse::<syn::Expr>()?,
                _ => {}
            }
            Ok(())
        });
        repr
    }
}

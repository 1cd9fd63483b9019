//! `#[kernel_args(spread)]` and `#[kernel_args(flatten)]` on a field: one field, several parameters.

use super::{FieldAttr, FieldContracts, FieldKind, kernel_name, takes_no_value};
use crate::{diagnostics::Diagnostics, texts};
use proc_macro2::Span;
use syn::{LitStr, Token, meta::ParseNestedMeta, punctuated::Punctuated};

#[derive(Clone, Copy, Default)]
pub(crate) enum Shape {
    /// One.
    #[default]
    One,
    /// One for each element of an array: `spread`.
    Spread(Span),
    /// The parameters of a struct of arguments: `flatten`.
    Flatten(Span),
}

pub(crate) enum ElementNames {
    /// The text before and after the index: `name = "shape{}"`.
    Numbered(String, String),
    /// `name = ["nx", "ny"]`.
    Listed(Vec<LitStr>),
}

/// The place of the index in the name of an element.
const INDEX: &str = "{}";

const LONGEST: usize = 96;

impl Shape {
    /// Parses `spread` or `flatten`. `None` for another attribute.
    pub(super) fn parse(&mut self, meta: &ParseNestedMeta<'_>) -> Option<syn::Result<()>> {
        let span = syn::spanned::Spanned::span(&meta.path);
        let shape = if meta.path.is_ident("spread") {
            Self::Spread(span)
        } else if meta.path.is_ident("flatten") {
            Self::Flatten(span)
        } else {
            return None;
        };
        Some(takes_no_value(meta).and_then(|()| self.set(shape, meta)))
    }

    fn set(&mut self, shape: Self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        match (*self, shape) {
            (Self::One, _) => {
                *self = shape;
                Ok(())
            }
            (Self::Spread(_), Self::Spread(_)) | (Self::Flatten(_), Self::Flatten(_)) => {
                Err(meta.error(texts::DUPLICATE_ATTRIBUTE))
            }
            _ => Err(meta.error(texts::SPREAD_AND_FLATTEN)),
        }
    }
}

/// `name = "in"`, or a list of names for a field that is spread.
pub(super) fn names(meta: &ParseNestedMeta<'_>) -> syn::Result<Vec<LitStr>> {
    let after = meta.input.fork();
    after.parse::<Token![=]>()?;
    if !after.peek(syn::token::Bracket) {
        return Ok(vec![kernel_name(meta)?]);
    }
    let value = meta.value()?;
    let list;
    syn::bracketed!(list in value);
    let names = Punctuated::<LitStr, Token![,]>::parse_terminated(&list)?;
    let names: Vec<LitStr> = names.into_iter().collect();
    match names.iter().find(|name| name.value().trim().is_empty()) {
        Some(empty) => Err(syn::Error::new(empty.span(), texts::EMPTY_NAME)),
        None => Ok(names),
    }
}

pub(super) fn check(field: &mut FieldAttr, diagnostics: &mut Diagnostics) {
    let (span, is_spread) = match field.shape {
        Shape::One => {
            if let Some(listed) = &field.listed {
                let span = listed.first().map_or_else(Span::call_site, LitStr::span);
                diagnostics.error(span, texts::NAMES_WITHOUT_SPREAD);
            }
            return;
        }
        Shape::Spread(span) => (span, true),
        Shape::Flatten(span) => (span, false),
    };
    if field.kind == FieldKind::Skipped {
        diagnostics.error(span, texts::SKIP_AND_PARTS);
    } else if !is_spread {
        let has_name = field.name.is_some() || field.listed.is_some();
        if field.kind != FieldKind::Typed || has_name || field.contracts.any() {
            diagnostics.error(span, texts::FLATTEN_AND_FIELD);
            field.contracts = FieldContracts::default();
        }
    } else if let Some(narrowed) = field.contracts.narrowed.take() {
        diagnostics.error(narrowed.span, texts::SPREAD_AND_AS);
    } else if let Some(name) = &field.name {
        let text = name.value();
        if text.matches(INDEX).count() != 1 {
            diagnostics.error(name.span(), texts::element_name(&text.replace(INDEX, "")));
        } else if text.len() > LONGEST {
            diagnostics.error(name.span(), texts::LONG_ELEMENT_NAME);
        }
    }
}

impl FieldAttr {
    pub(crate) fn is_flattened(&self) -> bool {
        matches!(self.shape, Shape::Flatten(_))
    }

    pub(crate) fn element_names(&self) -> Option<ElementNames> {
        if let Some(names) = &self.listed {
            let names = names.iter().map(|name| LitStr::new(&name.value(), name.span()));
            return Some(ElementNames::Listed(names.collect()));
        }
        let name = self.name.as_ref()?.value();
        let (before, after) = name.split_once(INDEX)?;
        Some(ElementNames::Numbered(before.into(), after.into()))
    }
}

//! All errors of one derive, reported together, and where rustc reports its own.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};
use std::fmt::Display;
use syn::Path;

/// Collects errors, so a user sees every mistake of a struct at once.
#[derive(Default)]
pub(crate) struct Diagnostics {
    errors: Option<syn::Error>,
}

impl Diagnostics {
    pub(crate) fn error(&mut self, span: Span, message: impl Display) {
        self.push(syn::Error::new(span, message));
    }

    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.errors {
            Some(errors) => errors.combine(error),
            None => self.errors = Some(error),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_none()
    }

    /// Returns the errors as `compile_error!`s, or `None` if nothing was reported.
    pub(crate) fn into_compile_errors(self) -> Option<TokenStream> {
        self.errors.map(syn::Error::into_compile_error)
    }
}

/// `path` with its tokens at `span`, so rustc reports an error in a call through it there.
pub(crate) fn respan(path: &Path, span: Span) -> TokenStream {
    path.to_token_stream()
        .into_iter()
        .map(|mut token| {
            token.set_span(span.resolved_at(token.span()));
            token
        })
        .collect()
}

/// The module `__private` of the crate at `path`, in the same way.
pub(crate) fn private_at(path: &Path, span: Span) -> TokenStream {
    let path = respan(path, span);
    quote_spanned!(span=> #path::__private)
}

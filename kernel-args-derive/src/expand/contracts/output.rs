//! One contract as code.

use super::{
    super::local,
    expression::{Mode, Scope, operands},
};
use crate::{
    attr::{Expression, Written},
    input::Field,
};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

pub(super) struct Output<'a> {
    pub(super) scope: Scope<'a>,
    pub(super) name: String,
}

impl Output<'_> {
    /// Returns a comparison, and the decision if it does not hold. With `true`, the contract is broken then; otherwise
    /// it may hold: a value in between can be negative, or exceed a `u64`. The decision can use `__own`, the value of
    /// the field that the function reads.
    pub(super) fn check<T>(
        &self,
        written: &Written<T>,
        own: Option<(&Field<'_>, &str)>,
        quick: (&TokenStream, bool),
        exact: &TokenStream,
        expressions: &[&Expression],
    ) -> TokenStream {
        let span = written.span;
        let own_value = own.filter(|(_, function)| !function.is_empty()).map(|(field, function)| {
            let value = own_field(field, span);
            let function = self.scope.exact(function, span);
            let value = quote_spanned!(span=> #function(&#value));
            quote!(let __own = #value;)
        });
        let field = own.map_or("", |(field, _)| &field.name);
        let contract = self.contract(field, written, expressions);
        self.unless(span, quick, &quote!(#own_value), expressions, &quote!(#contract.#exact))
    }

    /// Like [`check`](Self::check), for a contract on the struct that an exchanged grid and block could break.
    pub(super) fn exchangeable<T>(
        &self,
        written: &Written<T>,
        quick: (&TokenStream, bool),
        exact: &TokenStream,
        expressions: &[&Expression],
    ) -> TokenStream {
        let geometry = self.scope.item("Geometry", written.span);
        let contract = self.contract("", written, expressions);
        let decision = quote! {{
            let __decide = |__geometry: #geometry| #contract.#exact;
            __decide(__geometry).map_err(|__error| {
                __error.unless_exchanged(&__decide(__geometry.exchanged()))
            })
        }};
        self.unless(written.span, quick, &TokenStream::new(), expressions, &decision)
    }

    /// Returns the comparison; if it does not hold, the statements `before`, and the decision with the numbers of the
    /// expressions.
    fn unless(
        &self,
        span: Span,
        (quick, is_exact): (&TokenStream, bool),
        before: &TokenStream,
        expressions: &[&Expression],
        decision: &TokenStream,
    ) -> TokenStream {
        let read = self.scope.read_all(expressions);
        let decide = if is_exact {
            let (broken, krate) = (self.scope.item("broken", span), self.scope.krate);
            quote!(return #krate::__private::Result::Err(#broken(move || #decision));)
        } else {
            let exactly = self.scope.item("exactly", span);
            quote!(#exactly(move || #decision)?;)
        };
        quote! {
            if !(#quick) {
                #before
                #read
                #decide
            }
        }
    }

    pub(super) fn contract<T>(&self, field: &str, written: &Written<T>, expressions: &[&Expression]) -> TokenStream {
        let contract = self.scope.item("contract", written.span);
        let operands = operands(expressions);
        let (name, text) = (&self.name, &written.text);
        quote!(#contract(#name, #field, #text, #operands))
    }

    pub(super) fn both(&self, value: &Expression) -> [TokenStream; 2] {
        [Mode::Quick, Mode::Exact].map(|mode| self.scope.value(value, mode))
    }
}

/// Returns the field itself, for errors at its contract.
pub(super) fn own_field(field: &Field<'_>, span: Span) -> TokenStream {
    let (this, member) = (local("self", span), &field.member);
    quote_spanned!(span=> #this.#member)
}

//! Expressions of contracts as code: one tree, computed by either of two modules with the same functions.

use super::{local, respan};
use crate::{
    attr::{Expression, Place, Root},
    diagnostics::Diagnostics,
    input::Field,
    texts,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Generics, Path, ext::IdentExt};

/// A module that computes expressions.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Quick,
    Exact,
}

/// What the names in expressions refer to.
pub(super) struct Scope<'a> {
    pub(super) fields: &'a [Field<'a>],
    pub(super) generics: &'a Generics,
    pub(super) krate: &'a Path,
}

/// The meaning of a place.
enum Meaning<'a> {
    Field(&'a Field<'a>),
    Constant(TokenStream),
    /// `grid` or `block`.
    Launch(&'static str),
}

impl Scope<'_> {
    /// Reports each name of an expression that has no meaning.
    pub(super) fn check(&self, expression: &Expression, diagnostics: &mut Diagnostics) {
        for (place, _) in expression.places() {
            if let Err(error) = self.meaning(place) {
                diagnostics.push(error);
            }
        }
    }

    fn meaning(&self, place: &Place) -> syn::Result<Meaning<'_>> {
        let field = |name: &str| self.fields.iter().find(|field| field.name == name);
        let unknown = |name: &str| {
            let names: Vec<&str> = self
                .fields
                .iter()
                .map(|field| field.name.as_str())
                .collect();
            Err(syn::Error::new(
                place.span,
                texts::unknown_in_contract(name, &names),
            ))
        };
        match &place.root {
            Root::Field(name) => {
                field(name).map_or_else(|| unknown(name), |field| Ok(Meaning::Field(field)))
            }
            Root::Path(path) => Ok(Meaning::Constant(path.clone())),
            Root::Name(ident) => {
                let name = ident.unraw().to_string();
                if let Some(field) = field(&name) {
                    return Ok(Meaning::Field(field));
                }
                let axis = place.rest.to_string().replace(' ', "");
                match name.as_str() {
                    _ if !["", ".x", ".y", ".z"].contains(&axis.as_str()) => {}
                    "grid" => return Ok(Meaning::Launch("grid")),
                    "block" => return Ok(Meaning::Launch("block")),
                    _ => {}
                }
                let is_parameter = self.generics.const_params().any(|one| one.ident == *ident);
                // A constant has an upper-case name; anything else is a field that does not exist.
                if is_parameter || name.starts_with(|c: char| c.is_uppercase()) {
                    Ok(Meaning::Constant(quote!(#ident)))
                } else {
                    unknown(&name)
                }
            }
        }
    }

    /// The path of an item of the module for contracts.
    pub(super) fn item(&self, name: &str, span: Span) -> TokenStream {
        let (krate, name) = (respan(self.krate, span), Ident::new(name, span));
        quote_spanned!(span=> #krate::__private::contract::#name)
    }

    /// A function of a module that computes.
    pub(super) fn function(&self, mode: Mode, name: &str, span: Span) -> TokenStream {
        let module = self.item(
            match mode {
                Mode::Quick => "quick",
                Mode::Exact => "exact",
            },
            span,
        );
        let name = Ident::new(name, span);
        quote_spanned!(span=> #module::#name)
    }

    /// The value of an expression. Names without a meaning were reported: they have the value 0.
    pub(super) fn value(&self, expression: &Expression, mode: Mode) -> TokenStream {
        let call = Span::call_site();
        match expression {
            Expression::Number(number) => {
                let function = self.function(mode, "number", call);
                quote!(#function(#number))
            }
            Expression::Negative(of) => {
                let (function, of) = (self.function(mode, "neg", call), self.value(of, mode));
                quote!(#function(#of))
            }
            Expression::Operation(operation, both) => {
                let function = self.function(mode, operation.function(), call);
                let [a, b] = &**both;
                let (a, b) = (self.value(a, mode), self.value(b, mode));
                quote!(#function(#a, #b))
            }
            Expression::Place(place) => self.place(place, mode, "integer"),
            Expression::Elements(place) => self.place(place, mode, "elements"),
        }
    }

    /// The value of an expression that something is at least as large as. A field alone needs no check of its sign.
    pub(super) fn required(&self, expression: &Expression, mode: Mode) -> TokenStream {
        match expression {
            Expression::Place(place) => self.place(place, mode, "or_huge"),
            _ => self.value(expression, mode),
        }
    }

    fn place(&self, place: &Place, mode: Mode, function: &str) -> TokenStream {
        let (rest, span) = (&place.rest, place.span);
        let value = match self.meaning(place) {
            Ok(Meaning::Field(field)) => {
                let (this, member) = (local("self", span), &field.member);
                quote_spanned!(span=> #this.#member #rest)
            }
            Ok(Meaning::Constant(constant)) => quote_spanned!(span=> #constant #rest),
            Ok(Meaning::Launch(name)) => {
                let (geometry, name) = (local("__geometry", span), Ident::new(name, span));
                let function = if rest.is_empty() { "count" } else { "axis" };
                let function = self.function(mode, function, span);
                return quote_spanned!(span=> #function(#geometry.#name #rest));
            }
            Err(_) => quote!(0_u8),
        };
        let function = self.function(mode, function, span);
        quote_spanned!(span=> #function(&#value))
    }

    /// The numbers that an expression consists of, for its error. A single one is the result itself.
    pub(super) fn operands<'e>(
        &self,
        expressions: impl IntoIterator<Item = &'e Expression>,
    ) -> TokenStream {
        let mut seen: Vec<(String, &Place, &str)> = Vec::new();
        let compound = expressions
            .into_iter()
            .filter(|expression| !matches!(expression, Expression::Place(_)));
        for (place, is_memory) in compound.flat_map(Expression::places) {
            let (name, function) = match is_memory {
                true => (format!("{}.len()", place.written()), "elements"),
                false => (place.written(), "integer"),
            };
            if !seen.iter().any(|(other, ..)| *other == name) {
                seen.push((name, place, function));
            }
        }
        let each = seen.into_iter().map(|(name, place, function)| {
            let value = self.place(place, Mode::Exact, function);
            quote!((#name, #value),)
        });
        quote!(&[#(#each)*])
    }
}

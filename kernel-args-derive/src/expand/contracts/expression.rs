//! Expressions of contracts as code: one tree, computed by either of two modules with the same functions.

use super::super::{local, respan};
use crate::{
    attr::{Expression, Place, Root},
    diagnostics::Diagnostics,
    field_errors::is_memory,
    input::Field,
    texts,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
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
            let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
            Err(syn::Error::new(place.span, texts::unknown_in_contract(name, &names)))
        };
        match &place.root {
            Root::Field(name) => field(name).map_or_else(|| unknown(name), |field| of_field(field, place)),
            Root::Path(path) => Ok(Meaning::Constant(path.clone())),
            Root::Name(ident) => {
                let name = ident.unraw().to_string();
                if let Some(field) = field(&name) {
                    return of_field(field, place);
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
                    unknown(&place.written())
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
        self.value_of(expression, mode, "integer")
    }

    /// Same, with the function that reads a place.
    fn value_of(&self, expression: &Expression, mode: Mode, of_places: &str) -> TokenStream {
        let call = Span::call_site();
        match expression {
            Expression::Number(number) => {
                let function = self.function(mode, "number", call);
                quote!(#function(#number))
            }
            Expression::Negative(of) => {
                let (function, of) = (self.function(mode, "neg", call), self.value_of(of, mode, of_places));
                quote!(#function(#of))
            }
            Expression::Operation(operation, both) => {
                let function = self.function(mode, operation.function(), call);
                let [a, b] = &**both;
                let [a, b] = [a, b].map(|operand| self.value_of(operand, mode, of_places));
                quote!(#function(#a, #b))
            }
            Expression::Place(place) => self.place(place, mode, of_places),
            Expression::Elements(place) => self.place(place, mode, "elements"),
        }
    }

    /// The number of elements that memory must have. Sums and products of fields need no check of signs. As an unsigned number, a
    /// negative number exceeds every length; so does a sum with it, and a product with it that is not zero.
    pub(super) fn required(&self, expression: &Expression, mode: Mode) -> TokenStream {
        let of_places = if expression.only_grows() { "or_huge" } else { "integer" };
        self.value_of(expression, mode, of_places)
    }

    fn place(&self, place: &Place, mode: Mode, function: &str) -> TokenStream {
        match mode {
            Mode::Quick => self.read(place, mode, function),
            Mode::Exact => variable(place, function == "elements").into_token_stream(),
        }
    }

    /// Reads a place.
    fn read(&self, place: &Place, mode: Mode, function: &str) -> TokenStream {
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

    /// Statements that read the numbers of expressions into the variables of the exact computation. The computation has copies
    /// of them, and no reference to the struct: that would keep the struct in memory.
    pub(super) fn read_all(&self, expressions: &[&Expression]) -> TokenStream {
        let distinct = distinct(expressions.iter().copied());
        let each = distinct.into_iter().map(|(_, place, is_memory)| {
            let variable = variable(place, is_memory);
            let function = if is_memory { "elements" } else { "integer" };
            let value = self.read(place, Mode::Exact, function);
            quote!(let #variable = #value;)
        });
        each.collect()
    }
}

/// A field as the root of a place.
fn of_field<'a>(field: &'a Field<'a>, place: &Place) -> syn::Result<Meaning<'a>> {
    if is_memory(field.ty) && place.rest.to_string().replace(' ', "") == ".len" {
        return Err(syn::Error::new(place.span, texts::len_is_a_method(&place.written())));
    }
    Ok(Meaning::Field(field))
}

/// The numbers that expressions consist of, for an error. A single one is the result itself.
pub(super) fn operands(expressions: &[&Expression]) -> TokenStream {
    let compound = expressions.iter().copied();
    let compound = compound.filter(|expression| !matches!(expression, Expression::Place(_)));
    let each = distinct(compound).into_iter().map(|(name, place, is_memory)| {
        let variable = variable(place, is_memory);
        quote!((#name, #variable),)
    });
    quote!(&[#(#each)*])
}

/// Each different place of expressions once, with its text, and whether its number of elements is meant.
fn distinct<'e>(expressions: impl Iterator<Item = &'e Expression>) -> Vec<(String, &'e Place, bool)> {
    let mut seen: Vec<(String, &Place, bool)> = Vec::new();
    for (place, is_memory) in expressions.flat_map(Expression::places) {
        let suffix = if is_memory { ".len()" } else { "" };
        let name = format!("{}{suffix}", place.written());
        if !seen.iter().any(|(other, ..)| *other == name) {
            seen.push((name, place, is_memory));
        }
    }
    seen
}

/// The variable with the value of a place.
fn variable(place: &Place, is_memory: bool) -> Ident {
    let mut name = String::from(if is_memory { "__elements_" } else { "__value_" });
    for c in place.written().chars() {
        if c.is_alphanumeric() || c == '_' {
            name.push(c);
        } else {
            name.extend(["_", &u32::from(c).to_string(), "_"]);
        }
    }
    Ident::new(&name, Span::mixed_site())
}

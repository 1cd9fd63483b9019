//! Expressions of contracts as code: the places of an expression are read by either of two modules with the same
//! functions, whose numbers have the same methods.

use super::super::{local, private_at};
use crate::{
    attr::{Expression, Place, Read, Root},
    field_errors::{is_integer, is_memory, is_one_of},
    input::Field,
    texts,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Generics, Path, Type, ext::IdentExt};

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
    /// Whether the struct is for a launcher, which chooses the grid and the block.
    pub(super) is_launcher: bool,
}

pub(super) enum Meaning<'a> {
    Field(&'a Field<'a>),
    Constant(TokenStream),
    /// `grid` or `block`.
    Launch(&'static str),
}

impl Scope<'_> {
    /// Returns an error if a place has no meaning, or a value of the wrong kind.
    pub(super) fn meaning(&self, place: &Place) -> syn::Result<Meaning<'_>> {
        let field = |name: &str| self.fields.iter().find(|field| field.name == name);
        let unknown = |name: &str| {
            let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
            syn::Error::new(place.span, texts::unknown_in_contract(name, &names))
        };
        match &place.root {
            Root::Field(name) => self.field(field(name).ok_or_else(|| unknown(name))?, place),
            Root::Path(path) => Ok(Meaning::Constant(path.clone())),
            Root::Name(ident) => {
                let name = ident.unraw().to_string();
                if let Some(field) = field(&name) {
                    return self.field(field, place);
                }
                let axis = place.rest.to_string().replace(' ', "");
                match name.as_str() {
                    _ if !["", ".x", ".y", ".z"].contains(&axis.as_str()) => {}
                    "grid" | "block" if self.is_launcher => {
                        return Err(syn::Error::new(place.span, texts::LAUNCHER_AND_GRID));
                    }
                    "grid" | "block" if place.read == Read::Truth => {
                        return Err(syn::Error::new(place.span, texts::number_as_condition(&place.written())));
                    }
                    "grid" => return Ok(Meaning::Launch("grid")),
                    "block" => return Ok(Meaning::Launch("block")),
                    _ => {}
                }
                let is_parameter = self.generics.const_params().any(|one| one.ident == *ident);
                // A constant has an upper-case name; anything else is a field that does not exist.
                if is_parameter || name.starts_with(|c: char| c.is_uppercase()) {
                    Ok(Meaning::Constant(quote!(#ident)))
                } else {
                    Err(unknown(&place.written()))
                }
            }
        }
    }

    /// Returns an error if the field has a primitive type of the wrong kind. rustc reports other types, without the
    /// name of the field.
    fn field<'f>(&self, field: &'f Field<'f>, place: &Place) -> syn::Result<Meaning<'f>> {
        if is_memory(field.ty) && place.rest.to_string().replace(' ', "") == ".len" {
            return Err(syn::Error::new(place.span, texts::len_is_a_method(&place.written())));
        }
        let fits = |kind: Primitive| match place.read {
            Read::Integer => kind == Primitive::Integer,
            Read::Truth => kind == Primitive::Bool,
            Read::Either => kind != Primitive::Unsuitable,
            Read::Elements => true,
        };
        if !place.rest.is_empty() || Primitive::of(field.ty).is_none_or(fits) {
            return Ok(Meaning::Field(field));
        }
        let fitting = |one: &&Field<'_>| Primitive::of(one.ty).is_some_and(fits);
        let fitting: Vec<&str> = self.fields.iter().filter(fitting).map(|one| one.name.as_str()).collect();
        let is_condition = place.read == Read::Truth && Primitive::of(field.ty) == Some(Primitive::Integer);
        let name = place.written();
        let text = texts::wrong_type_in_contract(&name, &field.spelling(), is_condition, &fitting);
        Err(syn::Error::new(place.span, text))
    }

    /// Returns the path of an item of the module for contracts.
    pub(super) fn item(&self, name: &str, span: Span) -> TokenStream {
        let (private, name) = (private_at(self.krate, span), Ident::new(name, span));
        quote_spanned!(span=> #private::contract::#name)
    }

    fn function(&self, mode: Mode, name: &str, span: Span) -> TokenStream {
        let module = self.item(if matches!(mode, Mode::Quick) { "quick" } else { "exact" }, span);
        let name = Ident::new(name, span);
        quote_spanned!(span=> #module::#name)
    }

    pub(super) fn quick(&self, name: &str, span: Span) -> TokenStream {
        self.function(Mode::Quick, name, span)
    }

    pub(super) fn exact(&self, name: &str, span: Span) -> TokenStream {
        self.function(Mode::Exact, name, span)
    }

    /// Returns the value of an expression. Places without a meaning were reported: they have the value 0, or `false`.
    pub(super) fn value(&self, expression: &Expression, mode: Mode) -> TokenStream {
        self.value_of(expression, mode, "integer")
    }

    /// Returns the number of elements that memory must have. Sums and products of fields need no check of signs. As an
    /// unsigned number, a negative number exceeds every length; so does a sum with it, and a product with it that is
    /// not zero.
    pub(super) fn required(&self, expression: &Expression, mode: Mode) -> TokenStream {
        let of_integers = if expression.only_grows { "or_huge" } else { "integer" };
        self.value_of(expression, mode, of_integers)
    }

    /// Same, with the function that reads integers. The exact computation uses the variables of
    /// [`read_all`](Self::read_all).
    fn value_of(&self, expression: &Expression, mode: Mode, of_integers: &str) -> TokenStream {
        let code = &expression.code;
        match mode {
            Mode::Quick => {
                let read = self.read_places(&expression.places, mode, of_integers);
                quote!({ #read #code })
            }
            Mode::Exact => code.clone(),
        }
    }

    /// Statements that read the numbers of expressions into the variables of the exact computation: a reference to the
    /// struct would keep it in memory.
    pub(super) fn read_all(&self, expressions: &[&Expression]) -> TokenStream {
        self.read_places(distinct(expressions.iter().copied()), Mode::Exact, "integer")
    }

    fn read_places<'e>(
        &self,
        places: impl IntoIterator<Item = &'e Place>,
        mode: Mode,
        of_integers: &str,
    ) -> TokenStream {
        let (literal, number) =
            (Ident::new("__number", Span::mixed_site()), self.function(mode, "number", Span::call_site()));
        let each = places.into_iter().map(|place| {
            let (variable, value) = (place.variable(), self.read(place, mode, of_integers));
            quote!(let #variable = #value;)
        });
        quote!(let #literal = #number; #(#each)*)
    }

    fn read(&self, place: &Place, mode: Mode, of_integers: &str) -> TokenStream {
        let (rest, span) = (&place.rest, place.span);
        let mut is_bool = place.read == Read::Truth;
        let value = match self.meaning(place) {
            Ok(Meaning::Field(field)) => {
                let is_alone = place.read == Read::Either && rest.is_empty();
                is_bool |= is_alone && Primitive::of(field.ty) == Some(Primitive::Bool);
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
            Err(_) if is_bool => quote!(false),
            Err(_) => quote!(0_u8),
        };
        let function = match place.read {
            Read::Elements => "length",
            _ if is_bool => "truth",
            _ => of_integers,
        };
        let function = self.function(mode, function, span);
        quote_spanned!(span=> #function(&#value))
    }
}

/// What the name of a primitive type shows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Primitive {
    Integer,
    Bool,
    Unsuitable,
}

impl Primitive {
    /// `None` for every other type.
    fn of(ty: &Type) -> Option<Self> {
        match ty {
            ty if is_integer(ty) => Some(Self::Integer),
            ty if is_one_of(ty, &["bool"]) => Some(Self::Bool),
            ty if is_one_of(ty, &["f32", "f64", "char"]) => Some(Self::Unsuitable),
            _ => None,
        }
    }
}

/// Returns the values that expressions consist of, for an error. A single one is the result itself.
pub(super) fn operands(expressions: &[&Expression]) -> TokenStream {
    let compound = expressions.iter().copied().filter(|expression| !expression.is_place);
    let each = distinct(compound).into_iter().map(|place| {
        let (name, variable) = (place.written(), place.variable());
        quote!((#name, #variable.shown()),)
    });
    quote!(&[#(#each)*])
}

fn distinct<'e>(expressions: impl Iterator<Item = &'e Expression>) -> Vec<&'e Place> {
    let mut seen: Vec<&Place> = Vec::new();
    for place in expressions.flat_map(|expression| &expression.places) {
        if !seen.iter().any(|one| one.variable() == place.variable()) {
            seen.push(place);
        }
    }
    seen
}

//! The fields of a struct of arguments, and what the derive emits for them.

use super::respan;
use crate::{
    attr::{ElementNames, FieldKind, Shape},
    erase, field_errors,
    input::{self, Field},
    spelling,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{DeriveInput, Ident, Path, Type};

pub(super) struct ParameterField<'a> {
    /// The field; its type is the type of the parameter, if that is narrower.
    pub(super) field: Field<'a>,
    /// The type of the field, if its parameter is narrower.
    pub(super) wide: Option<&'a Type>,
    pub(super) kind: FieldKind,
    /// The explicit name of the kernel's parameter.
    pub(super) kernel_name: Option<syn::LitStr>,
    pub(super) shape: Shape,
    /// The explicit names of the kernel's parameters, if the field is spread.
    pub(super) element_names: Option<ElementNames>,
    /// Whether the kernel must have the name of the field.
    pub(super) strict_names: bool,
    /// Whether everything that the kernel's code contradicts is an error.
    pub(super) strict_code: bool,
}

impl ParameterField<'_> {
    pub(super) fn declared(&self) -> &Type {
        self.wide.unwrap_or(self.field.ty)
    }

    /// If the parameter is narrower than the field that `variable` borrows: a statement after which `variable` borrows the narrow value.
    pub(super) fn narrowed(&self, variable: &Ident, krate: &TokenStream) -> Option<TokenStream> {
        let (ty, span) = (self.field.ty, self.field.span());
        self.wide.map(|_| {
            quote_spanned! {span=>
                let __wide = #variable;
                let #variable = &mut #krate::__private::contract::narrow::<#ty>(&*__wide);
            }
        })
    }

    /// Whether the field contains the value that the kernel reads: a constant expression.
    pub(super) fn is_value(&self, krate: &TokenStream) -> TokenStream {
        let ty = self.field.ty;
        match self.wide {
            Some(_) => quote!(false),
            None => {
                quote_spanned!(self.field.span()=> <#krate::__private::InPlace<#ty>>::IS_VALUE)
            }
        }
    }

    /// The parameter of a value of type `ty`, which is the field or one of its elements: an expression.
    pub(super) fn description(&self, ty: &syn::Type, generics: &syn::Generics, krate: &Path) -> TokenStream {
        let span = self.field.span();
        let krate = respan(krate, span);
        let errors = field_errors::argument(ty, &krate, span);
        let name = &self.field.name;
        let info = quote_spanned!(span=> <#ty as #errors::Arg>::TYPE_INFO);
        let spelling = match (self.wide, self.shape, self.field.ty) {
            (Some(wide), ..) => {
                let spelled = |ty: &Type| input::spelling(&ty.to_token_stream());
                let both = format!("{} as {}", spelled(wide), spelled(self.field.ty));
                quote_spanned!(span=> #both)
            }
            (None, Shape::Spread(_), Type::Path(alias)) => spelling::of_element(alias, span, &krate, &info),
            _ => spelling::expression(ty, span, generics, &krate, &info),
        };
        let view = view(self.kind, span);
        let strict_code = self.strict_code.then(|| quote_spanned!(span=> .strict_code()));
        quote_spanned!(span=> #krate::__private::parameter(#name, #spelling, #info)#strict_code.#view())
    }
}

fn view(kind: FieldKind, span: Span) -> Ident {
    let name = match kind {
        FieldKind::Typed | FieldKind::Skipped => "typed",
        FieldKind::Opaque => "opaque",
        FieldKind::SharedWrite => "shared_write",
    };
    Ident::new(name, span)
}

/// What depends on the number of parameters of each field, in the impl of `KernelArgs`.
pub(super) struct Parameters {
    /// The type with room for a `__T` for each parameter.
    pub(super) each: TokenStream,
    /// The constant `PARAMETERS`, and what it needs.
    pub(super) constants: TokenStream,
    pub(super) in_place: TokenStream,
    /// The statements that compare the context of each argument with the stream's.
    pub(super) contexts: TokenStream,
    pub(super) lower: TokenStream,
}

pub(super) fn erased_field(field: &Field<'_>, input: &DeriveInput) -> TokenStream {
    let ty = field.ty;
    erase::lifetimes(quote!(#ty), &input.generics)
}

/// An expression that uses the trait `NotInPlace`. Its type is not a device type, so the trait is never an unused import. An `allow` is an
/// error in a crate that forbids the lint.
pub(super) fn end_of_places(krate: &Path) -> TokenStream {
    quote!(#krate::__private::InPlace::<#krate::__private::core::convert::Infallible>::IS_VALUE)
}

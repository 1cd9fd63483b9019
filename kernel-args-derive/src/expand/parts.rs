//! What depends on the number of parameters of each field, in the impl of `KernelArgs`.

use super::{field::ParameterField, private_at};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Path};

pub(super) struct Parameters {
    /// The type with room for a `__T` for each parameter.
    pub(super) each: TokenStream,
    /// `PARAMETERS`, and what it needs.
    pub(super) constants: TokenStream,
    pub(super) in_place: TokenStream,
    /// The statements that compare the context of each argument with the stream's.
    pub(super) contexts: TokenStream,
    pub(super) lower: TokenStream,
}

pub(super) fn has_parts(fields: &[ParameterField<'_>]) -> bool {
    fields.first().is_some_and(|field| field.has_parts)
}

pub(super) fn parameters(
    fields: &[ParameterField<'_>],
    input: &DeriveInput,
    (erased, is_generic): (&TokenStream, bool),
    krate: &Path,
) -> Parameters {
    let (generics, has_parts) = (&input.generics, has_parts(fields));
    // A reference to each field before the first write would take two more instructions for each parameter.
    let lower = fields.iter().rev().fold(quote!(__launch()), |rest, field| {
        let (borrow, put) = ((!has_parts).then(|| field.borrow()), field.put(&rest));
        quote!(#borrow #put)
    });
    let borrows = fields.iter().filter(|_| has_parts).map(ParameterField::borrow);
    let (lower, contexts) = (quote!(#(#borrows)* #lower), fields.iter().map(ParameterField::contexts).collect());
    let private = quote!(#krate::__private);
    let bool = quote!(#private::core::primitive::bool);
    let parameters = quote!(const PARAMETERS: &'static [#private::abi::Parameter<'static>]);
    // A use of the trait `NotInPlace`: this type is not a device type, so the trait is never an unused import. An
    // `allow` is an error in a crate that forbids the lint.
    let end = quote!(#private::InPlace::<#private::core::convert::Infallible>::IS_VALUE);
    if !has_parts {
        let count = fields.len();
        let descriptions = fields.iter().map(|field| field.description(generics));
        let places = fields.iter().map(|field| {
            let (offset, is_value) = (field.host_offset(), field.is_value());
            quote_spanned!(field.span()=> (#offset, #is_value))
        });
        let constants = quote!(#parameters = &#private::place([#(#descriptions),*]););
        let in_place = quote! {
            const IN_PLACE: #bool = {
                use #private::NotInPlace as _;
                #private::is_packed(<Self as #krate::KernelArgs>::PARAMETERS, &[#(#places,)* (0, #end)])
            };
        };
        return Parameters { each: quote!([__T; #count]), constants, in_place, contexts, lower };
    }
    let each = fields.iter().map(ParameterField::each);
    let all = fields.iter().map(|field| field.part(generics));
    Parameters {
        each: if is_generic { quote!((#(#each,)*)) } else { quote!([__T; #private::count::<#erased>()]) },
        constants: quote! {
            const PARTS: &'static [#private::Part] = {
                use #private::NotInPlace as _;
                let _: #bool = #end;
                &[#(#all),*]
            };
            #parameters = const { &#private::joined::<Self>() }.as_slice();
        },
        in_place: quote!(const IN_PLACE: #bool = #private::are_packed::<Self>();),
        contexts,
        lower,
    }
}

/// Returns one constant per field, so rustc reports a mistake at its field, and one for missing fields.
pub(super) fn checks(fields: &[ParameterField<'_>], input: &DeriveInput, krate: &Path) -> TokenStream {
    let each = fields.iter().map(|field| field.check(&input.generics));
    let span = input.ident.span();
    let private = private_at(krate, span);
    let whole = quote_spanned!(span=> const _: () = #private::nothing_missing(__REPORT););
    quote!(#(#each)* #whole)
}

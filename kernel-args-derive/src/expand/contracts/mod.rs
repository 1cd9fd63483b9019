//! The contracts of a struct as one method, which a launch inlines.
//!
//! Each contract is a comparison. If it does not hold, a closure computes again with more bits, and decides.

mod expression;
mod field;
mod launch;
mod output;

use super::local;
use crate::{
    attr::{ArgsAttr, Expression, FieldAttr, FieldContracts, Shape, StructContracts},
    diagnostics::Diagnostics,
    field_errors::{is_integer, is_memory, is_no_address, is_value},
    input::Field,
    repeated::refuse_macros,
    texts,
};
use expression::{Meaning, Mode, Scope};
use output::{Output, own_field};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, ext::IdentExt};

/// Returns the items of the impl that check the contracts; empty without contracts.
pub(super) fn contracts(
    input: &DeriveInput,
    attr: &ArgsAttr,
    fields: &[Field<'_>],
    attrs: &[FieldAttr],
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let (krate, of_struct) = (&attr.krate, &attr.contracts);
    let scope = Scope { fields, generics: &input.generics, krate, is_launcher: attr.launcher.is_some() };
    let mut grid = of_struct.grid_covers.is_some();
    for place in expressions(of_struct, attrs).flat_map(|expression| &expression.places) {
        match scope.meaning(place) {
            Ok(meaning) => grid |= matches!(meaning, Meaning::Launch("grid")),
            Err(error) => diagnostics.push(error),
        }
    }
    for (field, attr) in fields.iter().zip(attrs) {
        let FieldContracts { len: Some(len), capacity, .. } = &attr.contracts else {
            continue;
        };
        // With a capacity, the value can be an address, or an array of pointers.
        let is_wrong = if capacity.is_some() { is_no_address(field.ty) } else { is_value(field.ty) };
        if is_wrong {
            let slice = fields.iter().find(|field| is_memory(field.ty)).map(|slice| slice.name.as_str());
            let text = if is_integer(field.ty) { format!("len = {:?}", field.name) } else { len.text.clone() };
            diagnostics.error(len.span, texts::len_of_value(&field.name, slice, &text));
        }
    }
    for narrowed in attrs.iter().filter_map(|attr| attr.contracts.narrowed.as_ref()) {
        refuse_macros(&narrowed.value, diagnostics);
    }
    let output = Output { scope, name: input.ident.unraw().to_string() };
    let [mut inner, mut narrowed, mut checks, mut lengths] = [const { Vec::new() }; 4];
    for (field, attr) in fields.iter().zip(attrs) {
        if let Shape::Flatten(_) = attr.shape {
            let (ty, span) = (field.ty, field.span());
            let [geometry, note] = ["__geometry", "__note"].map(|name| local(name, span));
            let (value, of) = (own_field(field, span), quote_spanned!(span=> <#ty as #krate::KernelArgs>));
            inner.push(quote_spanned!(span=> .and(#of::CONTRACTS)));
            narrowed.push(quote_spanned!(span=> #of::check_narrowed(&#value)?;));
            checks.push(quote_spanned!(span=> #geometry = #of::check_contracts(&#value, #geometry)?;));
            lengths.push(quote_spanned!(span=> #of::required_lengths(&#value, #geometry, #note);));
            continue;
        }
        let own = output.narrowed(field, &attr.contracts);
        narrowed.extend(own.clone());
        checks.extend(own.into_iter().chain(output.of_field(field, &attr.contracts)));
        if let FieldContracts { len: Some(len), capacity: Some(_), .. } = &attr.contracts {
            let (name, required) = (&field.name, output.scope.value(&len.value, Mode::Quick));
            lengths.push(quote!(__note(#name, #required.0.ok());));
        }
    }
    checks.extend(output.of_struct(of_struct));
    if checks.is_empty() {
        return TokenStream::new();
    }
    let any = checks.len() > inner.len();
    let (shared, stream) = (of_struct.shared.is_some(), of_struct.stream.is_some());
    let private = quote!(#krate::__private);
    let result = |ok: TokenStream| quote!(#private::Result<#ok, #private::contract::ContractError>);
    let (geometry, checked) = (quote!(#private::contract::Geometry), result(quote!(())));
    let with_geometry = result(geometry.clone());
    let narrowed = (!narrowed.is_empty()).then(|| {
        quote! {
            #[inline(always)]
            fn check_narrowed(&self) -> #checked {
                #(#narrowed)*
                #private::Result::Ok(())
            }
        }
    });
    // What checks of pointers know of pointers without a length.
    let lengths = (!lengths.is_empty()).then(|| {
        quote! {
            #[inline]
            fn required_lengths(
                &self,
                __geometry: #geometry,
                __note: &mut dyn #private::core::ops::FnMut(
                    &'static #private::core::primitive::str,
                    #private::Option<#private::core::primitive::u64>,
                ),
            ) {
                #(#lengths)*
            }
        }
    });
    quote! {
        const CONTRACTS: #private::contract::Contracts = #private::contract::Contracts {
            any: #any,
            grid: #grid,
            shared: #shared,
            stream: #stream,
        }#(#inner)*;

        #[inline(always)]
        fn check_contracts(&self, mut __geometry: #geometry) -> #with_geometry {
            #(#checks)*
            #private::Result::Ok(__geometry)
        }

        #narrowed
        #lengths
    }
}

fn expressions<'a>(of_struct: &'a StructContracts, attrs: &'a [FieldAttr]) -> impl Iterator<Item = &'a Expression> {
    let axes = of_struct.axes().flat_map(|axes| axes.value.all());
    let of_fields = attrs.iter().flat_map(|attr| {
        let contracts = &attr.contracts;
        let plain = [&contracts.len, &contracts.capacity, &contracts.multiple_of]
            .into_iter()
            .flatten()
            .map(|written| &written.value);
        let range = contracts.range.as_ref().map(|range| &range.value);
        plain.chain(range.into_iter().flat_map(|range| range.low.iter().chain(&range.high)))
    });
    let shared = of_struct.shared.iter().map(|shared| &shared.value);
    let requires = of_struct.requires.iter().map(|condition| &condition.value);
    of_fields.chain(axes).chain(requires).chain(shared)
}

//! The contracts of a struct as one method, which a launch inlines.
//!
//! Each contract is a comparison, and a closure that only runs if the comparison does not hold: it computes again with more bits, and
//! decides.

mod expression;
mod field;
mod launch;
mod output;

use super::local;
use crate::{
    attr::{Expression, FieldAttr, FieldContracts, StructContracts},
    diagnostics::Diagnostics,
    field_errors::{is_integer, is_memory, is_no_address, is_value},
    input::Field,
    repeated::refuse_macros,
    texts,
};
use expression::{Mode, Scope};
use output::{Output, own_field};
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Path, ext::IdentExt};

/// The items of the impl that check the contracts; empty without contracts.
pub(super) fn contracts(
    input: &DeriveInput,
    krate: &Path,
    of_struct: &StructContracts,
    fields: &[Field<'_>],
    attrs: &[FieldAttr],
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    let scope = Scope { fields, generics: &input.generics, krate };
    for expression in expressions(of_struct, attrs) {
        scope.check(expression, diagnostics);
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
    let each = || fields.iter().zip(attrs);
    let flattened = || each().filter(|(_, attr)| attr.is_flattened());
    let narrowed: Vec<TokenStream> = each()
        .filter_map(|(field, attr)| {
            if attr.is_flattened() {
                return Some(output.of_flattened(field, "check_narrowed"));
            }
            output.narrowed(field, &attr.contracts)
        })
        .collect();
    let mut checks: Vec<TokenStream> = each()
        .flat_map(|(field, attr)| {
            let inner = attr.is_flattened();
            let inner = inner.then(|| output.of_flattened(field, "check_contracts"));
            let narrowed = output.narrowed(field, &attr.contracts);
            let own = output.of_field(field, &attr.contracts);
            inner.into_iter().chain(narrowed).chain(own)
        })
        .collect();
    checks.extend(output.of_struct(of_struct));
    if checks.is_empty() {
        return TokenStream::new();
    }
    let any = checks.len() > flattened().count();
    let (shared, stream) = (of_struct.shared.is_some(), of_struct.stream.is_some());
    let inner = flattened().map(|(field, _)| {
        let (ty, span) = (field.ty, field.span());
        quote_spanned!(span=> .and(<#ty as #krate::KernelArgs>::CONTRACTS))
    });
    let narrowed = (!narrowed.is_empty()).then(|| {
        quote! {
            #[inline(always)]
            fn check_narrowed(&self) -> #krate::__private::Result<(), #krate::__private::contract::ContractError> {
                #(#narrowed)*
                #krate::__private::Result::Ok(())
            }
        }
    });
    let lengths = output.required_lengths(fields, attrs);
    quote! {
        const CONTRACTS: #krate::__private::contract::Contracts = #krate::__private::contract::Contracts {
            any: #any,
            shared: #shared,
            stream: #stream,
        }#(#inner)*;

        #[inline(always)]
        fn check_contracts(
            &self,
            mut __geometry: #krate::__private::contract::Geometry,
        ) -> #krate::__private::Result<#krate::__private::contract::Geometry, #krate::__private::contract::ContractError> {
            #(#checks)*
            #krate::__private::Result::Ok(__geometry)
        }

        #narrowed
        #lengths
    }
}

impl Output<'_> {
    /// What checks of pointers know of pointers without a length.
    fn required_lengths(&self, fields: &[Field<'_>], attrs: &[FieldAttr]) -> Option<TokenStream> {
        let krate = self.scope.krate;
        let each = fields.iter().zip(attrs).filter_map(|(field, attr)| {
            if attr.is_flattened() {
                let (ty, span) = (field.ty, field.span());
                let value = own_field(field, span);
                let [geometry, note] = ["__geometry", "__note"].map(|name| local(name, span));
                return Some(
                    quote_spanned!(span=> <#ty as #krate::KernelArgs>::required_lengths(&#value, #geometry, #note);),
                );
            }
            let contracts = &attr.contracts;
            let (len, _) = contracts.len.as_ref().zip(contracts.capacity.as_ref())?;
            let (name, required) = (&field.name, self.scope.value(&len.value, Mode::Quick));
            Some(quote!(__note(#name, #required.0.ok());))
        });
        let each: Vec<TokenStream> = each.collect();
        (!each.is_empty()).then(|| {
            quote! {
                #[inline]
                fn required_lengths(
                    &self,
                    __geometry: #krate::__private::contract::Geometry,
                    __note: &mut dyn #krate::__private::core::ops::FnMut(
                        &'static #krate::__private::core::primitive::str,
                        #krate::__private::Option<#krate::__private::core::primitive::u64>,
                    ),
                ) {
                    #(#each)*
                }
            }
        })
    }

    /// Checks the struct whose fields are inserted.
    fn of_flattened(&self, field: &Field<'_>, method: &str) -> TokenStream {
        let (ty, span, krate) = (field.ty, field.span(), self.scope.krate);
        let (value, name) = (own_field(field, span), Ident::new(method, span));
        if method == "check_narrowed" {
            return quote_spanned!(span=> <#ty as #krate::KernelArgs>::#name(&#value)?;);
        }
        let geometry = local("__geometry", span);
        quote_spanned!(span=> #geometry = <#ty as #krate::KernelArgs>::#name(&#value, #geometry)?;)
    }
}

/// All expressions of all contracts.
fn expressions<'a>(of_struct: &'a StructContracts, attrs: &'a [FieldAttr]) -> impl Iterator<Item = &'a Expression> {
    let axes = [&of_struct.block, &of_struct.block_multiple_of, &of_struct.max_block, &of_struct.grid_covers];
    let axes = axes.into_iter().flatten().flat_map(|axes| axes.value.all());
    let of_fields = attrs.iter().flat_map(|attr| {
        let contracts = &attr.contracts;
        let plain = [&contracts.len, &contracts.capacity, &contracts.multiple_of];
        let plain = plain.into_iter().flatten().map(|written| &written.value);
        let range = contracts.range.as_ref().map(|range| &range.value);
        plain.chain(range.into_iter().flat_map(|range| range.low.iter().chain(&range.high)))
    });
    let shared = of_struct.shared.iter().map(|shared| &shared.value);
    let requires = of_struct.requires.iter().map(|condition| &condition.value);
    of_fields.chain(axes).chain(requires).chain(shared)
}

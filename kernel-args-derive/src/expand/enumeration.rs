//! `#[derive(DeviceType)]` on an enum.

use super::{
    copyable::{assert_copy, if_copy},
    device_memory::device_memory,
};
use crate::{
    attr::{Repr, TypeAttr},
    diagnostics::Diagnostics,
    texts,
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DataEnum, DeriveInput, Generics, ext::IdentExt, spanned::Spanned};

pub(super) fn enumeration(
    input: &DeriveInput,
    attr: &TypeAttr,
    repr: &Repr,
    data: &DataEnum,
    diagnostics: &mut Diagnostics,
) -> Option<TokenStream> {
    let mut fieldless = true;
    for variant in &data.variants {
        for attr in variant.attrs.iter().filter(|attr| attr.path().is_ident("device_type")) {
            diagnostics.error(attr.path().span(), texts::DEVICE_TYPE_ON_VARIANT);
        }
        if !variant.fields.is_empty() {
            fieldless = false;
            diagnostics.error(variant.fields.span(), texts::ENUM_WITH_DATA);
        }
    }
    if !fieldless {
        return None;
    }
    let int = match (repr.align, &repr.int, data.variants.is_empty()) {
        (None, Some(int), false) => Ok(int),
        // rustc itself rejects a `repr` here.
        (None, Some(_), true) => return None,
        (Some(align), ..) => Err(texts::aligned_enum(align)),
        (None, None, true) => Err(texts::EMPTY_ENUM.into()),
        (None, None, false) => Err(texts::enum_without_repr(&input.ident)),
    };
    let int = int.map_err(|problem| diagnostics.error(input.ident.span(), problem)).ok()?;
    let (krate, ident) = (&attr.krate, &input.ident);
    let name = attr.cpp_name(ident);
    let private = quote!(#krate::__private);
    let copy = assert_copy(input, &TokenStream::new(), krate);
    let bounded = if_copy(Generics::default(), krate);
    let where_clause = &bounded.where_clause;
    let valid = quote!(for<'__zero> (): #private::HasZero<#ident, { __HAS_ZERO }>);
    let memory = device_memory(input, attr, &bounded, &[valid]);
    // An attribute macro that runs after the derive can replace the enum. Only an enum without fields can be cast.
    let variants = data.variants.iter().map(|variant| {
        let variant = &variant.ident;
        quote_spanned! {ident.span()=>
            (#ident::#variant {}, #ident::#variant {} as #private::core::primitive::#int)
        }
    });
    let values = data.variants.iter().enumerate().map(|(i, variant)| {
        let name = variant.ident.unraw().to_string();
        quote!(#private::variant::<#ident>(#name, #i))
    });
    Some(quote! {
        #copy

        #[automatically_derived]
        impl #private::Variants for #ident {
            type Integer = #private::core::primitive::#int;
            const ALL: &'static [(Self, Self::Integer)] = &[#(#variants),*];
        }

        const _: () = #private::assert_variants::<#ident>();
        const _: () = #private::assert_layout::<#ident>();

        // SAFETY: the enum has no fields and an integer `repr`, so it has that integer's layout: `assert_layout` and
        // `assert_variants` have compared the size, the alignment, and the bytes of each variant.
        #[automatically_derived]
        unsafe impl #krate::DeviceType for #ident #where_clause {
            const LAYOUT: #private::abi::Layout =
                <#private::core::primitive::#int as #krate::DeviceType>::LAYOUT;
            const CLASS: #private::abi::Class = #private::abi::Class::Integer;
            const CPP: #private::abi::CppType<'static> = #private::abi::CppType::named(#name);
            const RUST_NAME: &'static #private::core::primitive::str = #private::core::stringify!(#ident);
            const MEMBERS: #private::abi::Members<'static> =
                #private::abi::Members::of_enum(const { &[#(#values),*] }, #private::is_signed::<#ident>());

            fn is_value(
                __bytes: &[#private::core::primitive::u8],
            ) -> #private::core::primitive::bool {
                #private::is_variant::<#ident>(__bytes)
            }
        }

        const __HAS_ZERO: #private::core::primitive::bool = #private::has_zero::<#ident>();

        #memory
    })
}

//! A device type must be `Copy`: bounds and impls that report a missing `Copy` only once.

use super::{device_memory::device_memory, private_at};
use crate::{attr::TypeAttr, generics};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::{DeriveInput, Generics, Path, parse_quote};

/// Returns an impl for a type with a reported error, to avoid further errors where the type is used.
pub(super) fn inert(input: &DeriveInput, attr: &TypeAttr) -> TokenStream {
    if input.generics.lifetimes().next().is_some() {
        return TokenStream::new();
    }
    let (krate, ident) = (&attr.krate, &input.ident);
    let abi = quote!(#krate::__private::abi);
    let bounded = generics::bounded(&input.generics, &TokenStream::new(), krate);
    let bounded = if_copy(bounded, krate);
    let memory = device_memory(input, attr, &bounded, &[]);
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let (_, ty_generics, _) = input.generics.split_for_impl();
    quote! {
        // The layout on the host avoids more errors for this type.
        #[automatically_derived]
        unsafe impl #impl_generics #krate::DeviceType for #ident #ty_generics #where_clause {
            const LAYOUT: #abi::Layout = #abi::Layout::of::<Self>();
            const CLASS: #abi::Class = #abi::Class::Unknown;
            const CPP: #abi::CppType<'static> = #abi::CppType::UNKNOWN;
        }

        #memory
    }
}

/// Adds the bound `Self: Copy`, which rustc checks only where the impl is used. A type that is not `Copy` then causes
/// one error, from [`assert_copy`].
pub(super) fn if_copy(mut generics: Generics, krate: &Path) -> Generics {
    let clause = generics.make_where_clause();
    clause.predicates.push(parse_quote!(for<'__copy> Self: #krate::__private::core::marker::Copy));
    generics
}

/// Returns an error at the type's name if the type is not `Copy`.
pub(super) fn assert_copy(input: &DeriveInput, used: &TokenStream, krate: &Path) -> TokenStream {
    let ident = &input.ident;
    let (_, ty_generics, _) = input.generics.split_for_impl();
    let mut bounded = generics::bounded(&input.generics, used, krate);
    for parameter in input.generics.type_params() {
        let parameter = &parameter.ident;
        let copy = parse_quote!(#parameter: #krate::__private::core::marker::Copy);
        bounded.make_where_clause().predicates.push(copy);
    }
    let (impl_generics, _, where_clause) = bounded.split_for_impl();
    let private = private_at(krate, ident.span());
    quote_spanned! {ident.span()=>
        const fn __copy #impl_generics () #where_clause {
            #private::is_copy::<#ident #ty_generics>();
        }
    }
}

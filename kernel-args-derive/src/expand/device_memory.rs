//! A device type in device memory: `ZeroBits` (whether zero bytes are a value of the type), and cudarc's traits.

use crate::attr::TypeAttr;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{DeriveInput, Generics, Path};

/// Returns the impl of `ZeroBits` if `valid` holds, and the impls of the cudarc traits. `bounded` are the generics of
/// the impl of `DeviceType`.
pub(super) fn device_memory(
    input: &DeriveInput,
    attr: &TypeAttr,
    bounded: &Generics,
    valid: &[TokenStream],
) -> TokenStream {
    let (krate, ident) = (&attr.krate, &input.ident);
    let (_, ty_generics, _) = input.generics.split_for_impl();
    let (impl_generics, _, copied) = bounded.split_for_impl();
    let predicates: Vec<_> = copied.iter().flat_map(|clause| &clause.predicates).collect();
    let zero_bits = has_zero_bits(&quote!(Self), krate);
    let device_repr = (!attr.skip_device_repr).then(|| {
        quote! {
            #krate::__private::device_repr! {
                [#impl_generics] #ident #ty_generics, [#copied], [where #(#predicates,)* #zero_bits]
            }
        }
    });
    quote! {
        // SAFETY: the bounds require for each field, or for the variants of an enum, that zero bytes are a value.
        unsafe impl #impl_generics #krate::ZeroBits for #ident #ty_generics
        where
            #(#predicates,)*
            #(#valid,)*
        {
        }

        #device_repr
    }
}

/// Returns the bound `ty: ZeroBits`, which rustc checks only where the impl is used.
pub(super) fn has_zero_bits(ty: &impl ToTokens, krate: &Path) -> TokenStream {
    quote!(for<'__zero> #ty: #krate::ZeroBits)
}

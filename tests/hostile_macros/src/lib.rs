//! Attribute macros that change an item after a derive has seen it.
//!
//! A derive above an attribute macro is expanded first: it sees the item in the source, and the compiler sees the output of the
//! attribute macro. The output of the derive is then compiled with an item that the derive has never seen.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::quote;
use syn::{Data, DeriveInput, Field, parse::Parser, parse_macro_input};

/// Returns the item unchanged.
#[proc_macro_attribute]
pub fn unchanged(_: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Replaces the item.
///
/// An enum may be replaced by an enum with the same layout,
///
/// ```
/// # use kernel_args::DeviceType;
/// # use kernel_args_hostile_macros::replace_by;
/// #[derive(DeviceType)]
/// #[replace_by(
///     #[derive(Clone, Copy)]
///     #[repr(u32)]
///     enum Mode { Fast = 1, Exact = 2 }
/// )]
/// #[repr(u32)]
/// enum Mode { Fast = 1, Exact = 2 }
/// ```
///
/// but not by an enum with padding. (The message contains the number of an allocation, which is not stable, so this case is not
/// in `tests/toolchain/suites/compile_fail`.)
///
/// ```compile_fail,E0080
/// # use kernel_args::DeviceType;
/// # use kernel_args_hostile_macros::replace_by;
/// #[derive(DeviceType)]
/// #[replace_by(
///     #[derive(Clone, Copy)]
///     #[repr(align(4))]
///     enum Mode { Fast = 1, Exact = 2 }
/// )]
/// #[repr(u32)]
/// enum Mode { Fast = 1, Exact = 2 }
/// ```
#[proc_macro_attribute]
pub fn replace_by(other: TokenStream, _: TokenStream) -> TokenStream {
    other
}

/// Changes the type of a field: `#[field_type(n: Box<u32>)]`.
#[proc_macro_attribute]
pub fn field_type(field: TokenStream, item: TokenStream) -> TokenStream {
    let mut item = parse_macro_input!(item as DeriveInput);
    let replaced = Field::parse_named
        .parse(field)
        .and_then(|field| replace(&mut item, field));
    match replaced {
        Ok(()) => quote!(#item).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

fn replace(item: &mut DeriveInput, new: Field) -> syn::Result<()> {
    if let Data::Struct(data) = &mut item.data {
        for field in &mut data.fields {
            if field.ident == new.ident {
                field.ty = new.ty;
                return Ok(());
            }
        }
    }
    Err(syn::Error::new_spanned(new, "this field does not exist"))
}

/// Moves the fields of a struct into a new struct `Inner`, behind `Deref` and `DerefMut`. Each `deref_mut` moves them to a new
/// address.
#[proc_macro_attribute]
pub fn behind_deref(_: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as DeriveInput);
    let (visibility, ident, attributes) = (&item.vis, &item.ident, &item.attrs);
    let fields: Tokens = match &item.data {
        Data::Struct(data) => data.fields.iter().map(|field| quote!(#field,)).collect(),
        Data::Enum(_) | Data::Union(_) => Tokens::new(),
    };
    quote! {
        #[derive(Clone)]
        #visibility struct Inner { #fields }

        #(#attributes)*
        #visibility struct #ident { inner: Box<Inner> }

        impl core::ops::Deref for #ident {
            type Target = Inner;

            fn deref(&self) -> &Inner {
                &self.inner
            }
        }

        impl core::ops::DerefMut for #ident {
            fn deref_mut(&mut self) -> &mut Inner {
                self.inner = Box::new((*self.inner).clone());
                &mut self.inner
            }
        }
    }
    .into()
}

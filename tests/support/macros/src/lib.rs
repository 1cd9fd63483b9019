//! Macros that change what a derive has seen: attribute macros that change an item after a derive, and a macro with a
//! different output at each use ([`next!`]). A macro that lists the libraries of its crate: [`libraries!`].
//!
//! A derive above an attribute macro is expanded first: it sees the item in the source, and the compiler sees the
//! output of the attribute macro. The output of the derive is then compiled with an item that the derive has never
//! seen.

use proc_macro::TokenStream;
use proc_macro2::{TokenStream as Tokens, TokenTree};
use quote::quote;
use std::{
    collections::BTreeMap,
    env,
    sync::{Mutex, PoisonError},
};
use syn::{
    Data, DeriveInput, Field, Ident, Token,
    parse::{Parse, ParseStream, Parser},
    parse_macro_input,
};

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
/// # use kernel_args_test_macros::replace_by;
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
/// but not by an enum with padding. (The message contains the number of an allocation, which is not stable, so this
/// case is not in `tests/toolchain/suites/compile_fail`.)
///
/// ```compile_fail,E0080
/// # use kernel_args::DeviceType;
/// # use kernel_args_test_macros::replace_by;
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
    let replaced = Field::parse_named.parse(field).and_then(|field| replace(&mut item, field));
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

/// Moves the fields of a struct into a new struct `Inner`, behind `Deref` and `DerefMut`. Each `deref_mut` moves them
/// to a new address.
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

/// Expands to the first part at its first use, to the second at its second use, and so on; the last part repeats. Uses
/// are counted for each name: `next!(name: u8, [u8; 512])`.
#[proc_macro]
pub fn next(input: TokenStream) -> TokenStream {
    static USES: Mutex<BTreeMap<String, usize>> = Mutex::new(BTreeMap::new());
    let Next { name, parts } = parse_macro_input!(input as Next);
    let mut uses = USES.lock().unwrap_or_else(PoisonError::into_inner);
    let use_of_name = uses.entry(name.to_string()).or_default();
    let part = parts.get(*use_of_name).or(parts.last());
    *use_of_name += 1;
    part.cloned().unwrap_or_default().into()
}

/// `name: part, part`.
struct Next {
    name: Ident,
    parts: Vec<Tokens>,
}

impl Parse for Next {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        input.parse::<Token![:]>()?;
        let mut parts = vec![Tokens::new()];
        while !input.is_empty() {
            let token: TokenTree = input.parse()?;
            match (&token, parts.last_mut()) {
                (TokenTree::Punct(comma), _) if comma.as_char() == ',' => parts.push(Tokens::new()),
                (_, Some(part)) => part.extend([token]),
                (_, None) => {}
            }
        }
        Ok(Self { name, parts })
    }
}

/// The rustc options for the libraries of the current crate, as a list of texts: `--extern` with `NAME=PATH`, and `-L`
/// with a folder. Tests use them to compile programs without building a library twice.
///
/// A macro runs in the compiler's process, so it can read the compiler's arguments.
#[proc_macro]
pub fn libraries(_: TokenStream) -> TokenStream {
    let arguments: Vec<String> = env::args().collect();
    let pairs = arguments.windows(2).filter(|pair| pair[0] == "--extern" || pair[0] == "-L");
    let texts = pairs.flat_map(|pair| {
        // A library is compiled against the metadata of its dependencies. To link a program, the `rlib` next to it is
        // needed.
        let value = pair[1].strip_suffix(".rmeta");
        [pair[0].clone(), value.map_or_else(|| pair[1].clone(), |path| format!("{path}.rlib"))]
    });
    quote!(&[#(#texts),*]).into()
}

//! `generate`: structs for the kernels of a module.

use super::tokens;
use crate::texts;
use kernel_args_abi::{
    generate::{self, Naming, Options, Pointers},
    image::Kernels,
};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{
    Ident, Path, Token, parenthesized,
    parse::{Parse, ParseStream},
};

/// `generate`, or `generate(pointers = raw)`.
pub(crate) struct Generate {
    pointers: Pointers,
}

impl Parse for Generate {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        // Without cudarc there are no slices.
        let mut pointers = if cfg!(feature = "cudarc") {
            Pointers::Slices
        } else {
            Pointers::Raw
        };
        let option: Ident = input.parse()?;
        if option != "generate" {
            return Err(syn::Error::new(option.span(), texts::UNKNOWN_IN_MODULE));
        }
        if input.peek(syn::token::Paren) {
            let content;
            parenthesized!(content in input);
            let key: Ident = content.parse()?;
            content.parse::<Token![=]>()?;
            let value: Ident = content.parse()?;
            pointers = match (key.to_string().as_str(), value.to_string().as_str()) {
                ("pointers", "raw") => Pointers::Raw,
                ("pointers", "slices") => Pointers::Slices,
                _ => return Err(syn::Error::new(key.span(), texts::UNKNOWN_IN_GENERATE)),
            };
            if !content.is_empty() {
                return Err(content.error(texts::UNKNOWN_IN_GENERATE));
            }
        }
        Ok(Self { pointers })
    }
}

/// The structs for the kernels of an image, where they are asked for.
pub(crate) fn structs(
    generate: Option<&Generate>,
    kernels: &Kernels<'_>,
    krate: &Path,
) -> TokenStream {
    let Some(generate) = generate else {
        return TokenStream::new();
    };
    let krate: String = krate
        .to_token_stream()
        .to_string()
        .split_whitespace()
        .collect();
    let mut options = Options::default();
    options.krate = &krate;
    options.pointers = generate.pointers;
    options.half = cfg!(feature = "half");
    options.float8 = cfg!(feature = "float8");
    options.naming = Naming::Items("");
    options.without_prelude = true;
    tokens(&generate::of_image(kernels, &options))
}

//! Without the feature `generate` the option is an error.

use crate::texts;
use kernel_args_image::{Kernel, Variable};
use proc_macro2::TokenStream;
use syn::{
    Ident, Path,
    ext::IdentExt,
    parse::{Parse, ParseStream},
};

pub(crate) enum Generate {}

impl Parse for Generate {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let option = input.call(Ident::parse_any)?;
        let problem = if option == "generate" { texts::GENERATE_FEATURE } else { texts::UNKNOWN_OPTION };
        Err(syn::Error::new(option.span(), problem))
    }
}

pub(crate) fn structs(_: Option<&Generate>, _: &[(Kernel<'_>, bool)], _: &[Variable<'_>], _: &Path) -> TokenStream {
    TokenStream::new()
}

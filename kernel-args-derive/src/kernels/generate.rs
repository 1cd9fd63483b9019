//! The option `generate`: structs for the kernels of a module.

use super::tokens;
use crate::texts;
pub(crate) use kernel_args_image::generate::Pointers;
use kernel_args_image::generate::{self, Naming, Options};
use kernel_args_image::{Kernel, Variable};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Ident, Path, Token, parenthesized, parse::ParseStream};

/// `generate`, or `generate(pointers = raw)`, `views` or `retained`.
pub(crate) fn parse(_: &Ident, input: ParseStream<'_>) -> syn::Result<Pointers> {
    if input.peek(syn::token::Paren) {
        let content;
        parenthesized!(content in input);
        let wrong = || syn::Error::new(content.span(), texts::UNKNOWN_IN_GENERATE);
        return chosen(&content).map_err(|_| wrong())?.ok_or_else(wrong);
    }
    Ok(USUAL)
}

/// Without cudarc there are no slices.
const USUAL: Pointers = if cfg!(feature = "cudarc") { Pointers::Slices } else { Pointers::Raw };

fn chosen(content: ParseStream<'_>) -> syn::Result<Option<Pointers>> {
    let key: Ident = content.parse()?;
    content.parse::<Token![=]>()?;
    let value: Ident = content.parse()?;
    let chosen = match value.to_string().as_str() {
        "raw" => Some(Pointers::Raw),
        "views" if cfg!(feature = "cudarc") => Some(Pointers::Views),
        "retained" if cfg!(feature = "cudarc") => Some(Pointers::Retained),
        "slices" => Some(Pointers::Slices),
        _ => None,
    };
    Ok(chosen.filter(|_| key == "pointers" && content.is_empty()))
}

/// Returns the structs for kernels and the types of variables. The flag next to each kernel is true if its parameters
/// differ between GPUs.
pub(crate) fn structs(
    pointers: Pointers,
    kernels: &[(Kernel<'_>, bool)],
    variables: &[Variable<'_>],
    krate: &Path,
) -> TokenStream {
    let krate = spelled(krate);
    let options = options(pointers, &krate);
    let kernels: Vec<_> = kernels.iter().map(|(kernel, varies)| generate::Kernel::new(kernel, *varies)).collect();
    let variables: Vec<_> = variables.iter().filter_map(generate::Variable::new).collect();
    tokens(&generate::rust(&kernels, &variables, &options))
}

fn spelled(krate: &Path) -> String {
    krate.to_token_stream().to_string().split_whitespace().collect()
}

fn options(pointers: Pointers, krate: &str) -> Options<'_> {
    let mut options = Options::default();
    options.krate = krate;
    options.pointers = pointers;
    options.half = cfg!(feature = "half");
    options.float8 = cfg!(feature = "float8");
    options.textures = cfg!(feature = "textures");
    options.naming = Naming::Items("");
    options.without_prelude = true;
    options
}

/// Returns the items of a module whose file is a library of host functions.
#[cfg(feature = "debug-info")]
pub(crate) fn library(module: &super::Module, library: &crate::image::Library, krate: &Path) -> TokenStream {
    let krate = spelled(krate);
    let options = options(module.generate.unwrap_or(USUAL), &krate);
    let path = format!("{:?}", library.path);
    let absent = module.absent.as_ref().map(|[source, tried]| texts::absent_library(&source.value(), &tried.value()));
    let text = generate::of_launchers(&library.launchers, absent.as_deref().map_or(Ok(path.as_str()), Err), &options);
    let (tokens, tracked) = (tokens(&text), module.image.tracked(&krate.parse().unwrap_or_default()));
    let title = format!("The host functions of {}.", kernel_args_image::quoted(&library.written));
    quote::quote! {
        #![doc = #title]
        #tracked
        #tokens
    }
}

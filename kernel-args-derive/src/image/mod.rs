//! The kernels of an image that a struct names by path, as tokens.

mod bodies;
mod debug_info;
mod file;
#[cfg(feature = "debug-info")]
mod library;

pub(crate) use debug_info::DebugInfo;
pub(crate) use file::{File, read};
#[cfg(all(feature = "debug-info", feature = "generate"))]
pub(crate) use library::is_library;
#[cfg(feature = "debug-info")]
pub(crate) use library::{Library, library, owners};

use crate::{
    diagnostics::{Diagnostics, private_at, respan},
    path::{DebugInfoOption, ImagePath},
    texts,
};
use kernel_args_abi::compiled::fingerprint;
use kernel_args_image::{Encoder, Kernels, mangled};
use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::sync::Arc;
use syn::LitStr;

/// Opens an image with kernels. `None` if an error was reported.
pub(crate) fn open(path: &ImagePath, diagnostics: &mut Diagnostics) -> Option<Arc<File>> {
    let file = open_any(path, diagnostics)?;
    if file.kernels.symbols().next().is_none() {
        diagnostics.error(path.span, texts::no_kernels(&resolved(path)));
        return None;
    }
    Some(file)
}

/// Opens an image. `None` if an error was reported.
pub(crate) fn open_any(path: &ImagePath, diagnostics: &mut Diagnostics) -> Option<Arc<File>> {
    let resolved = path.resolve().map_err(|error| diagnostics.push(error)).ok()?;
    let problem = match read(&resolved.path) {
        Ok(file) => return Some(file),
        Err(problem) => problem.say(&resolved.written, &resolved.path),
    };
    diagnostics.error(path.span, problem);
    None
}

fn resolved(path: &ImagePath) -> String {
    path.resolve().map_or_else(|_| String::new(), |path| path.written)
}

/// Returns the candidate kernels of a struct, `ptx = "…", entry = "…"`: their place, and as expressions there their
/// `CompiledKernels` and the bytes of the image, and the image's summary. `None` if an error was reported.
pub(crate) fn named(
    path: &ImagePath,
    entry: Option<&LitStr>,
    debug_info: Option<&DebugInfoOption>,
    krate: &syn::Path,
    diagnostics: &mut Diagnostics,
) -> Option<(Span, TokenStream, TokenStream, Option<Literal>)> {
    let file = open(path, diagnostics)?;
    let chosen = match entry {
        Some(entry) => find(&file.kernels, entry).map(|found| (entry.span(), found)),
        None => only(&file.kernels, path.span).map(|found| (path.span, found)),
    };
    let (span, symbols) = chosen.map_err(|error| diagnostics.push(error)).ok()?;
    let debug_info = DebugInfo::read(debug_info, (path, &file), &symbols, &krate.to_token_stream(), diagnostics)?;
    let (krate, private) = (respan(krate, span), private_at(krate, span));
    let (own, tracked) = (path.tracked(&krate), &debug_info.tracked);
    // The table contains only these kernels, with all their texts, and does not refer to the image: rustc would compare
    // the whole image again for each constant that refers to it.
    let mut encoder = Encoder::new();
    let kernels = debug_info.with_bodies(&file, symbols.iter().copied());
    for &symbol in &symbols {
        if let Some(kernel) = kernels.kernel(symbol, None) {
            encoder.push(&debug_info.apply_to(kernel), None, kernels.varies(symbol));
        }
    }
    let (table, names) = encoder.finish();
    let table = Literal::byte_string(&table);
    let summary = file.summary(symbols.iter().copied());
    // A struct with a summary needs no readers.
    let readers = if summary.is_some() { quote!(#private::Option::None) } else { quote!(#private::READERS) };
    let kernels = quote_spanned! {span=> {
        #own
        #tracked
        static __IMAGE: #private::CompiledImage = #private::CompiledImage {
            readers: #readers,
            ..#private::CompiledImage::table(#table, #names)
        };
        #krate::image::CompiledKernels::all(&__IMAGE)
    }};
    // The image is compared with the bytes that were read.
    let File { path, length, .. } = &*file;
    let declarations = symbols.iter().filter_map(|symbol| file.kernels.declaration(symbol));
    let mut parts: Vec<_> = declarations.map(|(at, text)| (at, text.len(), fingerprint(text))).collect();
    if parts.is_empty() {
        parts.push((0, *length, file.fingerprint));
    }
    let parts = parts.into_iter().map(|(at, length, fingerprint)| quote!((#at, #length, #fingerprint)));
    let image = quote_spanned! {span=>
        #private::checked_image(#private::core::include_bytes!(#path), #length, &[#(#parts),*])
    };
    Some((span, kernels, image, summary))
}

fn only<'k>(kernels: &'k Kernels<'_>, span: Span) -> syn::Result<Vec<&'k str>> {
    match in_order(kernels).as_slice() {
        [only] => Ok(vec![*only]),
        several => {
            let several = list(several);
            let problem = format!("this image has several kernels: write `entry = \"…\"` next to it, one of{several}");
            Err(syn::Error::new(span, problem))
        }
    }
}

fn find<'k>(kernels: &'k Kernels<'_>, wanted: &LitStr) -> syn::Result<Vec<&'k str>> {
    let name = wanted.value();
    let symbols = in_order(kernels);
    let found = mangled::candidates(&name, symbols.iter().copied());
    if !found.is_empty() {
        return Ok(found);
    }
    let nearest = mangled::nearest(&name, symbols.iter().copied());
    let (what, listed) = if nearest.is_empty() { ("it has", symbols) } else { ("the nearest are", nearest) };
    let mut problem = format!("there is no kernel `{name}` in this image; {what}{}", list(&listed));
    if name.contains('<') {
        problem += &texts::no_instance(&name);
    }
    Err(syn::Error::new(wanted.span(), problem))
}

/// Returns all symbols. For PTX, in the order of the text.
fn in_order<'k>(kernels: &'k Kernels<'_>) -> Vec<&'k str> {
    let mut symbols: Vec<&str> = kernels.symbols().collect();
    symbols.sort_by_cached_key(|symbol| kernels.declaration(symbol).map(|(at, _)| at));
    symbols
}

const LISTED: usize = 12;

fn list(names: &[&str]) -> String {
    let line = |symbol: &&str| format!("\n  {}", mangled::demangle(symbol).as_deref().unwrap_or(symbol));
    let text: String = names.iter().take(LISTED).map(line).collect();
    match names.len().saturating_sub(LISTED) {
        0 => text,
        more => text + &format!("\n  … and {more} more"),
    }
}

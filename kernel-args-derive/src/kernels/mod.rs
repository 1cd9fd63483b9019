//! `kernels!`: the kernels of an image as items.
//!
//! An image may have thousands of kernels. To keep the compile time low, the data of all kernels is one literal of
//! bytes (`kernel_args_abi::compiled`), each item is an index into it, and rustc receives all items as one text.
//!
//! The image and the table are `static`s: rustc would hash a constant that contained their bytes for each struct. A
//! function that nothing calls includes the second file with debug information: rustc then notices a new file, and
//! neither compiles nor keeps it.

mod docs;
#[cfg(feature = "generate")]
mod generate;
mod input;
mod variables;

use crate::{
    diagnostics::{Diagnostics, private_at},
    image::{self, DebugInfo, File},
};
use input::{Input, Module};
use kernel_args_image::items::{self as names, Item, What};
use kernel_args_image::{Declaration, Encoder, Kernel, quoted};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use std::fmt::Write;
use syn::Path;

pub(crate) fn kernels(input: TokenStream) -> TokenStream {
    let input: Input = match syn::parse2(input) {
        Ok(input) => input,
        Err(error) => return error.into_compile_error(),
    };
    let mut diagnostics = Diagnostics::default();
    let modules: TokenStream =
        input.modules.iter().map(|module| expand(module, &input.krate, &mut diagnostics)).collect();
    let errors = diagnostics.into_compile_errors();
    quote!(#errors #modules)
}

/// Returns a module. It is empty if the image cannot be read.
fn expand(module: &Module, krate: &Path, diagnostics: &mut Diagnostics) -> TokenStream {
    let Module { attributes, visibility, name, image, .. } = module;
    let around = |items: Option<TokenStream>| {
        quote! {
            #(#attributes)*
            #visibility mod #name {
                #items
            }
        }
    };
    #[cfg(all(feature = "generate", feature = "debug-info"))]
    if image::is_library(image) {
        let library = image::library(image, diagnostics);
        return around(library.map(|library| generate::library(module, &library, krate)));
    }
    let file = match &module.absent {
        Some(_) => image::open_any(image, diagnostics),
        None => image::open(image, diagnostics),
    };
    around(file.map(|file| items(module, &file, krate, diagnostics)))
}

fn items(module: &Module, file: &File, krate: &Path, diagnostics: &mut Diagnostics) -> TokenStream {
    let symbols: Vec<&str> = file.kernels.symbols().collect();
    let debug_info = DebugInfo::read(
        // Nothing describes the kernels of an image that does not exist.
        module.debug_info.as_ref().filter(|_| !symbols.is_empty()),
        (&module.image, file),
        &symbols,
        &krate.to_token_stream(),
        diagnostics,
    );
    let debug_info = debug_info.unwrap_or_default();
    // A description has no code.
    let with_code = symbols.iter().filter(|_| module.absent.is_none());
    let kernels = debug_info.with_bodies(file, with_code.copied());
    let read = |symbol: &&str| Some(debug_info.apply_to(kernels.kernel(symbol, None)?));
    let mut read: Vec<Option<Kernel<'_>>> = symbols.iter().map(read).collect();
    let named: Vec<names::Kernel<'_>> = symbols
        .iter()
        .zip(&read)
        .map(|(&symbol, kernel)| names::Kernel {
            symbol,
            demangled: kernel.as_ref().and_then(|kernel| kernel.demangled.clone()),
        })
        .collect();
    let (order, items) = names::items(&named);
    let mut encoder = Encoder::new();
    let (mut documented, mut found) = (Vec::new(), Vec::new());
    for &at in &order {
        let symbol = symbols[at];
        let Some(kernel) = read[at].take() else {
            continue;
        };
        let varies = kernels.varies(symbol);
        let declaration = kernels.declaration(symbol).map(|(at, text)| Declaration { at, text });
        encoder.push(&kernel, declaration, varies);
        documented.push(docs::kernel(&kernel, varies));
        found.push((kernel, varies));
    }
    let symbols: Vec<&str> = order.iter().map(|&at| symbols[at]).collect();
    let is_plain = symbols.is_sorted() && named.iter().all(|kernel| kernel.demangled.is_none());
    let consts = consts(&items, &symbols, &documented, krate);
    let (table, texts) = encoder.finish();
    let variables = variables::Variables::read(file, &debug_info, &items);
    let described = variables.as_ref().map(|variables| variables.table(krate));
    let image = image(module, file, &symbols, (&table, &texts, is_plain), described.is_some(), krate);
    let name = std::path::Path::new(&file.path).file_name().unwrap_or_default();
    let title = format!("The kernels of {}.", quoted(&name.to_string_lossy()));
    let bytes = match &module.absent {
        Some([source, _]) => {
            format!("The image of {}, which no compiler has made: loading it is an error.", quoted(&source.value()))
        }
        None => format!("The image: {} bytes.", file.length),
    };
    #[cfg(feature = "generate")]
    let structs = module.generate.map(|pointers| {
        let variables = variables.as_ref().map_or(&[][..], |variables| &variables.all);
        generate::structs(pointers, &found, variables, krate)
    });
    #[cfg(not(feature = "generate"))]
    let structs = module.generate.as_ref().map(|never| -> TokenStream { match *never {} });
    let variables = variables.map(|variables| variables.items(krate));
    let tracked = &debug_info.tracked;
    let constants = &module.constants;
    quote! {
        #![doc = #title]
        #tracked
        #image
        #[doc = #bytes]
        pub const IMAGE: &'static #krate::image::CompiledImage = &__IMAGE;
        /// All kernels of the image.
        pub const KERNELS: #krate::image::CompiledKernels = #krate::image::CompiledKernels::all(&__IMAGE);
        #consts
        #described
        #variables
        #structs
        #constants
    }
}

/// Returns the `static`s that contain the image and the table. An image that is the same on every GPU gets a summary.
/// The program then needs no readers.
fn image(
    module: &Module,
    file: &File,
    symbols: &[&str],
    (table, names, is_plain): (&[u8], &str, bool),
    has_variables: bool,
    krate: &Path,
) -> TokenStream {
    let some = quote!(#krate::__private::core::option::Option::Some);
    let variables = has_variables.then(|| quote_spanned!(module.image.span=> variables: #some(&__VARIABLES),));
    let File { path, length, fingerprint, .. } = file;
    let span = module.image.span;
    let tracked = module.image.tracked(&krate.to_token_stream());
    let size = table.len();
    let table = Literal::byte_string(table);
    let at = private_at(krate, span);
    let gpus: std::collections::BTreeSet<u16> =
        file.contents.iter().flatten().filter_map(|code| Some(code.target?.sm.0)).collect();
    let (readers, summary) = match file.summary(symbols.iter().copied()) {
        Some(summary) => {
            let new = quote!(unsafe { #krate::__private::Summary::new(&__BYTES, #summary) });
            let summary = quote_spanned! {span=>
                // SAFETY: both are of the image that this macro has read and validated; its fingerprint is compared
                // below.
                static __SUMMARY: #at::Summary = #new;
            };
            (quote!(#some(&__SUMMARY)), summary)
        }
        None => (quote!(#krate::__private::READERS), TokenStream::new()),
    };
    let absent = module
        .absent
        .as_ref()
        .map(|[source, tried]| quote_spanned!(span=> absent: #some(&#at::Absent { source: #source, tried: #tried }),));
    quote_spanned! {span=>
        #tracked
        static __BYTES: [#at::core::primitive::u8; #length] =
            *#at::of_length::<#length>(#at::core::include_bytes!(#path));
        static __TABLE: [#at::core::primitive::u8; #size] = *#table;
        static __IMAGE: #at::CompiledImage = #at::CompiledImage {
            readers: #readers,
            gpus: &[#(#gpus),*],
            is_plain: #is_plain,
            #variables
            #absent
            ..#at::CompiledImage::new(&__BYTES, #fingerprint, &__TABLE, #names)
        };
        #summary
    }
}

/// Returns the constants of the kernels as text: rustc parses it faster than an unoptimised macro creates the tokens.
fn consts(items: &[Item], symbols: &[&str], documented: &[String], krate: &Path) -> TokenStream {
    let krate = krate.to_token_stream().to_string();
    let mut text = String::new();
    // The name of each kernel's item. If several kernels share a name, their items follow the item for all of them.
    let mut names = vec![""; documented.len()];
    for item in items {
        if let What::Kernel(at) = item.what
            && let Some(name) = names.get_mut(at)
        {
            *name = &item.name;
        }
    }
    for item in items {
        let name = &item.name;
        let _ = match item.what {
            What::Kernel(at) => write!(
                text,
                "#[doc={:?}]pub const {name}: {krate}::image::CompiledKernel={krate}::image::CompiledKernel::new(&__IMAGE,{at},{:?});",
                documented.get(at).map_or("", String::as_str),
                symbols.get(at).copied().unwrap_or_default(),
            ),
            What::Kernels(start, count) => {
                let own = names.get(start..start + count).unwrap_or_default();
                let docs = docs::kernels(name, own);
                write!(
                    text,
                    "#[doc={docs:?}]pub const {name}: {krate}::image::CompiledKernels={krate}::image::CompiledKernels::new(&__IMAGE,{start},{count});"
                )
            }
        };
    }
    tokens(&text)
}

fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_else(|error| {
        syn::Error::new(
            proc_macro2::Span::call_site(),
            format!("the items of kernels are not Rust: {error}\nhelp: please report this"),
        )
        .into_compile_error()
    })
}

//! A second file, which holds the debug information of an image's kernels.

use super::{File, list, open, resolved};
use crate::{diagnostics::Diagnostics, path::ImagePath, texts};
use kernel_args_abi::{
    Class, Parameter,
    image::{Kernel, Undescribed},
    mangled,
};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::sync::Arc;

/// A file with the debug information of an image's kernels.
pub(crate) struct DebugInfo {
    file: Arc<File>,
    /// Items that have rustc compile the crate again when the file changes.
    tracked: TokenStream,
}

impl DebugInfo {
    /// Reads the file, which has to describe the kernels of `image` with these `symbols`; `None` where an error was reported.
    pub(crate) fn read(
        path: &ImagePath,
        image: (&ImagePath, &File),
        symbols: &[&str],
        krate: &TokenStream,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let file = open(path, diagnostics)?;
        if let Some(problem) = problem(&file, &resolved(path), &resolved(image.0), image.1, symbols)
        {
            diagnostics.error(path.span, problem);
            return None;
        }
        let (variables, at) = (path.tracked(krate), &file.path);
        let core = quote!(#krate::__private::core);
        // A function that nothing calls is not compiled: the program does not hold the file.
        let tracked = quote_spanned! {path.span=>
            #variables
            const _: () = {
                fn __debug_info() {
                    let _: &[#core::primitive::u8] = #core::include_bytes!(#at);
                }
            };
        };
        Some(Self { file, tracked })
    }

    /// Items that have rustc compile the crate again when the file changes.
    pub(crate) fn tracked(&self) -> &TokenStream {
        &self.tracked
    }

    /// A kernel of the image with what the file says of it.
    pub(crate) fn describe<'k>(&'k self, kernel: Kernel<'k>) -> Kernel<'k> {
        match self.file.kernels.kernel(kernel.name, None) {
            Some(described) => kernel.clone().described_by(&described).unwrap_or(kernel),
            None => kernel,
        }
    }
}

/// Why the kernels of an image are not described by a file.
fn problem(
    file: &File,
    name: &str,
    image_name: &str,
    image: &File,
    symbols: &[&str],
) -> Option<String> {
    let described = |symbol: &&str| {
        let kernel = file.kernels.kernel(symbol, None);
        kernel.is_some_and(|kernel| kernel.described.is_known())
    };
    let missing: Vec<&str> = symbols.iter().copied().filter(|s| !described(s)).collect();
    if !missing.is_empty() {
        let errors = file.kernels.debug_errors();
        if !errors.is_empty() {
            let errors = errors.iter().take(LISTED);
            let errors: String = errors.fold(String::new(), |text, error| {
                text + "\n  " + &error.to_string()
            });
            return Some(texts::broken_debug_info(name, &errors));
        }
        let others: Vec<&str> = file.kernels.symbols().filter(described).collect();
        if others.is_empty() {
            return Some(texts::no_debug_info(name));
        }
        let (missing, others) = (list(missing.into_iter()), list(others.into_iter()));
        return Some(texts::undescribed(name, image_name, &missing, &others));
    }
    symbols.iter().find_map(|symbol| {
        let here = image.kernels.kernel(symbol, None)?;
        let there = file.kernels.kernel(symbol, None)?;
        let lists = [
            parameters(&there.parameters()),
            parameters(&here.parameters()),
        ];
        match here.described_by(&there) {
            Err(Undescribed::OtherParameters) => {
                let kernel = mangled::demangle(symbol);
                let kernel = kernel.as_deref().unwrap_or(symbol);
                let lists = [&*lists[0], &*lists[1]];
                Some(texts::other_parameters(name, image_name, kernel, lists))
            }
            _ => None,
        }
    })
}

/// How many errors a message lists.
const LISTED: usize = 3;

/// Parameters in words: `integer of 4 bytes, float of 8 bytes`.
fn parameters(parameters: &[Parameter<'_>]) -> String {
    let words: Vec<String> = parameters
        .iter()
        .map(|parameter| {
            let class = match parameter.class {
                Class::Integer => "integer of ",
                Class::Float => "float of ",
                Class::Pointer => "pointer of ",
                _ => "",
            };
            let align = parameter
                .align
                .map(|align| format!(" aligned to {}", align.bytes()));
            format!(
                "{class}{} bytes{}",
                parameter.size,
                align.unwrap_or_default()
            )
        })
        .collect();
    match words.as_slice() {
        [] => "none".into(),
        words => format!("({})", words.join(", ")),
    }
}

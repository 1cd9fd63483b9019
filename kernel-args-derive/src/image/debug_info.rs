//! The debug information of an image, from the image itself or from a second file.

use super::{File, list, open, resolved};
use crate::{
    diagnostics::Diagnostics,
    path::{DebugInfoOption, ImagePath},
    texts,
};
use kernel_args_abi::{Class, Parameter};
use kernel_args_image::{DebugInfoMismatch, Kernel, Kernels, Variable, mangled};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use std::{borrow::Cow, sync::Arc};
#[derive(Default)]
pub(crate) struct DebugInfo {
    /// The file that contains it, or `None` for the image itself.
    file: Option<Arc<File>>,
    /// Items that make rustc compile the crate again when the file changes.
    pub(crate) tracked: TokenStream,
}

impl DebugInfo {
    /// Reads the debug information for the kernels of `image` with these `symbols`. `None` if an error was reported.
    pub(crate) fn read(
        option: Option<&DebugInfoOption>,
        (path, image): (&ImagePath, &File),
        symbols: &[&str],
        krate: &TokenStream,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let second = match option {
            Some(DebugInfoOption::File(second)) if kernel_args_image::READS_DEBUG_INFO => second,
            Some(DebugInfoOption::File(second)) => {
                diagnostics.error(second.span, texts::debug_info_feature(&resolved(second)));
                return None;
            }
            Some(DebugInfoOption::IfReadable(_)) => return Some(Self::default()),
            None => {
                let Some(errors) = unreadable(image, symbols) else {
                    return Some(Self::default());
                };
                let file = resolved(path);
                let problem = if kernel_args_image::READS_DEBUG_INFO {
                    texts::unreadable_debug_info(&file, &errors)
                } else {
                    texts::debug_info_feature(&file)
                };
                diagnostics.error(path.span, problem);
                return None;
            }
        };
        let file = open(second, diagnostics)?;
        let names = [&*resolved(second), &*resolved(path)];
        if let Some(problem) = problem(&file, names, image, symbols) {
            diagnostics.error(second.span, problem);
            return None;
        }
        let (variables, at) = (second.tracked(krate), &file.path);
        let core = quote!(#krate::__private::core);
        // A function that is never called is not compiled, so the program does not contain the file.
        let tracked = quote_spanned! {second.span=>
            #variables
            const _: () = {
                fn __debug_info() {
                    let _: &[#core::primitive::u8] = #core::include_bytes!(#at);
                }
            };
        };
        Some(Self { file: Some(file), tracked })
    }

    /// Returns the kernels of the image. Analyses the code of each kernel in `symbols` that has untyped parameters.
    pub(crate) fn with_bodies<'f, 's>(
        &self,
        file: &'f File,
        symbols: impl Iterator<Item = &'s str>,
    ) -> Cow<'f, Kernels<'static>> {
        let is_untyped = |symbol: &&str| {
            let kernel = file.kernels.kernel(symbol, None);
            kernel.is_some_and(|kernel| self.apply_to(kernel).has_untyped_parameters())
        };
        file.with_bodies(&symbols.filter(is_untyped).collect())
    }

    pub(crate) fn of_variable<'k>(&'k self, variable: Variable<'k>) -> Variable<'k> {
        let file = self.file.as_ref();
        match file.and_then(|file| file.kernels.variable(variable.symbol(), None)) {
            Some(other) => variable.with_debug_info_of(&other),
            None => variable,
        }
    }

    pub(crate) fn apply_to<'k>(&'k self, kernel: Kernel<'k>) -> Kernel<'k> {
        let file = self.file.as_ref();
        match file.and_then(|file| file.kernels.kernel(kernel.name, None)) {
            Some(other) => kernel.clone().with_debug_info_of(&other).unwrap_or(kernel),
            None => kernel,
        }
    }
}

/// Returns why the image's debug information cannot be read for these kernels, one error per line. `None` if it can be
/// read, or does not exist. A kernel that varies is ignored: no struct fits it, so nothing is compared with it.
fn unreadable(image: &File, symbols: &[&str]) -> Option<String> {
    let kernels = &image.kernels;
    let errors = symbols.iter().filter(|symbol| !kernels.varies(symbol)).filter_map(|symbol| {
        let error = kernels.debug_error(&kernels.kernel(symbol, None)?)?;
        Some(error.to_string())
    });
    lines(errors)
}

/// Returns the distinct texts, one per line. `None` for an empty list.
fn lines(texts: impl Iterator<Item = String>) -> Option<String> {
    let mut different = Vec::new();
    for text in texts {
        if different.len() < LISTED && !different.contains(&text) {
            different.push(text);
        }
    }
    (!different.is_empty()).then(|| format!("\n  {}", different.join("\n  ")))
}

/// Returns why a file does not contain matching debug information for the kernels of an image.
fn problem(file: &File, [name, image_name]: [&str; 2], image: &File, symbols: &[&str]) -> Option<String> {
    let has_debug_info = |symbol: &&str| {
        let kernel = file.kernels.kernel(symbol, None);
        kernel.is_some_and(|kernel| kernel.debug_info.is_known())
    };
    let missing: Vec<&str> = symbols.iter().copied().filter(|s| !has_debug_info(s)).collect();
    if !missing.is_empty() {
        let errors = file.kernels.debug_errors().map(ToString::to_string);
        if let Some(errors) = lines(errors) {
            return Some(texts::broken_debug_info(name, &errors));
        }
        let others: Vec<&str> = file.kernels.symbols().filter(has_debug_info).collect();
        if others.is_empty() {
            return Some(texts::no_debug_info(name));
        }
        let (missing, others) = (list(&missing), list(&others));
        return Some(texts::missing_debug_info(name, image_name, &missing, &others));
    }
    symbols.iter().find_map(|symbol| {
        let here = image.kernels.kernel(symbol, None)?;
        let there = file.kernels.kernel(symbol, None)?;
        let lists = [&there, &here].map(|kernel| parameters(&kernel.parameters()));
        match here.with_debug_info_of(&there) {
            Err(DebugInfoMismatch::OtherParameters) => {
                let kernel = mangled::demangle(symbol);
                let kernel = kernel.as_deref().unwrap_or(symbol);
                Some(texts::other_parameters(name, image_name, kernel, &lists[0], &lists[1]))
            }
            _ => None,
        }
    })
}

const LISTED: usize = 3;

/// Parameters in words: `integer of 4 bytes, float of 8 bytes`.
fn parameters(parameters: &[Parameter<'_>]) -> String {
    let words: Vec<String> = parameters
        .iter()
        .map(|parameter| {
            let class = match parameter.class {
                class @ (Class::Integer | Class::Float | Class::Pointer) => format!("{} of ", class.name()),
                _ => String::new(),
            };
            let align = parameter.align.map(|align| format!(" aligned to {}", align.bytes()));
            format!("{class}{} bytes{}", parameter.size, align.unwrap_or_default())
        })
        .collect();
    match words.as_slice() {
        [] => "none".into(),
        words => format!("({})", words.join(", ")),
    }
}

//! The comparison of a struct with the kernels that it names.

use super::{field::ParameterField, kernels, parts, pattern::Pattern, private_at, respan};
use crate::{
    attr::{ArgsAttr, Naming},
    diagnostics::Diagnostics,
};
use proc_macro2::{Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use std::env;
use syn::{DeriveInput, Generics, Path, spanned::Spanned};

/// The kernels that a struct names, as far as the macro can resolve them.
pub(super) enum Comparison<'a> {
    /// Expressions at this place: the `CompiledKernels`, and the bytes of their image.
    Kernels {
        span: Span,
        kernels: TokenStream,
        image: TokenStream,
        /// The literal with the image's summary, if a struct names the image itself, and it is the same on every GPU.
        summary: Option<Literal>,
    },
    Pattern(Pattern<'a>),
}

impl<'a> Comparison<'a> {
    /// `None` if the struct names no kernel, or an error was reported.
    pub(super) fn new(attr: &'a ArgsAttr, generics: &Generics, diagnostics: &mut Diagnostics) -> Option<Self> {
        match attr.kernel.as_ref()? {
            #[cfg(feature = "kernels")]
            Naming::Image { path, entry, debug_info } => {
                let (entry, debug_info) = (entry.as_ref(), debug_info.as_ref());
                let named = crate::image::named(path, entry, debug_info, &attr.krate, diagnostics)?;
                let (span, kernels, image, summary) = named;
                Some(Self::Kernels { span, kernels, image, summary })
            }
            #[cfg(not(feature = "kernels"))]
            Naming::Image { path, .. } => {
                diagnostics.error(path.span, crate::texts::KERNELS_FEATURE);
                None
            }
            Naming::Item(path) => {
                let span = path.span();
                let private = private_at(&attr.krate, span);
                let item = if may_be_absent() { or_unknown(path, &private) } else { quote!(#path) };
                // The call has the span of the path, so rustc reports an error about its type there.
                let kernels = quote_spanned!(span=> { #item }.kernels());
                Some(Self::Kernels { span, kernels, image: quote!(__NAMED.image()), summary: None })
            }
            Naming::Pattern { module, entries, except, bindings } => {
                Pattern::new(module, [entries, except], bindings, generics, diagnostics).map(Self::Pattern)
            }
        }
    }

    /// Returns the constants `__NAMED` and `__KERNELS`, which `SOURCE` and the checks use. `arguments` is the compared
    /// type, if there is only one.
    pub(super) fn tables(&self, arguments: Option<&TokenStream>, krate: &Path) -> Option<TokenStream> {
        let Self::Kernels { span, kernels: named, .. } = self else {
            return None;
        };
        let (span, private) = (*span, private_at(krate, *span));
        let named = if let Some(arguments) = arguments {
            quote_spanned!(span=> #private::named::<#arguments>(&#named))
        } else {
            quote_spanned!(span=> #private::named_generic(&#named))
        };
        let kernels = kernels(&quote!(__NAMED.in_doubt()), span, &private);
        Some(quote_spanned! {span=>
            const __NAMED: #private::Named = #named;
            #kernels
        })
    }

    /// Returns the constants of the struct that name the source of its kernel.
    ///
    /// A generic struct is compared with its kernel here, where its type parameters are known.
    pub(super) fn source(&self, compare: bool, krate: &Path) -> TokenStream {
        let (span, image, summary) = match self {
            Self::Kernels { span, image, summary, .. } => (*span, image, summary),
            Self::Pattern(pattern) => {
                let at = private_at(krate, pattern.span());
                return quote! {
                    const FAMILY: #at::Option<&'static #at::Family> = #at::Option::Some(&__FAMILY);
                };
            }
        };
        let (at, private) = (respan(krate, span), private_at(krate, span));
        // It has the span of the macro in both places.
        let source = quote!(__source);
        let summarize = summary.as_ref().map(|summary| {
            // SAFETY: both are of the image that this macro has read and validated, which `checked_image` compares.
            // Without the span of user code, which may deny `unsafe_code`.
            quote!(let __source = unsafe { __source.summarized(#summary) };)
        });
        // If the struct fits, no function of the struct's type is called: rustc would evaluate all constants that the
        // function names.
        quote_spanned! {span=>
            const SOURCE: #private::Option<#at::args::Source> =
                {
                    let #source = match (#image, __NAMED.symbol) {
                        (__image, #private::Option::Some(__symbol)) => {
                            __NAMED.source(__image, __symbol)
                        }
                        (__image, #private::Option::None) => {
                            #private::source::<Self>(&__NAMED, __KERNELS, __image, #compare)
                        }
                    };
                    #summarize
                    #private::Option::Some(#source)
                };
        }
    }
}

/// Returns whether a build script may have found no compiler: then a module has no item for a kernel that nothing
/// describes.
fn may_be_absent() -> bool {
    let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    is_set("KERNEL_ARGS_OPTIONAL") || is_set("DOCS_RS")
}

/// Returns the item that a path names, or an unknown kernel if its module has no such item.
fn or_unknown(path: &Path, private: &TokenStream) -> TokenStream {
    let mut segments = path.segments.iter();
    let Some(name) = segments.next_back() else {
        return quote!(#path);
    };
    if segments.len() == 0 {
        return quote!(#path);
    }
    let leading = &path.leading_colon;
    let module = quote!(#leading #(#segments)::*);
    let name = &name.ident;
    let text = syn::ext::IdentExt::unraw(name).to_string();
    // The items of the module are in the inner block, so they shadow the constant.
    quote_spanned! {path.span()=> {
        #[allow(non_upper_case_globals)]
        const #name: #private::Unknown = #private::Unknown::new(#module::KERNELS, #text);
        {
            #[allow(unused_imports)]
            use #module::*;
            #name
        }
    }}
}

/// Returns the checks of a struct without parameters. Its comparison has one kernel, or several of which it fits one.
pub(super) fn checks(
    fields: &[ParameterField<'_>],
    input: &DeriveInput,
    erased: &TokenStream,
    krate: &Path,
) -> TokenStream {
    let (each, private) = (parts::checks(fields, input, krate), quote!(#krate::__private));
    let count = fields.len() + 1;
    let firsts = parts::has_parts(fields).then(|| {
        quote! {
            const __FIRSTS: &[#private::core::primitive::usize] =
                &#private::firsts::<#erased, #count>();
        }
    });
    quote! {
        // A reference, because each use of the report itself would be a copy that rustc validates again. A branch,
        // because a call would make rustc evaluate the constants of the callee.
        const __REPORT: &#private::Checked = &if __KERNELS.is_empty() {
            #private::Option::None
        } else {
            #private::compare::<#erased>(__KERNELS)
        };
        #firsts
        #each
    }
}

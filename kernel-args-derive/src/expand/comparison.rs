//! The comparison of a struct with the kernels that it names.

use super::{kernels, pattern::Pattern, respan};
use crate::{
    attr::{ArgsAttr, Naming},
    diagnostics::Diagnostics,
    image::Named,
};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Generics, Path, spanned::Spanned};

/// The kernels that a struct names, as far as the macro can resolve them.
pub(super) enum Comparison<'a> {
    Image(Named),
    Item(&'a Path),
    Pattern(Pattern<'a>),
}

impl<'a> Comparison<'a> {
    /// `None` if the struct names no kernel, or an error was reported.
    pub(super) fn new(
        attr: &'a ArgsAttr,
        generics: &Generics,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        match attr.kernel.as_ref()? {
            Naming::Image {
                path,
                entry,
                debug_info,
            } => {
                let (entry, debug_info) = (entry.as_ref(), debug_info.as_ref());
                Named::read(path, entry, debug_info, &attr.krate, diagnostics).map(Self::Image)
            }
            Naming::Item(path) => Some(Self::Item(path)),
            Naming::Pattern {
                module,
                entries,
                except,
                bindings,
            } => Pattern::new(module, [entries, except], bindings, generics, diagnostics)
                .map(Self::Pattern),
        }
    }

    /// The span for errors about the choice of the kernel.
    fn span(&self) -> Span {
        match self {
            Self::Image(named) => named.span,
            Self::Item(path) => path.span(),
            Self::Pattern(pattern) => pattern.span(),
        }
    }

    /// The constants `__NAMED` and `__KERNELS`, which `SOURCE` and the checks use. `arguments` is the compared type,
    /// if there is only one.
    pub(super) fn tables(
        &self,
        arguments: Option<&TokenStream>,
        krate: &Path,
    ) -> Option<TokenStream> {
        let krate = respan(krate, self.span());
        let named = match self {
            Self::Image(named) => named.kernels(&krate),
            // The call has the span of the path, so rustc reports an error about its type there.
            Self::Item(path) => quote_spanned!(path.span()=> { #path }.kernels()),
            Self::Pattern(_) => return None,
        };
        let span = self.span();
        let named = if let Some(arguments) = arguments {
            quote_spanned!(span=> #krate::__private::named::<#arguments>(&#named))
        } else {
            quote_spanned!(span=> #krate::__private::named_generic(&#named))
        };
        Some(tables(&named, span, &krate))
    }

    /// The constants of the struct that name the source of its kernel.
    ///
    /// A generic struct is compared with its kernel here, where its type parameters are known. Other structs are
    /// compared field by field.
    pub(super) fn source(&self, compare: bool, krate: &Path) -> TokenStream {
        let at = respan(krate, self.span());
        let image = match self {
            Self::Image(named) => named.bytes(&at),
            Self::Item(_) => quote!(__NAMED.image()),
            Self::Pattern(_) => {
                return quote! {
                    const FAMILY: #at::__private::core::option::Option<&'static #at::__private::Family> =
                        #at::__private::core::option::Option::Some(&__FAMILY);
                };
            }
        };
        // If the struct fits, no function of the struct's type is called: rustc would evaluate all constants that the
        // function names.
        quote_spanned! {self.span()=>
            const SOURCE: #at::__private::core::option::Option<#at::args::Source> =
                #at::__private::core::option::Option::Some(match (#image, __NAMED.symbol()) {
                    (__image, #at::__private::core::option::Option::Some(__symbol)) => {
                        #at::__private::source_of(&__NAMED, __image, __symbol)
                    }
                    (__image, #at::__private::core::option::Option::None) => {
                        #at::__private::source::<Self>(&__NAMED, __KERNELS, __image, #compare)
                    }
                });
        }
    }
}

/// The kernels that a struct names, and the signatures of the kernels that need a full comparison. `named` is an
/// expression of type `Named`.
fn tables(named: &TokenStream, span: Span, krate: &TokenStream) -> TokenStream {
    let kernels = kernels(&quote!(__NAMED.in_doubt()), span, krate);
    quote_spanned! {span=>
        const __NAMED: #krate::__private::Named = #named;
        #kernels
    }
}

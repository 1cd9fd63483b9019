//! The comparison of a struct with the kernels that it names.

use super::respan;
use crate::{
    attr::{ArgsAttr, Binding, Naming},
    diagnostics::Diagnostics,
    erase,
    image::Named,
    texts,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Generics, Ident, LitStr, Path, spanned::Spanned};

/// The kernels that a struct names, as far as the macro can resolve them.
pub(super) enum Comparison<'a> {
    Image(Named),
    Item(&'a Path),
    Pattern(Pattern<'a>),
}

pub(super) struct Pattern<'a> {
    module: &'a Path,
    entries: &'a LitStr,
    targets: Vec<Target<'a>>,
    /// For each binding, the targets that use it, if there is more than one parameter.
    uses: Vec<(&'a Binding, Vec<usize>)>,
}

/// The struct with one combination of types.
struct Target<'a> {
    bindings: Vec<&'a Binding>,
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
                bindings,
            } => Pattern::new(module, entries, bindings, generics, diagnostics).map(Self::Pattern),
        }
    }

    /// The span for errors about the choice of the kernel.
    fn span(&self) -> Span {
        match self {
            Self::Image(named) => named.span,
            Self::Item(path) => path.span(),
            Self::Pattern(pattern) => pattern.entries.span(),
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
            Self::Pattern(pattern) => {
                let entries = pattern.entries;
                return quote! {
                    const ENTRIES: #at::__private::core::option::Option<&'static #at::__private::core::primitive::str> =
                        #at::__private::core::option::Option::Some(#entries);
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
    quote_spanned! {span=>
        const __NAMED: #krate::__private::Named = #named;
        const __KERNELS: &[#krate::__private::abi::Signature<'static>] =
            &__NAMED.in_doubt().signatures::<{ __NAMED.in_doubt().len() }>(
                &__NAMED.in_doubt().parameters::<{ __NAMED.in_doubt().parameter_count() }>()
            );
    }
}

impl<'a> Pattern<'a> {
    fn new(
        module: &'a Path,
        entries: &'a LitStr,
        bindings: &'a [Binding],
        generics: &Generics,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let types = generics.type_params().map(|parameter| &parameter.ident);
        let parameters: Vec<&Ident> = types
            .chain(generics.const_params().map(|parameter| &parameter.ident))
            .collect();
        let mut targets = vec![Target {
            bindings: Vec::new(),
        }];
        let mut complete = true;
        for parameter in parameters {
            let own: Vec<&Binding> = bindings
                .iter()
                .filter(|binding| binding.parameter == *parameter)
                .collect();
            if own.is_empty() {
                diagnostics.error(entries.span(), texts::unbound(parameter));
                complete = false;
            }
            targets = targets
                .iter()
                .flat_map(|target| {
                    own.iter().map(|&binding| Target {
                        bindings: target.bindings.iter().copied().chain([binding]).collect(),
                    })
                })
                .collect();
        }
        let uses = bindings
            .iter()
            .map(|binding| {
                let has = |target: &Target<'_>| {
                    target
                        .bindings
                        .iter()
                        .any(|own| std::ptr::eq(*own, binding))
                };
                let with = (0..targets.len()).filter(|&i| has(&targets[i]));
                (binding, with.collect())
            })
            .collect();
        complete.then_some(Self {
            module,
            entries,
            targets,
            uses,
        })
    }

    /// Compares the struct with the matching kernels, for each combination of its parameters.
    ///
    /// `check` creates the checks of a type.
    pub(super) fn checks(
        &self,
        ident: &Ident,
        generics: &Generics,
        krate: &Path,
        check: impl Fn(&TokenStream) -> TokenStream,
    ) -> TokenStream {
        let (module, entries) = (self.module, self.entries);
        let span = entries.span();
        let at = respan(krate, span);
        let all = quote_spanned!(module.span()=> #module::KERNELS);
        let checks = check(&quote!(__Arguments));
        let each = self.targets.iter().map(|target| {
            let arguments = target.arguments(ident, generics);
            let suffix = target.suffix();
            let matching = quote_spanned!(span=> #at::__private::matching::<__Arguments>(&#all, #entries, #suffix));
            let tables = tables(&matching, span, &at);
            quote! {
                const _: () = {
                    type __Arguments = #arguments;
                    #tables
                    #checks
                };
            }
        });
        // With at most one parameter, every binding has one target. With more parameters, some combinations of types
        // have no kernel.
        let matched = self.uses.iter().map(|(binding, targets)| {
            let span = binding.suffix.span();
            let at = respan(krate, span);
            let suffixes = targets.iter().map(|&i| self.targets[i].suffix());
            quote_spanned!(span=> const _: () = #at::__private::some_match(&#all, #entries, &[#(#suffixes),*]);)
        });
        let unbound = self.uses.is_empty().then(|| {
            quote_spanned!(span=> const _: () = #at::__private::some_match(&#all, #entries, &[""]);)
        });
        quote! { #(#each)* #(#matched)* #unbound }
    }
}

impl Target<'_> {
    /// The combined suffix of the kernel names for these types.
    fn suffix(&self) -> String {
        self.bindings
            .iter()
            .map(|binding| binding.suffix.value())
            .collect()
    }

    /// The struct with these types, with every lifetime `'static`.
    fn arguments(&self, ident: &Ident, generics: &Generics) -> TokenStream {
        let arguments = generics.params.iter().map(|parameter| match parameter {
            syn::GenericParam::Lifetime(lifetime) => {
                erase::lifetimes(lifetime.lifetime.to_token_stream(), generics)
            }
            syn::GenericParam::Type(syn::TypeParam { ident, .. })
            | syn::GenericParam::Const(syn::ConstParam { ident, .. }) => self
                .bindings
                .iter()
                .find(|binding| binding.parameter == *ident)
                .map(|binding| binding.argument.to_token_stream())
                .unwrap_or_default(),
        });
        quote!(#ident<#(#arguments),*>)
    }
}

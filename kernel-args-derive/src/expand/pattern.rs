//! The comparison of a struct with all kernels of its patterns.
//!
//! A struct of a pattern is compared with all of its kernels, for all of its bindings, in one constant (`Found`): each
//! constant costs rustc more than the comparison of a kernel in it. Only the first kernel that does not fit is then
//! compared in full, and each field has a constant for the error. So one slip in a struct with ten bindings is one
//! error.

use super::{field::ParameterField, kernels, parts, private_at};
use crate::{attr::Binding, diagnostics::Diagnostics, erase, generics, texts};
use kernel_args_abi::compiled::Presence;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{DeriveInput, Generics, Ident, LitStr, Path, spanned::Spanned};

/// `kernel = module, entries = ["…"], except = ["…"], T = f32 => "_f32"`.
pub(super) struct Pattern<'a> {
    module: &'a Path,
    entries: &'a [LitStr],
    except: &'a [LitStr],
    bindings: &'a [Binding],
    targets: Vec<Target<'a>>,
}

/// The struct with one combination of types: the indices of the bindings, and the bindings.
type Target<'a> = Vec<(usize, &'a Binding)>;

impl<'a> Pattern<'a> {
    pub(super) fn new(
        module: &'a Path,
        [entries, except]: [&'a [LitStr]; 2],
        bindings: &'a [Binding],
        generics: &Generics,
        diagnostics: &mut Diagnostics,
    ) -> Option<Self> {
        let mut pattern = Self { module, entries, except, bindings, targets: vec![Target::new()] };
        let mut complete = true;
        for parameter in generics::parameters(generics) {
            let own: Vec<(usize, &Binding)> =
                bindings.iter().enumerate().filter(|(_, binding)| binding.parameter == *parameter).collect();
            if own.is_empty() {
                diagnostics.error(pattern.span(), texts::unbound(parameter));
                complete = false;
            }
            let more = |target: Target<'a>| own.iter().map(move |&one| [&target[..], &[one]].concat());
            pattern.targets = pattern.targets.into_iter().flat_map(more).collect();
        }
        complete.then_some(pattern)
    }

    pub(super) fn span(&self) -> Span {
        self.entries.first().map_or_else(Span::call_site, LitStr::span)
    }

    /// Compares the struct with the matching kernels, for each combination of its parameters.
    pub(super) fn checks(&self, input: &DeriveInput, krate: &Path, fields: &[ParameterField<'_>]) -> TokenStream {
        let span = self.span();
        let at = private_at(krate, span);
        let parts = parts::has_parts(fields).then_some(fields.len());
        let found = self.found(&input.ident, &input.generics, parts, &at);
        let tables = kernels(&quote!(__IN_DOUBT), span, &at);
        let fits = parts::checks(fields, input, krate);
        // rustc reports the first call that fails: a wrong module is one error, not one for each binding.
        let matched = self.entries.iter().enumerate().map(|(i, pattern)| {
            let at = private_at(krate, pattern.span());
            quote_spanned!(pattern.span()=> #at::some_match(&__FAMILY, __FOUND, #i);)
        });
        let bound = self.bindings.iter().enumerate().map(|(i, binding)| {
            let (span, suffix) = (binding.suffix.span(), &binding.suffix);
            let at = private_at(krate, span);
            quote_spanned!(span=> #at::some_bound(&__FAMILY, __FOUND, #i, #suffix);)
        });
        let all = quote_spanned!(span=> #at::all_bound(&__FAMILY, __FOUND););
        quote! {
            #found
            #tables
            // References, because each use of such a constant itself would be a copy that rustc validates again.
            const __REPORT: &#at::Checked = &#at::compare_bound(&__FAMILY, __FOUND, __KERNELS);
            const __FIRSTS: &[#at::core::primitive::usize] = __FOUND.fields(&__FAMILY);
            #fits
            const _: () = { #(#matched)* #(#bound)* #all };
        }
    }

    /// Returns the static `__FAMILY` and the results of its comparison. rustc evaluates a constant again for the
    /// generic impl, but not a static.
    ///
    /// `parts` is the number of fields if they are not one parameter each.
    fn found(&self, ident: &Ident, generics: &Generics, parts: Option<usize>, at: &TokenStream) -> TokenStream {
        let span = self.span();
        let Self { module, entries, except, .. } = self;
        let all = quote_spanned!(module.span()=> #module::KERNELS);
        let bindings = self.bindings.iter().map(|binding| {
            let written = written(binding);
            let presence = match binding.presence {
                Presence::Required => quote!(Required),
                Presence::Optional => quote!(Optional),
                Presence::Since(first) => quote!(Since(#first)),
            };
            quote!(#at::Binding { written: #written, presence: #at::Presence::#presence })
        });
        let targets = self.targets.iter().map(|target| {
            let arguments = arguments(target, ident, generics);
            let suffix: String = target.iter().map(|(_, one)| one.suffix.value()).collect();
            let written = target.iter().map(|(_, one)| written(one)).collect::<Vec<_>>().join(", ");
            let indices = target.iter().map(|(index, _)| index);
            let fields = if let Some(count) = parts.map(|fields| fields + 1) {
                quote!(const { &#at::firsts::<#arguments, #count>() })
            } else {
                quote!(&[])
            };
            quote_spanned!(span=> #at::target::<#arguments>(#suffix, #written, &[#(#indices),*], #fields))
        });
        let name = syn::ext::IdentExt::unraw(ident).to_string();
        let (count, patterns) = (self.targets.len(), self.entries.len());
        quote_spanned! {span=>
            static __FAMILY: #at::Family = #at::Family {
                name: #name,
                kernels: #all,
                entries: &[#(#entries),*],
                except: &[#(#except),*],
                bindings: &[#(#bindings),*],
                targets: &[#(#targets),*],
            };
            const __FOUND: &#at::Found<#count, #patterns> = &#at::Found::new(&__FAMILY);
            const __IN_DOUBT: #at::abi::compiled::CompiledKernels = __FOUND.in_doubt(&__FAMILY);
        }
    }
}

/// Returns the struct with these types, with every lifetime `'static`.
fn arguments(target: &[(usize, &Binding)], ident: &Ident, generics: &Generics) -> TokenStream {
    let arguments = generics.params.iter().map(|parameter| match parameter {
        syn::GenericParam::Lifetime(lifetime) => erase::lifetimes(lifetime.lifetime.to_token_stream(), generics),
        syn::GenericParam::Type(syn::TypeParam { ident, .. })
        | syn::GenericParam::Const(syn::ConstParam { ident, .. }) => {
            let bound = target.iter().find(|(_, binding)| binding.parameter == *ident);
            bound.map(|(_, binding)| binding.argument.to_token_stream()).unwrap_or_default()
        }
    });
    quote!(#ident<#(#arguments),*>)
}

/// Returns the binding as in the attribute, without its condition.
fn written(binding: &Binding) -> String {
    let argument = binding.argument.to_token_stream().to_string();
    let argument = argument.replace(" :: ", "::").replace(" < ", "<").replace(" >", ">").replace(" ,", ",");
    format!("{} = {argument} => {:?}", binding.parameter, binding.suffix.value())
}

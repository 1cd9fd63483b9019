//! The call of a launcher: `#[kernel_args(launcher = path)]`.

use super::{field::ParameterField, respan};
use crate::{
    attr::{Launcher, Stream},
    diagnostics::Diagnostics,
    texts,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Path, ext::IdentExt, spanned::Spanned};

/// The items of the impl of `LauncherArgs`. rustc compares each argument with the function, at its field.
pub(super) fn launcher(
    Launcher { path, stream }: &Launcher,
    fields: &[ParameterField<'_>],
    krate: &Path,
    diagnostics: &mut Diagnostics,
) -> TokenStream {
    for field in fields.iter().filter(|field| !field.is_one()) {
        diagnostics.error(field.span(), texts::LAUNCHER_AND_PARTS);
    }
    let place = match stream.as_ref().map(|stream| (&stream.value, stream.span)) {
        None | Some((Stream::Required, _)) => Some(fields.len()),
        Some((Stream::None, _)) => None,
        Some((Stream::Before(member), span)) => {
            let place = fields.iter().position(|field| field.field.member == *member);
            if place.is_none() {
                diagnostics.error(span, texts::no_argument(&member.to_token_stream().to_string()));
            }
            place
        }
    };
    let (private, span) = (quote!(#krate::__private), path.span());
    let at_path = respan(krate, span);
    let name = path.segments.last().map(|last| last.ident.unraw().to_string());
    let mut arguments: Vec<_> = fields.iter().map(ParameterField::c_argument).collect();
    if let Some(place) = place {
        arguments.insert(place, quote_spanned!(span=> #at_path::__private::stream_argument(__stream)));
    }
    let takes_stream = place.is_some();
    // After an error, rustc would report the arguments that are missing.
    let call = if diagnostics.is_empty() {
        let returned = quote_spanned!(span=> #at_path::__private::returned);
        // At the path, but as code of the derive: `#![forbid(unsafe_code)]` in the user's crate does not apply to it.
        let call = quote_spanned!(Span::call_site().located_at(span)=> unsafe { #path(#(#arguments),*) });
        quote!(#returned(#call))
    } else {
        quote!(loop {})
    };
    quote! {
        const LAUNCHER: &'static #private::core::primitive::str = #name;
        const TAKES_STREAM: #private::core::primitive::bool = #takes_stream;

        #[inline(always)]
        unsafe fn call(
            __params: *const *mut #private::core::ffi::c_void,
            __stream: #private::StreamArgument,
        ) -> #private::Returned {
            #call
        }
    }
}

//! The call of a launcher: `#[kernel_args(launcher = path)]`.

use super::{field::ParameterField, private_at};
use crate::{
    attr::{Launcher, Stream},
    diagnostics::Diagnostics,
    texts,
};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Ident, Path, ext::IdentExt, spanned::Spanned};

/// Returns the items of the impl of `LauncherArgs`. rustc compares each argument with the function, at its field.
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
    let at_path = private_at(krate, span);
    let name = path.segments.last().map(|last| last.ident.unraw().to_string());
    // Without the braces, rustc's fix for a wrong number of arguments changes the attribute.
    let braced = |argument| quote!({ #argument });
    let mut arguments: Vec<_> = fields.iter().map(|field| braced(field.c_argument())).collect();
    if let Some(place) = place {
        arguments.insert(place, braced(quote_spanned!(span=> #at_path::stream_argument(__stream))));
    }
    let takes_stream = place.is_some();
    // After an error, rustc would report the arguments that are missing.
    let call = if diagnostics.is_empty() {
        let returned = quote_spanned!(span=> #at_path::returned);
        // At the path, but as code of the derive: `#![forbid(unsafe_code)]` in the user's crate does not apply to it.
        let call = quote_spanned!(Span::call_site().located_at(span)=> unsafe { __launcher(#(#arguments),*) });
        quote!({ let __launcher = #path; #returned(#call) })
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

/// Returns whether it is the name of a type that declarations use: `f32`. No other type can have this name there.
pub(crate) fn is_primitive(name: &Ident) -> bool {
    const PRIMITIVE: [&str; 19] = [
        "bool", "char", "f16", "f32", "f64", "f128", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16",
        "u32", "u64", "u128", "usize",
    ];
    PRIMITIVE.contains(&name.to_string().as_str())
}

/// Returns the check of the fields' names, if the function's declaration was compared with its library: then a type has
/// its path. Without one, the name that is imported twice is the empty type of the glob import.
pub(super) fn names(
    Launcher { path, .. }: &Launcher,
    fields: &[ParameterField<'_>],
    erased: &TokenStream,
    krate: &Path,
) -> TokenStream {
    // A path through a type, such as `Self::run`, cannot be imported. `f32` is a type, even if a function has this
    // name.
    let is_type = |name: &Ident| name.unraw().to_string().starts_with(char::is_uppercase);
    if path.segments.iter().rev().skip(1).any(|segment| is_type(&segment.ident))
        || path.segments.last().is_some_and(|last| is_primitive(&last.ident))
    {
        return TokenStream::new();
    }
    let (private, count) = (quote!(#krate::__private), fields.len());
    let each = fields.iter().map(|field| {
        let (at, index) = (private_at(krate, field.span()), field.index);
        quote_spanned!(field.span()=> const _: () = #at::field_is_named(__NAMES, #index);)
    });
    quote! {
        #[allow(unused_imports)]
        const _: () = {
            use #private::{AnyType as _, unchecked::*};
            use #path as __Launcher;
            const __LISTS: #private::NamedFields<#count> =
                #private::named_fields::<#erased, #count>(<#private::Probe<__Launcher>>::KERNEL);
            const __NAMES: &#private::Option<#private::abi::check::Report<'static>> = &#private::compare_names(&__LISTS);
            #(#each)*
        };
    }
}

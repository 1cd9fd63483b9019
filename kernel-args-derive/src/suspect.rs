//! Field types that look as if they had no form on the device.
//!
//! Looks only choose the words of an error: whether a type can be passed is for rustc to decide, so
//! that a user's own type called `Vec` works.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::Type;

/// The module of `kernel_args::__private` whose trait has the fitting words.
pub(crate) fn module(ty: &Type, krate: &TokenStream, span: Span) -> TokenStream {
    let words = syn::Ident::new(kind(ty), span);
    quote_spanned!(span=> #krate::__private::#words)
}

fn kind(ty: &Type) -> &'static str {
    match ty {
        Type::Paren(inner) => kind(&inner.elem),
        Type::Group(inner) => kind(&inner.elem),
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(_) => "sequence",
            Type::Path(path) if last(path) == "str" => "text",
            Type::Path(path) if ["Vec", "Box"].contains(&last(path).as_str()) => "sequence",
            Type::TraitObject(_) => "closure",
            _ => "reference",
        },
        Type::Ptr(_) => "raw_pointer",
        Type::Slice(_) => "sequence",
        Type::Tuple(_) => "tuple",
        Type::FnPtr(_) | Type::ImplTrait(_) | Type::TraitObject(_) | Type::Never(_) => "closure",
        Type::Path(path) => match last(path).as_str() {
            "String" | "CString" | "str" => "text",
            "Vec" | "VecDeque" | "Box" | "Rc" | "Arc" => "sequence",
            "char" => "character",
            "CudaSlice" | "UnifiedSlice" => "owned_slice",
            _ => "plain",
        },
        _ => "plain",
    }
}

fn last(path: &syn::TypePath) -> String {
    path.path
        .segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

//! Field types that look as if they had no form on the device.
//!
//! Looks only choose the words of an error: whether a type can be passed is for rustc to decide, so
//! that a user's own type called `Vec` works.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{GenericArgument, PathArguments, Type};

/// The module of `kernel_args::__private` whose `Arg` has the fitting words.
pub(crate) fn argument(ty: &Type, krate: &TokenStream, span: Span) -> TokenStream {
    module(kind(ty), krate, span)
}

/// The module whose `Member` has the fitting words.
pub(crate) fn member(ty: &Type, krate: &TokenStream, span: Span) -> TokenStream {
    let words = match kind(ty) {
        "reference" | "raw_pointer" | "sequence" | "text" => "host_member",
        words @ ("character" | "tuple" | "closure") => words,
        _ => "member",
    };
    module(words, krate, span)
}

fn module(words: &str, krate: &TokenStream, span: Span) -> TokenStream {
    let words = syn::Ident::new(words, span);
    quote_spanned!(span=> #krate::__private::#words)
}

fn kind(ty: &Type) -> &'static str {
    match ty {
        Type::Paren(inner) => kind(&inner.elem),
        Type::Group(inner) => kind(&inner.elem),
        Type::Array(array) => match kind(&array.elem) {
            "plain" | "optional" | "owned_slice" => "plain",
            words => words,
        },
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(_) => "sequence",
            Type::Path(path) if last(path) == "str" => "text",
            Type::Path(path) if ["Vec", "Box"].contains(&last(path).as_str()) => "sequence",
            Type::Path(path) if DEVICE_MEMORY.contains(&last(path).as_str()) => "device_memory",
            Type::TraitObject(_) => "closure",
            _ => "reference",
        },
        Type::Ptr(_) => "raw_pointer",
        Type::Slice(_) => "sequence",
        Type::Tuple(_) => "tuple",
        Type::FnPtr(_) | Type::ImplTrait(_) | Type::TraitObject(_) | Type::Never(_) => "closure",
        Type::Path(path) => match last(path).as_str() {
            "String" | "CString" | "str" => "text",
            "Box" | "Rc" | "Arc" if holds_trait_object(path) => "closure",
            "Vec" | "VecDeque" | "Box" | "Rc" | "Arc" => "sequence",
            "NonNull" => "raw_pointer",
            "char" => "character",
            "Option" => "optional",
            "CudaSlice" | "UnifiedSlice" => "owned_slice",
            name if DEVICE_MEMORY.contains(&name) => "device_memory",
            _ => "plain",
        },
        _ => "plain",
    }
}

/// cudarc's types for device memory.
const DEVICE_MEMORY: [&str; 6] = [
    "CudaSlice",
    "CudaView",
    "CudaViewMut",
    "UnifiedSlice",
    "UnifiedView",
    "UnifiedViewMut",
];

/// Whether the last segment is as in `Box<dyn Fn()>`.
fn holds_trait_object(path: &syn::TypePath) -> bool {
    let Some(PathArguments::AngleBracketed(arguments)) =
        path.path.segments.last().map(|segment| &segment.arguments)
    else {
        return false;
    };
    matches!(
        arguments.args.first(),
        Some(GenericArgument::Type(Type::TraitObject(_)))
    )
}

/// Whether the type looks like `PhantomData<T>`.
pub(crate) fn is_marker(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if last(path) == "PhantomData")
}

fn last(path: &syn::TypePath) -> String {
    path.path
        .segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

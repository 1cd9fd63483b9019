//! Which error rustc reports for a field's type that cannot be passed to a kernel.
//!
//! The error is chosen by the name of the type. rustc decides whether the type can be passed: a user's own type named
//! `Vec` works.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;
use syn::{GenericArgument, Path, PathArguments, Type, TypeParamBound};

/// Returns the module of `kernel_args::__private` whose trait `Arg` contains the error for an argument of type `ty`.
pub(crate) fn argument(ty: &Type, private: &TokenStream, span: Span) -> TokenStream {
    path(module(ty), private, span)
}

/// Returns the module whose trait `Member` contains the error for a device type's field of type `ty`.
pub(crate) fn member(ty: &Type, private: &TokenStream, span: Span) -> TokenStream {
    let module = match module(ty) {
        "reference" | "raw_pointer" | "sequence" | "text" | "stream" | "array" => "host_member",
        same @ ("character" | "tuple" | "closure" | "device_pointer" | "math" | "padded" | "transformation") => same,
        _ => "member",
    };
    path(module, private, span)
}

/// Returns whether the type looks like device memory of cudarc, or a reference to it.
pub(crate) fn is_memory(ty: &Type) -> bool {
    ["device_memory", "foreign_slice"].contains(&module(ty))
}

pub(crate) fn is_value(ty: &Type) -> bool {
    matches!(ty, Type::Array(_)) || is_number(ty)
}

pub(crate) fn is_option(ty: &Type) -> bool {
    has_name(ty, &["Option"])
}

pub(crate) fn is_integer(ty: &Type) -> bool {
    is_one_of(ty, &INTEGERS)
}

pub(crate) fn is_no_address(ty: &Type) -> bool {
    is_one_of(ty, &["bool", "f32", "f64"])
}

fn is_number(ty: &Type) -> bool {
    is_integer(ty) || is_no_address(ty)
}

pub(crate) fn is_one_of(ty: &Type, names: &[&str]) -> bool {
    matches!(ty, Type::Path(path) if names.iter().any(|name| path.path.is_ident(name)))
}

pub(crate) const INTEGERS: [&str; 12] =
    ["i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize"];

/// Returns the error for device memory: if its elements are numbers, they are a device type.
fn memory(path: &syn::TypePath) -> &'static str {
    if argument_of(path).is_some_and(is_number) { "foreign_slice" } else { "device_memory" }
}

fn path(module: &str, private: &TokenStream, span: Span) -> TokenStream {
    let module = syn::Ident::new(module, span);
    quote_spanned!(span=> #private::#module)
}

fn module(ty: &Type) -> &'static str {
    match ungrouped(ty) {
        Type::Array(array) => match module(&array.elem) {
            "unsupported" | "optional" | "owned_slice" | "slice_owner" => "unsupported",
            element => element,
        },
        Type::Reference(reference) => match &*reference.elem {
            Type::Slice(_) => "sequence",
            inner if has_name(inner, &["CudaStream", "str"]) => module(inner),
            inner if has_name(inner, &["Array"]) => "array",
            Type::Path(path) if owns_slice(path) => "slice_owner",
            inner if has_name(inner, &["Vec", "Box"]) => "sequence",
            Type::Path(path) if is_named(&path.path, &DEVICE_MEMORY) => memory(path),
            Type::TraitObject(object) => trait_object(object),
            Type::Paren(inner) => match &*inner.elem {
                Type::TraitObject(object) => trait_object(object),
                _ => "reference",
            },
            _ => "reference",
        },
        Type::Ptr(_) => "raw_pointer",
        Type::Slice(_) => "sequence",
        Type::Tuple(_) => "tuple",
        Type::FnPtr(_) | Type::ImplTrait(_) | Type::TraitObject(_) | Type::Never(_) => "closure",
        Type::Path(path) => {
            let name = path.path.segments.last().map_or_else(String::new, |last| last.ident.to_string());
            match name.as_str() {
                "String" | "CString" | "str" => "text",
                "Box" | "Rc" | "Arc" if owns_slice(path) => "slice_owner",
                "Box" | "Rc" | "Arc" => match argument_of(path) {
                    Some(Type::TraitObject(object)) => trait_object(object),
                    _ => "sequence",
                },
                "Vec" | "VecDeque" => "sequence",
                "NonNull" => "raw_pointer",
                "CUstream" | "CudaStream" | "Stream" | "cudaStream_t" => "stream",
                "char" => "character",
                name @ ("Option" | "Retained") => match (argument_of(path).map(module), name) {
                    (Some(pointer @ ("device_memory" | "device_pointer" | "foreign_slice")), _) => pointer,
                    (_, "Option") => "optional",
                    _ => "unsupported",
                },
                "DevicePointer" | "DevicePointerMut" => "device_pointer",
                "CudaSlice" | "UnifiedSlice" => "owned_slice",
                name if DEVICE_MEMORY.contains(&name) => memory(path),
                name => of_another_crate(name),
            }
        }
        _ => "unsupported",
    }
}

fn of_another_crate(name: &str) -> &'static str {
    match name {
        "Vec3A" | "Mat3A" | "Mat2" => "padded",
        "f16" | "bf16" | "F8E4M3" | "F8E5M2" | "Complex" | "Quaternion" | "UnitQuaternion" | "Quat" | "DQuat"
        | "OPoint" | "SMatrix" | "SVector" => "math",
        _ if begins(name, &TRANSFORMATIONS) => "transformation",
        _ if begins(name, &VECTORS) => "math",
        _ => "unsupported",
    }
}

fn begins(name: &str, stems: &[&str]) -> bool {
    stems.iter().any(|stem| name.strip_prefix(stem).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())))
}

const VECTORS: [&str; 19] = [
    "Vec",
    "DVec",
    "IVec",
    "UVec",
    "I8Vec",
    "U8Vec",
    "I16Vec",
    "U16Vec",
    "I64Vec",
    "U64Vec",
    "BVec",
    "Mat",
    "DMat",
    "Vector",
    "RowVector",
    "Point",
    "Matrix",
    "ColumnMatrix",
    "RowMatrix",
];

const TRANSFORMATIONS: [&str; 10] = [
    "Affine",
    "DAffine",
    "Isometry",
    "IsometryMatrix",
    "Orthographic",
    "Perspective",
    "Projective",
    "Rotation",
    "Similarity",
    "Transform",
];

const DEVICE_MEMORY: [&str; 6] =
    ["CudaSlice", "CudaView", "CudaViewMut", "UnifiedSlice", "UnifiedView", "UnifiedViewMut"];

/// Returns the first type argument of the last path segment: `dyn Fn()` of `Box<dyn Fn()>`.
fn argument_of(path: &syn::TypePath) -> Option<&Type> {
    let PathArguments::AngleBracketed(arguments) = &path.path.segments.last()?.arguments else {
        return None;
    };
    arguments.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

/// Returns whether the type has the form `Arc<CudaSlice<f32>>`.
fn owns_slice(path: &syn::TypePath) -> bool {
    is_named(&path.path, &["Box", "Rc", "Arc"])
        && argument_of(path).is_some_and(|owned| has_name(owned, &DEVICE_MEMORY))
}

/// Distinguishes cudarc's traits for device memory from traits for host code.
fn trait_object(object: &syn::TypeTraitObject) -> &'static str {
    let is_memory = has_bound(&object.bounds, &["DevicePtr", "DevicePtrMut", "DeviceSlice"]);
    if is_memory { "memory_object" } else { "closure" }
}

/// Returns whether one of the bounds is a trait with one of these names.
pub(crate) fn has_bound<'b>(bounds: impl IntoIterator<Item = &'b TypeParamBound>, names: &[&str]) -> bool {
    let mut bounds = bounds.into_iter();
    bounds.any(|bound| matches!(bound, TypeParamBound::Trait(bound) if is_named(&bound.path, names)))
}

/// Returns whether the last segment of a path is one of these names.
pub(crate) fn is_named(path: &Path, names: &[&str]) -> bool {
    path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
}

fn has_name(ty: &Type, names: &[&str]) -> bool {
    matches!(ty, Type::Path(path) if is_named(&path.path, names))
}

/// Returns a type without the parentheses and invisible groups around it.
pub(crate) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => ungrouped(&inner.elem),
        Type::Group(inner) => ungrouped(&inner.elem),
        ty => ty,
    }
}

pub(crate) fn is_marker(ty: &Type) -> bool {
    has_name(ty, &["PhantomData"])
}

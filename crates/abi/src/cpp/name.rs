//! The names of C++ types: whether two names mean the same type, and the parts of a name.

pub use super::{agree::agree, path::is_inline};

use super::{
    CppBase,
    argument::{Argument, argument_end, integer_or_float, trim},
    builtin::{self, Builtin, canonical},
    path::last,
};
use crate::bytes::{equal, starts_with, utf8};

/// What `cudaStream_t` and `CUstream` point to.
#[doc(hidden)]
pub const STREAM: &str = "CUstream_st";

/// Returns the usual name of an enum of statuses.
#[doc(hidden)]
pub fn status(name: &str) -> Option<&'static str> {
    match name {
        "cudaError" => Some("cudaError_t"),
        "cudaError_enum" => Some("CUresult"),
        _ => None,
    }
}

/// Returns whether two fully spelled names mean the same type: they match, with equally long paths and equally many
/// template arguments.
pub fn same(a: &str, b: &str) -> bool {
    let (left, right) = (a.as_bytes(), b.as_bytes());
    let (mut outer, mut other) = (last(left, left.len()), last(right, right.len()));
    if !agree(a, b) {
        return false;
    }
    loop {
        if outer.arguments.is_empty() != other.arguments.is_empty() {
            return false;
        }
        match (outer.outer(left), other.outer(right)) {
            (Some(a), Some(b)) => (outer, other) = (a, b),
            (None, None) => return true,
            _ => return is_builtin(a),
        }
    }
}

/// Returns whether a name is a built-in vector, half, complex number or tensor map, so it cannot be an enum.
pub(crate) const fn is_builtin(name: &str) -> bool {
    let segment = last(name.as_bytes(), name.len());
    builtin::contains(canonical(segment.name, segment.arguments))
}

/// Returns the built-in type with this name, in any spelling.
#[doc(hidden)]
pub const fn builtin(name: &str) -> Option<&'static Builtin> {
    let segment = last(name.as_bytes(), name.len());
    builtin::find(segment.name, segment.arguments)
}

/// Returns whether a name is a vector of `long`, and the second name the vector of `int` or `long long` that it is on
/// some system. The sizes of both are not compared.
pub(crate) const fn is_vector_of_long(long: &str, other: &str) -> bool {
    let (long, other) = (some!(builtin(long), false), some!(builtin(other), false));
    let is_integer = match long.element.as_bytes() {
        b"CLong" => matches!(other.element.as_bytes(), b"i32" | b"i64"),
        b"CULong" => matches!(other.element.as_bytes(), b"u32" | b"u64"),
        _ => false,
    };
    is_integer && long.components == other.components
}

/// Returns whether a name is `__half`, in any spelling.
pub const fn is_half(name: &str) -> bool {
    agree(name, "__half")
}

/// Returns the number in an atomic: `int` of `cuda::std::__4::atomic<int>`. Otherwise the type itself.
pub(crate) const fn in_atomic(path: &str) -> CppBase<'_> {
    let segment = last(path.as_bytes(), path.len());
    if equal(segment.name, b"atomic") && is_of_library(path) {
        let end = argument_end(segment.arguments, 0);
        if let Argument::Type(number) = Argument::read(trim(segment.arguments, 0, end))
            && !number.shape.is_pointer()
            && let Some(number) = integer_or_float(number.name)
        {
            return number;
        }
    }
    CppBase::Named(path)
}

/// Returns whether a type is from a C++ library of CUDA or from the standard library: Rust has no type of this name.
pub(crate) const fn is_of_library(path: &str) -> bool {
    const LIBRARIES: [&[u8]; 6] = [b"thrust::", b"cuda::", b"cub::", b"std::", b"nvcuda::", b"cooperative_groups::"];
    any!(i < LIBRARIES.len(), starts_with(path.as_bytes(), LIBRARIES[i]))
}

/// Returns a path as users write it: the last segment, if an inline namespace is before it.
pub(crate) const fn visible(path: &str) -> &str {
    let bytes = path.as_bytes();
    let segment = last(bytes, path.len());
    let mut rest = segment.rest;
    while rest > 0 {
        let outer = last(bytes, rest);
        if is_inline(outer.name) {
            return path.split_at(segment.rest + 2).1;
        }
        rest = outer.rest;
    }
    path
}

/// Returns the last segment of a path, without template arguments: `Params` of `sim::Params<float>`.
pub const fn plain(path: &str) -> &str {
    utf8(last(path.as_bytes(), path.len()).name)
}

/// Returns the template arguments of the last segment: `float, 8u` of `sim::Grid<float, 8u>`.
pub(crate) const fn arguments(path: &str) -> &[u8] {
    last(path.as_bytes(), path.len()).arguments
}

/// Returns the path before the last segment, the last segment, and its template arguments: `a::b`, `Params` and `float`
/// of `a::b::Params<float>`.
pub fn split(path: &str) -> (&str, &str, &str) {
    let segment = last(path.as_bytes(), path.len());
    (path.get(..segment.rest).unwrap_or_default(), utf8(segment.name), utf8(segment.arguments))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_type_by_two_names() {
        for (a, b) in [
            ("Params", "sim::Params<float>"),
            ("sim::Params", "app::sim::Params<std::pair<int, ns::T>, 4>"),
            ("Params", "(anonymous namespace)::Params"),
            ("::Params", "Params"),
            ("struct Params", "sim::Params"),
            ("outer<a::b>::Params", "outer<b>::Params"),
            ("float2", "cuComplex"),
            ("float2", "cuFloatComplex"),
            ("cuDoubleComplex", "double2"),
            ("complex<float>", "thrust::complex<float>"),
            ("View<float *const>", "View<float* const>"),
            ("thrust::complex<float>", "cuda::std::__4::complex<float>"),
            ("complex<double>", "double2"),
            ("complex", "thrust::complex<float>"),
            ("CUtensorMap", "CUtensorMap_st"),
            ("half", "__half"),
            ("_Float16", "__half"),
            ("nv_bfloat16", "__nv_bfloat16"),
            ("double4", "double4_16a"),
            #[cfg(not(windows))]
            ("ulonglong2", "ulong2"),
        ] {
            // `complex` without an argument is not one of the vectors, but matches every `complex`.
            assert!(agree(a, b), "{a} {b}");
            assert!(agree(b, a), "{b} {a}");
        }
    }

    #[test]
    fn two_types() {
        for (a, b) in [
            ("Params", "Param"),
            ("Params", "sim::MyParams"),
            ("a::Params", "b::Params"),
            ("x::sim::Params", "y::sim::Params"),
            ("float2", "float4"),
            ("float4", "int4"),
            ("complex<float>", "complex<double>"),
            ("complex<float>", "double2"),
            ("double4_32a", "double4"),
            ("__half", "__nv_bfloat16"),
            ("Params", "std::vector<Params>"),
            ("outer<a::b>::Params", "outer<c>::Params"),
            ("int5", "int4"),
        ] {
            assert!(!agree(a, b), "{a} {b}");
            assert!(!agree(b, a), "{b} {a}");
        }
    }

    #[test]
    fn odd_names_do_not_panic() {
        for name in ["", ":", "::", "<", ">", "<>", "a<", "a>", "()", " ", "a::", "long", "é<é>::é"] {
            assert!(agree(name, name), "{name}");
            let _ = agree(name, "sim::Params<float>");
            let _ = is_builtin(name);
        }
    }

    #[test]
    fn what_is_surely_no_enum() {
        for name in ["float4", "uchar1", "double4_32a", "cuComplex", "__nv_fp8_e4m3", "dim3"] {
            assert!(is_builtin(name), "{name}");
        }
        for name in ["Color", "float5", "int", "ns::Float4"] {
            assert!(!is_builtin(name), "{name}");
        }
    }
}

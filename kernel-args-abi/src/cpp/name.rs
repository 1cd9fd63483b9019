//! Whether two names of C++ types mean the same type.

use super::{
    argument::lists_agree,
    builtin::{self, Builtin, canonical, same_vector},
};

pub(crate) use super::bytes::{equal, starts_with};

/// Whether two names mean one type: the shorter path is the end of the longer, without regard to inline
/// namespaces, and template arguments agree where both have them. `Params` and `sim::Params<float>` agree.
pub const fn agree(a: &str, b: &str) -> bool {
    names_agree(a.as_bytes(), b.as_bytes())
}

pub(super) const fn names_agree(a: &[u8], b: &[u8]) -> bool {
    if equal(a, b) {
        return true;
    }
    let (mut left, mut right) = (last(a, a.len()), last(b, b.len()));
    // `thrust::complex`, `cuda::std::complex`, `std::complex`, `cuda::std::__4::complex`: one layout,
    // but a type for each argument.
    if equal(left.name, b"complex") && equal(right.name, b"complex") {
        return lists_agree(left.arguments, right.arguments);
    }
    let (a_last, b_last) = (
        canonical(left.name, left.arguments),
        canonical(right.name, right.arguments),
    );
    if same_vector(a_last, b_last) {
        return true;
    }
    if !equal(a_last, b_last) || !lists_agree(left.arguments, right.arguments) {
        return false;
    }
    loop {
        let (Some(outer), Some(other)) = (left.outer(a), right.outer(b)) else {
            return true;
        };
        (left, right) = (outer, other);
        if !equal(left.name, right.name) || !lists_agree(left.arguments, right.arguments) {
            return builtin::contains(a_last);
        }
    }
}

/// Whether two names that are spelled out mean one type: they agree, and neither has more of a path or less of
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

/// Whether a namespace is one that libraries and compilers put in for themselves, inline or without a name, so that users
/// do not write it: libcu++'s and libc++'s `__4`, libstdc++'s `__cxx11`, Thrust's and CUB's `THRUST_300001_SM_900_NS`.
pub const fn is_inline(namespace: &[u8]) -> bool {
    let mut digits = namespace.len();
    while digits > 0 && namespace[digits - 1].is_ascii_digit() {
        digits -= 1;
    }
    let before = namespace.split_at(digits).0;
    let is_library = starts_with(namespace, b"THRUST_") || starts_with(namespace, b"CUB_");
    digits < namespace.len() && matches!(before, b"__" | b"_V" | b"__cxx" | b"__ndk")
        || starts_with(namespace, b"_GLOBAL__N_")
        || equal(namespace, b"(anonymous namespace)")
        || is_library && matches!(namespace.split_at(namespace.len() - 3).1, b"_NS")
}

/// Whether a name is a built-in vector, half, complex number or tensor map: surely no enum.
pub(crate) const fn is_builtin(name: &str) -> bool {
    let segment = last(name.as_bytes(), name.len());
    builtin::contains(canonical(segment.name, segment.arguments))
}

/// The built-in type that a name means, by any of its spellings.
#[doc(hidden)]
#[must_use]
pub const fn builtin(name: &str) -> Option<&'static Builtin> {
    let segment = last(name.as_bytes(), name.len());
    builtin::find(segment.name, segment.arguments)
}

/// Whether a name is `__half`, by any of its spellings.
pub const fn is_half(name: &str) -> bool {
    agree(name, "__half")
}

/// Whether a name is `__nv_bfloat16`, by any of its spellings.
pub(crate) const fn is_bfloat16(name: &str) -> bool {
    agree(name, "__nv_bfloat16")
}

/// The last segment of a path, without template arguments: `Params` of `sim::Params<float>`.
pub const fn plain(path: &str) -> &str {
    match core::str::from_utf8(last(path.as_bytes(), path.len()).name) {
        Ok(name) => name,
        Err(_) => path,
    }
}

/// The path before the last segment of a path, that segment, and its template arguments: `a::b`, `Params` and `float` of
/// `a::b::Params<float>`.
pub fn split(path: &str) -> (&str, &str, &str) {
    let segment = last(path.as_bytes(), path.len());
    let text = |bytes| core::str::from_utf8(bytes).unwrap_or_default();
    let before = path.get(..segment.rest).unwrap_or_default();
    (before, text(segment.name), text(segment.arguments))
}

/// A segment of a path: `Params` and `float` of `sim::Params<float>`.
#[derive(Clone, Copy)]
struct Segment<'a> {
    name: &'a [u8],
    arguments: &'a [u8],
    /// Where the path before it ends; 0 where there is none.
    rest: usize,
}

impl<'a> Segment<'a> {
    /// The segment before this one in `path`, without inline namespaces.
    const fn outer(&self, path: &'a [u8]) -> Option<Self> {
        let mut rest = self.rest;
        while rest > 0 {
            let segment = last(path, rest);
            if !is_inline(segment.name) {
                return if segment.name.is_empty() {
                    None
                } else {
                    Some(segment)
                };
            }
            rest = segment.rest;
        }
        None
    }
}

/// The last segment of the path that ends at `end`. Brackets are skipped whole.
const fn last(path: &[u8], end: usize) -> Segment<'_> {
    let mut end = end;
    while end > 0 && path[end - 1] == b' ' {
        end -= 1;
    }
    let mut depth = 0usize;
    let mut name_end = end;
    let mut at = end;
    while at > 0 {
        match path[at - 1] {
            b'>' | b')' => depth += 1,
            b'<' | b'(' => {
                depth = depth.saturating_sub(1);
                if depth == 0 && path[at - 1] == b'<' {
                    name_end = at - 1;
                }
            }
            b':' if depth == 0 => break,
            // An elaborated name: `struct Params`.
            b' ' if depth == 0 => {
                return Segment {
                    name: cut(path, at, name_end),
                    arguments: arguments(path, name_end, end),
                    rest: 0,
                };
            }
            _ => {}
        }
        at -= 1;
    }
    Segment {
        name: cut(path, at, name_end),
        arguments: arguments(path, name_end, end),
        rest: at.saturating_sub(2),
    }
}

const fn arguments(path: &[u8], open: usize, end: usize) -> &[u8] {
    if open + 1 < end {
        cut(path, open + 1, end - 1)
    } else {
        &[]
    }
}

const fn cut(path: &[u8], from: usize, to: usize) -> &[u8] {
    if from <= to && to <= path.len() {
        path.split_at(to).0.split_at(from).1
    } else {
        &[]
    }
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
            // `complex` without argument is none of the vectors, but every `complex`.
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
        for name in [
            "",
            ":",
            "::",
            "<",
            ">",
            "<>",
            "a<",
            "a>",
            "()",
            " ",
            "a::",
            "long",
            "é<é>::é",
        ] {
            assert!(agree(name, name), "{name}");
            let _ = agree(name, "sim::Params<float>");
            let _ = is_builtin(name);
        }
    }

    #[test]
    fn what_is_surely_no_enum() {
        for name in [
            "float4",
            "uchar1",
            "double4_32a",
            "cuComplex",
            "__nv_fp8_e4m3",
            "dim3",
        ] {
            assert!(is_builtin(name), "{name}");
        }
        for name in ["Color", "float5", "int", "ns::Float4"] {
            assert!(!is_builtin(name), "{name}");
        }
    }
}

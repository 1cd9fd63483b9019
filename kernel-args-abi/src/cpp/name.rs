//! Whether two names of C++ types mean the same type.

use super::builtin::{self, Builtin, canonical, same_vector};

pub(crate) use super::bytes::{equal, starts_with};

/// Whether two names mean one type: the last segments are equal without their template arguments, and
/// the shorter path is the end of the longer. `Params` and `sim::Params<float>` agree.
pub(crate) const fn agree(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if equal(a, b) {
        return true;
    }
    let (mut left, mut right) = (last(a, a.len()), last(b, b.len()));
    // `thrust::complex`, `cuda::std::complex`, `std::complex`, `cuda::std::__4::complex`: one layout,
    // but a type for each argument.
    if equal(left.name, b"complex") && equal(right.name, b"complex") {
        return left.arguments.is_empty()
            || right.arguments.is_empty()
            || equal(left.arguments, right.arguments);
    }
    let (a_last, b_last) = (
        canonical(left.name, left.arguments),
        canonical(right.name, right.arguments),
    );
    if same_vector(a_last, b_last) {
        return true;
    }
    if !equal(a_last, b_last) {
        return false;
    }
    loop {
        if left.rest == 0 || right.rest == 0 {
            return true;
        }
        left = last(a, left.rest);
        right = last(b, right.rest);
        if !equal(left.name, right.name) {
            return builtin::contains(a_last);
        }
    }
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
pub(crate) const fn is_half(name: &str) -> bool {
    agree(name, "__half")
}

/// Whether a name is `__nv_bfloat16`, by any of its spellings.
pub(crate) const fn is_bfloat16(name: &str) -> bool {
    agree(name, "__nv_bfloat16")
}

/// The last segment of a path, without template arguments: `Params` of `sim::Params<float>`.
pub(crate) const fn plain(path: &str) -> &str {
    match core::str::from_utf8(last(path.as_bytes(), path.len()).name) {
        Ok(name) => name,
        Err(_) => path,
    }
}

/// A segment of a path: `Params` and `float` of `sim::Params<float>`.
#[derive(Clone, Copy)]
struct Segment<'a> {
    name: &'a [u8],
    arguments: &'a [u8],
    /// Where the path before it ends; 0 where there is none.
    rest: usize,
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
            ("outer<a::b>::Params", "outer<c>::Params"),
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

//! Whether two names of C++ types mean the same type.

/// Types of one meaning and one layout, the usual name last. A plain name: no path, no arguments.
///
/// `cuComplex` is a typedef of `float2`, which is what a mangled name says. `double4_16a` has the layout
/// that `double4` had before CUDA 13 named both. CUDA C++ Programming Guide, "Built-in Vector Types".
const ALIASES: &[(&str, &str)] = &[
    ("cuFloatComplex", "float2"),
    ("cuComplex", "float2"),
    ("cuDoubleComplex", "double2"),
    ("half", "__half"),
    ("_Float16", "__half"),
    ("half2", "__half2"),
    ("nv_bfloat16", "__nv_bfloat16"),
    ("__bf16", "__nv_bfloat16"),
    ("nv_bfloat162", "__nv_bfloat162"),
    ("CUtensorMap_st", "CUtensorMap"),
    ("double4_16a", "double4"),
    ("long4_16a", "long4"),
    ("ulong4_16a", "ulong4"),
    ("longlong4_16a", "longlong4"),
    ("ulonglong4_16a", "ulonglong4"),
];

/// The `complex` templates' instances, by their argument. Real part, then imaginary part, aligned as
/// the vector is.
const COMPLEX: &[(&str, &str)] = &[
    ("float", "float2"),
    ("double", "double2"),
    ("__half", "__half2"),
    ("half", "__half2"),
];

/// The built-in vectors' element types. `long` is 32 bits where the kernel was compiled on Windows.
const VECTORS: &[(&str, &str)] = &[
    ("char", "char"),
    ("uchar", "uchar"),
    ("short", "short"),
    ("ushort", "ushort"),
    ("int", "int"),
    ("uint", "uint"),
    ("long", if cfg!(windows) { "int" } else { "longlong" }),
    ("ulong", if cfg!(windows) { "uint" } else { "ulonglong" }),
    ("longlong", "longlong"),
    ("ulonglong", "ulonglong"),
    ("float", "float"),
    ("double", "double"),
];

/// Built-in types that are neither vectors nor enums.
const OTHERS: &[&str] = &[
    "dim3",
    "complex",
    "CUtensorMap",
    "__half",
    "__half2",
    "__nv_bfloat16",
    "__nv_bfloat162",
];

/// Whether two names mean one type: the last segments are equal without their template arguments, and
/// the shorter path is the end of the longer. `Params` and `sim::Params<float>` agree.
pub(super) const fn agree(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let (mut left, mut right) = (last(a, a.len()), last(b, b.len()));
    let (a_last, b_last) = (canonical(left), canonical(right));
    if same_vector(a_last, b_last) {
        return true;
    }
    if !equal(a_last, b_last) {
        return false;
    }
    // `thrust::complex`, `cuda::std::complex`, `std::complex`, `cuda::std::__4::complex`: one layout,
    // but a type for each argument.
    if equal(a_last, b"complex") {
        return left.arguments.is_empty()
            || right.arguments.is_empty()
            || equal(left.arguments, right.arguments);
    }
    loop {
        if left.rest == 0 || right.rest == 0 {
            return true;
        }
        left = last(a, left.rest);
        right = last(b, right.rest);
        if !equal(left.name, right.name) {
            return is_builtin_bytes(a_last);
        }
    }
}

/// Whether a name is a built-in vector, half, complex number or tensor map: surely no enum.
pub(super) const fn is_builtin(name: &str) -> bool {
    let name = name.as_bytes();
    is_builtin_bytes(canonical(last(name, name.len())))
}

/// Whether a name is `__half`, by any of its spellings.
pub(super) const fn is_half(name: &str) -> bool {
    agree(name, "__half")
}

/// Whether a name is `__nv_bfloat16`, by any of its spellings.
pub(super) const fn is_bfloat16(name: &str) -> bool {
    agree(name, "__nv_bfloat16")
}

/// Whether a name is `CUtensorMap`.
pub(super) const fn is_tensor_map(name: &str) -> bool {
    agree(name, "CUtensorMap")
}

/// The last segment of a path, without template arguments: `Params` of `sim::Params<float>`.
pub(super) const fn plain(path: &str) -> &str {
    match core::str::from_utf8(last(path.as_bytes(), path.len()).name) {
        Ok(name) => name,
        Err(_) => path,
    }
}

const fn is_builtin_bytes(name: &[u8]) -> bool {
    vector(name).is_some() || starts_with(name, b"__nv_fp") || {
        let mut i = 0;
        while i < OTHERS.len() && !equal(name, OTHERS[i].as_bytes()) {
            i += 1;
        }
        i < OTHERS.len()
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

/// The usual name of a type that has several.
const fn canonical(segment: Segment<'_>) -> &[u8] {
    if equal(segment.name, b"complex") && !segment.arguments.is_empty() {
        let found = look_up(COMPLEX, segment.arguments);
        if !found.is_empty() {
            return found;
        }
    }
    let found = look_up(ALIASES, segment.name);
    if found.is_empty() {
        segment.name
    } else {
        found
    }
}

const fn look_up(table: &[(&str, &'static str)], name: &[u8]) -> &'static [u8] {
    let mut i = 0;
    while i < table.len() {
        if equal(table[i].0.as_bytes(), name) {
            return table[i].1.as_bytes();
        }
        i += 1;
    }
    &[]
}

/// Element type, and the rest of the name (`4`, `4_32a`), of a built-in vector.
const fn vector(name: &[u8]) -> Option<(&'static [u8], &[u8])> {
    let mut letters = 0;
    while letters < name.len() && name[letters].is_ascii_lowercase() {
        letters += 1;
    }
    let (element, count) = name.split_at(letters);
    let plain = count.len() == 1 || count.len() == 5 && equal(count.split_at(1).1, b"_32a");
    if !plain || !matches!(count[0], b'1'..=b'4') {
        return None;
    }
    let element = look_up(VECTORS, element);
    if element.is_empty() {
        None
    } else {
        Some((element, count))
    }
}

const fn same_vector(a: &[u8], b: &[u8]) -> bool {
    match (vector(a), vector(b)) {
        (Some((a, m)), Some((b, n))) => equal(a, b) && equal(m, n),
        _ => false,
    }
}

pub(super) const fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && starts_with(a, b)
}

const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    if text.len() < start.len() {
        return false;
    }
    let mut i = 0;
    while i < start.len() {
        if text[i] != start[i] {
            return false;
        }
        i += 1;
    }
    true
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

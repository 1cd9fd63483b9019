//! CUDA's built-in types by name, and their other names.

use super::name::{equal, starts_with};

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

/// Whether a plain name is a built-in type of CUDA: surely no enum.
pub(super) const fn contains(name: &[u8]) -> bool {
    vector(name).is_some() || starts_with(name, b"__nv_fp") || {
        let mut i = 0;
        while i < OTHERS.len() && !equal(name, OTHERS[i].as_bytes()) {
            i += 1;
        }
        i < OTHERS.len()
    }
}

/// The usual name of a type that has several.
pub(super) const fn canonical<'a>(name: &'a [u8], arguments: &[u8]) -> &'a [u8] {
    if equal(name, b"complex") {
        let found = look_up(COMPLEX, arguments);
        if !found.is_empty() {
            return found;
        }
    }
    let found = look_up(ALIASES, name);
    if found.is_empty() { name } else { found }
}

const fn look_up(table: &[(&str, &'static str)], name: &[u8]) -> &'static [u8] {
    let mut i = 0;
    while i < table.len() {
        let key = table[i].0.as_bytes();
        if key.len() == name.len() && key[0] == name[0] && equal(key, name) {
            return table[i].1.as_bytes();
        }
        i += 1;
    }
    &[]
}

/// Element type, and the rest of the name (`4`, `4_32a`), of a built-in vector.
const fn vector(name: &[u8]) -> Option<(&'static [u8], &[u8])> {
    if !matches!(name.last(), Some(b'1'..=b'4' | b'a')) {
        return None;
    }
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

/// Whether two names are the same built-in vector.
pub(super) const fn same_vector(a: &[u8], b: &[u8]) -> bool {
    match (vector(a), vector(b)) {
        (Some((a, m)), Some((b, n))) => equal(a, b) && equal(m, n),
        _ => false,
    }
}

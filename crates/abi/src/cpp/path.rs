//! The segments of a C++ name.

use crate::bytes::{equal, find, starts_with};

/// Returns whether a namespace is inline or unnamed, so users do not write it: `__4` in libcu++ and libc++, `__cxx11`
/// in libstdc++, `THRUST_300001_SM_900_NS` and `CUB_300001_SM_900` in Thrust and CUB.
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
        || is_library
            && (matches!(namespace.split_at(namespace.len() - 3).1, b"_NS") || find(namespace, b"_SM_").is_some())
}

/// A segment of a path: `Params` and `float` of `sim::Params<float>`.
#[derive(Clone, Copy)]
pub(super) struct Segment<'a> {
    pub(super) name: &'a [u8],
    pub(super) arguments: &'a [u8],
    pub(super) rest: usize,
}

impl<'a> Segment<'a> {
    pub(super) const fn outer(&self, path: &'a [u8]) -> Option<Self> {
        let mut rest = self.rest;
        while rest > 0 {
            let segment = last(path, rest);
            if !is_inline(segment.name) {
                return if segment.name.is_empty() { None } else { Some(segment) };
            }
            rest = segment.rest;
        }
        None
    }
}

/// Returns the last segment of the path that ends at `end`. Brackets are skipped with their content.
pub(super) const fn last(path: &[u8], mut end: usize) -> Segment<'_> {
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
            b':' | b' ' if depth == 0 => break,
            _ => {}
        }
        at -= 1;
    }
    // An elaborated name: `struct Params`.
    let is_elaborated = at > 0 && path[at - 1] == b' ';
    Segment {
        name: cut(path, at, name_end),
        arguments: if name_end + 1 < end { cut(path, name_end + 1, end - 1) } else { &[] },
        rest: if is_elaborated { 0 } else { at.saturating_sub(2) },
    }
}

const fn cut(path: &[u8], from: usize, to: usize) -> &[u8] {
    if from <= to && to <= path.len() { path.split_at(to).0.split_at(from).1 } else { &[] }
}

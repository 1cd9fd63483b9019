//! Comparison of bytes and texts, for `const fn`s.

/// Whether two texts are equal.
pub(crate) const fn same(a: &str, b: &str) -> bool {
    equal(a.as_bytes(), b.as_bytes())
}

pub(crate) const fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && starts_with(a, b)
}

pub(crate) const fn starts_with(text: &[u8], start: &[u8]) -> bool {
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

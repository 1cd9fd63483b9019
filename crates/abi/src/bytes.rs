//! Comparisons, for `const fn`s.

pub(crate) const fn same(a: &str, b: &str) -> bool {
    equal(a.as_bytes(), b.as_bytes())
}

pub(crate) const fn equal(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && starts_with(a, b)
}

pub(crate) const fn starts_with(text: &[u8], start: &[u8]) -> bool {
    text.len() >= start.len() && !any!(i < start.len(), text[i] != start[i])
}

pub(crate) const fn ends_with(text: &[u8], end: &[u8]) -> bool {
    text.len() >= end.len() && starts_with(text.split_at(text.len() - end.len()).1, end)
}

pub(crate) const fn is_equal(a: Option<usize>, b: Option<usize>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b,
        (None, None) => true,
        _ => false,
    }
}

pub(crate) const fn smaller(a: usize, b: usize) -> usize {
    if a < b { a } else { b }
}

pub(crate) const fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        if starts_with(text.split_at(at).1, part) {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Returns the text, or an empty text if it is not UTF-8.
pub(crate) const fn utf8(bytes: &[u8]) -> &str {
    match core::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => "",
    }
}

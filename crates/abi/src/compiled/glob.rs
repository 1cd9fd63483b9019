//! Patterns for names.

/// Returns whether `pattern` matches all of `text`, as in `entries = "u*_f32"`: `*` matches any characters, `?` matches
/// one byte.
pub const fn matches_pattern(pattern: &str, text: &str) -> bool {
    matches(pattern.as_bytes(), b"", text.as_bytes(), 0, text.len())
}

/// Returns whether `pattern` matches all of a text that ends with `suffix`. The text is `bytes[start..end]`: slicing
/// would add a call.
pub(super) const fn matches(pattern: &[u8], suffix: &[u8], bytes: &[u8], start: usize, end: usize) -> bool {
    matches_from(pattern, suffix, bytes, start, end, false)
}

/// [`matches`]; with `is_anywhere`, as with a `*` before and after the pattern.
pub(super) const fn matches_from(
    pattern: &[u8],
    suffix: &[u8],
    bytes: &[u8],
    start: usize,
    end: usize,
    is_anywhere: bool,
) -> bool {
    let mut i = 0;
    if suffix.len() > end - start {
        return false;
    }
    while i < suffix.len() {
        i += 1;
        if suffix[suffix.len() - i] != bytes[end - i] {
            return false;
        }
    }
    let (mut p, mut t) = (0, start);
    // After the last `*`, one character further each time.
    let mut retry = if is_anywhere { Some((0, start)) } else { None };
    loop {
        if p < pattern.len() && pattern[p] == b'*' {
            p += 1;
            retry = Some((p, t));
        } else if t < end && p < pattern.len() && (pattern[p] == b'?' || pattern[p] == bytes[t]) {
            p += 1;
            t += 1;
        } else if p == pattern.len() && (t == end || is_anywhere) {
            return true;
        } else {
            match retry {
                Some((behind, at)) if at < end => {
                    retry = Some((behind, at + 1));
                    (p, t) = (behind, at + 1);
                }
                _ => return false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::matches;
    use proptest::prelude::*;
    use std::string::String;

    /// Returns the definition of a pattern, without optimizations.
    fn slowly(pattern: &[u8], text: &[u8]) -> bool {
        match (pattern, text) {
            ([], []) => true,
            ([b'*', rest @ ..], _) => (0..=text.len()).any(|skipped| slowly(rest, &text[skipped..])),
            ([p, rest @ ..], [t, after @ ..]) => (*p == b'?' || p == t) && slowly(rest, after),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn a_pattern_matches_by_its_definition(
            pattern in "[ab*?]{0,8}", suffix in "[ab]{0,2}", text in "[ab]{0,10}", before in "[ab]{0,2}", after in "[ab]{0,2}"
        ) {
            let whole = before.clone() + &text + &after;
            let found = matches(
                pattern.as_bytes(), suffix.as_bytes(), whole.as_bytes(), before.len(), before.len() + text.len(),
            );
            prop_assert_eq!(found, slowly(pattern.as_bytes(), text.as_bytes()) && text.ends_with(&suffix));
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern: String = "a*".repeat(40) + "b";
        let text = "a".repeat(2000);
        assert!(!matches(pattern.as_bytes(), b"", text.as_bytes(), 0, text.len()));
    }
}

//! Patterns of names: `*` stands for any characters, `?` for one.

/// Whether `text` is what `pattern` describes.
pub(super) const fn matches(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // Where to go on when what follows the last `*` does not fit: behind that `*`, and one character further.
    let mut retry = None;
    loop {
        if p < pattern.len() && pattern[p] == b'*' {
            p += 1;
            retry = Some((p, t));
        } else if t < text.len()
            && p < pattern.len()
            && (pattern[p] == b'?' || pattern[p] == text[t])
        {
            p += 1;
            t += 1;
        } else if t == text.len() && p == pattern.len() {
            return true;
        } else {
            match retry {
                Some((behind, at)) if at < text.len() => {
                    retry = Some((behind, at + 1));
                    (p, t) = (behind, at + 1);
                }
                _ => return false,
            }
        }
    }
}

/// Whether `text` ends with `end`.
pub(super) const fn ends_with(text: &[u8], end: &[u8]) -> bool {
    match text.len().checked_sub(end.len()) {
        Some(start) => crate::cpp::equal(text.split_at(start).1, end),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{ends_with, matches};
    use proptest::prelude::*;
    use std::string::String;

    /// By the definition.
    fn slowly(pattern: &[u8], text: &[u8]) -> bool {
        match (pattern, text) {
            ([], []) => true,
            ([b'*', rest @ ..], _) => {
                (0..=text.len()).any(|skipped| slowly(rest, &text[skipped..]))
            }
            ([p, rest @ ..], [t, after @ ..]) => (*p == b'?' || p == t) && slowly(rest, after),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn a_pattern_matches_by_its_definition(pattern in "[ab*?]{0,8}", text in "[ab]{0,10}") {
            let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
            prop_assert_eq!(matches(pattern, text), slowly(pattern, text));
        }

        #[test]
        fn a_suffix_is_a_suffix(text in "[ab]{0,6}", end in "[ab]{0,3}") {
            prop_assert_eq!(ends_with(text.as_bytes(), end.as_bytes()), text.ends_with(&end));
        }
    }

    #[test]
    fn many_stars_take_no_exponential_time() {
        let pattern: String = "a*".repeat(40) + "b";
        assert!(!matches(pattern.as_bytes(), "a".repeat(2000).as_bytes()));
    }
}

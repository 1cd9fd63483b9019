//! Alternatives in a pattern: `u{neg,exp}_*` is `uneg_*` and `uexp_*`.

/// Returns the patterns without alternatives. Braces with a parenthesis or without a comma are part of a C++ name:
/// `{lambda(int, float)#1}`.
pub(super) fn expand(pattern: &str) -> Vec<String> {
    for (open, _) in pattern.match_indices('{') {
        let (before, rest) = pattern.split_at(open);
        if let Some((inside, after)) = group(rest) {
            return inside.into_iter().flat_map(|inside| expand(&format!("{before}{inside}{after}"))).collect();
        }
    }
    vec![pattern.to_owned()]
}

fn group(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut depth, mut start, mut parts) = (0, 1, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '(' => return None,
            '{' => depth += 1,
            ',' if depth == 1 => {
                parts.push(text.get(start..at)?);
                start = at + 1;
            }
            '}' => {
                depth -= 1;
                if depth == 0 {
                    let last = text.get(start..at)?;
                    return (!parts.is_empty()).then(|| (parts.into_iter().chain([last]).collect(), &text[at + 1..]));
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::expand;

    #[test]
    fn alternatives_become_patterns() {
        for (pattern, expected) in [
            ("u*", &["u*"][..]),
            ("u{neg,exp}_*", &["uneg_*", "uexp_*"]),
            ("{a,b}{c,}", &["ac", "a", "bc", "b"]),
            ("x{a,b{c,d}}", &["xa", "xbc", "xbd"]),
            ("f<{lambda(int, float)#1}>", &["f<{lambda(int, float)#1}>"]),
            ("{one}", &["{one}"]),
            ("{a,b", &["{a,b"]),
            ("a}", &["a}"]),
        ] {
            assert_eq!(expand(pattern), expected, "{pattern}");
        }
    }
}

//! The kernels for a pattern without a match.

use super::{kernel::CompiledKernel, set::CompiledKernels};

/// The number of similar names in a message.
const COUNT: usize = 3;

impl CompiledKernels {
    /// The indices of the kernels whose names are most similar to `pattern` and `suffix`, best first, then the other
    /// kernels.
    #[doc(hidden)]
    pub const fn nearest(&self, pattern: &str, suffix: &str) -> [Option<usize>; COUNT] {
        let (mut best, mut scores) = ([None; COUNT], [0; COUNT]);
        let mut i = 0;
        while let Some(kernel) = self.get(i) {
            let mut score = 1 + alike(&kernel, pattern, suffix);
            let mut index = Some(i);
            let mut place = 0;
            while place < COUNT {
                if score > scores[place] {
                    (best[place], index) = (index, best[place]);
                    (scores[place], score) = (score, scores[place]);
                }
                place += 1;
            }
            i += 1;
        }
        best
    }
}

/// The similarity of a kernel's unqualified name: equal characters at both ends, plus a bonus if only the suffix
/// differs, or if a part matches. For `axpy<*>`, `saxpy<float>` is first, then `saxpy`.
const fn alike(kernel: &CompiledKernel, pattern: &str, suffix: &str) -> usize {
    let names = kernel.names();
    let (name, from, to) = (names.bytes(), names.unqualified, names.end);
    let stem = stem(pattern.as_bytes());
    let pattern_matches = if kernel.matches(pattern, "") || names.match_part(pattern.as_bytes()) {
        pattern.len()
    } else if stem.len() > 1 && names.match_part(stem) {
        stem.len()
    } else {
        0
    };
    let (pattern, suffix) = (pattern.as_bytes(), suffix.as_bytes());
    let (mut start, mut end) = (0, 0);
    while from + start < to && start < pattern.len() && name[from + start] == pattern[start] {
        start += 1;
    }
    let last = if suffix.is_empty() { pattern } else { suffix };
    while end < to - from && end < last.len() && name[to - 1 - end] == last[last.len() - 1 - end] {
        end += 1;
    }
    2 * pattern_matches + start + end
}

/// The pattern without its namespace and its template arguments.
const fn stem(pattern: &[u8]) -> &[u8] {
    let (mut start, mut end) = (0, 0);
    while end < pattern.len() && pattern[end] != b'<' {
        end += 1;
        if pattern[end - 1] == b':' {
            start = end;
        }
    }
    pattern.split_at(end).0.split_at(start).1
}

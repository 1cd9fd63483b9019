//! The length of sentences in documents and in the documentation of Rust files.

use crate::code::WITH_CUDARC;

/// The most words of a sentence.
const MOST: usize = 35;

/// The sentences that are too long: a line for each. A sentence ends with `.`, `!`, `?` or `;`, or with its paragraph,
/// list item or table.
pub(crate) fn long(file: &str, text: &str) -> Vec<String> {
    let (mut problems, mut paragraph, mut is_code) = (Vec::new(), String::new(), false);
    let is_rust = crate::is_rust(file);
    for line in text.lines().chain([""]) {
        let line = line.trim_start();
        let line = if is_rust {
            let documentation =
                line.strip_prefix("///").or(line.strip_prefix("//!")).or(line.strip_prefix(WITH_CUDARC));
            if documentation.is_none() {
                is_code = false;
            }
            documentation.unwrap_or_default().trim_start()
        } else {
            line
        };
        let is_fence = line.starts_with("```");
        is_code ^= is_fence;
        let is_text = !is_code && !is_fence && !line.starts_with(['|', '#']);
        let is_item = line.starts_with("- ") || line.starts_with("* ");
        if !is_text || is_item || line.is_empty() {
            problems.extend(sentences(&paragraph).map(|sentence| format!("{file}: {sentence}")));
            paragraph.clear();
        }
        if is_text {
            paragraph += line.trim_start_matches(['-', '*']);
            paragraph.push(' ');
        }
    }
    problems
}

fn sentences(paragraph: &str) -> impl Iterator<Item = String> {
    let mut sentences = vec![Vec::new()];
    for word in paragraph.split_whitespace() {
        if let Some(last) = sentences.last_mut() {
            last.push(word);
        }
        if word.ends_with(['.', '!', '?', ';']) {
            sentences.push(Vec::new());
        }
    }
    let long = sentences.into_iter().filter(|words| words.len() > MOST);
    long.map(|words| format!("{} words: {}", words.len(), words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::long;

    #[test]
    fn a_sentence_of_36_words_is_reported() {
        let (right, wrong) = ("word ".repeat(34) + "end.", "word ".repeat(35) + "end.");
        let text = format!("{right}\n{right}\n\n- {right}\n- a\n\n```\n{wrong}\n```\n\n| {wrong} |\n\n{wrong}\n");
        assert_eq!(long("a.md", &text).len(), 1);
        let rust =
            format!("/// {right}\n/// {}\nfn f() {{}} // {wrong}\n//! {}\n", "and ".repeat(20), "or ".repeat(30));
        assert_eq!(long("a.rs", &rust), [] as [String; 0]);
        let rust = format!("    /// {}\n    /// {}\n", "and ".repeat(20), "or ".repeat(16));
        assert_eq!(long("a.rs", &rust).len(), 1);
    }
}

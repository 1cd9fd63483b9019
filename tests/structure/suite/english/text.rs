//! The comments of sources and the texts of documents.

use super::Word;
use std::path::Path;

fn extension(file: &str) -> &str {
    Path::new(file).extension().and_then(|extension| extension.to_str()).unwrap_or_default()
}

/// Whether a file contains text that this module can read.
pub(crate) fn is_text(file: &str) -> bool {
    matches!(extension(file), "rs" | "cu" | "cuh" | "c" | "h" | "md" | "py" | "toml" | "yml" | "yaml")
}

/// The words of a file's comments or text, without code.
pub(super) fn words(file: &str, content: &str) -> Vec<Word> {
    let lines = match extension(file) {
        "md" => content.lines().map(|line| Some(line.to_owned())).collect(),
        "py" | "toml" | "yml" | "yaml" => hash_comments(content),
        _ if is_text(file) => slash_comments(content),
        _ => Vec::new(),
    };
    let (mut words, mut is_code, mut is_fenced): (Vec<Word>, _, _) = (Vec::new(), false, false);
    for (number, text) in (1..).zip(lines) {
        let text = text.unwrap_or_default();
        if text.trim().is_empty() || text.starts_with('|') {
            is_code = false;
            words.iter_mut().next_back().into_iter().for_each(|word| word.ends_clause = true);
        }
        if text.trim_start().starts_with("```") {
            is_fenced = !is_fenced;
        } else if !is_fenced {
            let mut prose = String::new();
            for character in text.chars() {
                if character == '`' {
                    is_code = !is_code;
                }
                prose.push(if is_code { '`' } else { character });
            }
            words.extend(prose.split_whitespace().map(|word| Word {
                line: number,
                text: word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase(),
                ends_clause: word.ends_with(['.', ',', ';', ':', ')', '|']),
            }));
        }
    }
    words
}

/// The comment of each line: `#`, a docstring, or a package's description.
fn hash_comments(content: &str) -> Vec<Option<String>> {
    let mut is_docstring = false;
    let comment = |line: &str| {
        let was_docstring = is_docstring;
        is_docstring ^= line.matches("\"\"\"").count() % 2 == 1;
        let starts = line.trim_start().starts_with("\"\"\"") || line.starts_with("description");
        if was_docstring || starts {
            return Some(line.to_owned());
        }
        let hash = line.find('#').filter(|at| line[..*at].trim_end().len() < *at || *at == 0)?;
        Some(line[hash + 1..].to_owned())
    };
    content.lines().map(comment).collect()
}

/// The comment of each line: `//`, outside of strings.
fn slash_comments(content: &str) -> Vec<Option<String>> {
    let comment = |line: &str| {
        let starts = line.match_indices("//").map(|(at, _)| line.split_at(at));
        let mut starts = starts.filter(|(code, _)| code.replace("\\\"", "").matches('"').count() % 2 == 0);
        let (_, comment) = starts.next()?;
        Some(comment.trim_start_matches(['/', '!', ' ']).to_owned())
    };
    content.lines().map(comment).collect()
}

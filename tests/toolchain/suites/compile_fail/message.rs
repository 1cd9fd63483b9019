//! Removes text that depends on the machine, and line numbers of other files, from messages.
//!
//! Paths begin with `$WORKSPACE`, `$CARGO` or `$RUST`. Lines of files other than the program have no number, and the
//! margin has the width of the program's own line numbers.

use serde_json::Value;
use std::path::Path;

/// The folders in messages.
pub(crate) struct Places<'p> {
    /// The repository.
    pub(crate) workspace: &'p Path,
    /// The folder for the relative path of a case.
    pub(crate) cases: &'p Path,
    /// The path of the case.
    pub(crate) case: &'p str,
    /// The folder of the package, for the macros.
    pub(crate) package: &'p Path,
}

/// All messages of a program.
pub(crate) fn all(messages: &[Value], places: &Places<'_>) -> String {
    let rendered = messages.iter().filter(|message| !is_summary(message));
    let texts = rendered.filter_map(|message| message["rendered"].as_str());
    let texts: Vec<String> = texts.map(|text| unindented(&one(text, places))).collect();
    texts.join("\n")
}

/// Whether a message only summarizes other messages.
fn is_summary(message: &Value) -> bool {
    let text = message["message"].as_str().unwrap_or_default();
    message["level"] == "failure-note"
        || text.starts_with("aborting due to ")
        || text.ends_with(" emitted") && text.contains(" warning")
}

fn one(text: &str, places: &Places<'_>) -> String {
    let mut normalized = String::new();
    let mut is_other_file = false;
    for line in shortened(&text.trim_end().lines().collect::<Vec<_>>()) {
        let rest = line.trim_start();
        let line = if rest.starts_with("--> ") || rest.starts_with("::: ") {
            let (start, path) = line.split_at(line.len() - rest.len() + "--> ".len());
            let place = place(path, places);
            is_other_file = place.is_none();
            format!("{start}{}", place.unwrap_or_else(|| other(path, places)))
        } else {
            is_other_file &= rest.starts_with(|c: char| c.is_ascii_digit() || "|.".contains(c));
            let line = if is_other_file { without_number(&line) } else { line };
            let line = line.replace(&*places.package.to_string_lossy(), "$PACKAGE");
            let line = line.replace(&prefix(places.cases), "$DIR/");
            line.replace(&prefix(places.workspace), "$WORKSPACE/")
        };
        normalized += line.trim_end();
        normalized.push('\n');
    }
    normalized
}

/// Removes the list of types that implement a trait: rustc shows the first eight, and they depend on the rest of the
/// library.
fn shortened(lines: &[&str]) -> Vec<String> {
    let mut short = Vec::new();
    let mut listed = None;
    for (i, line) in lines.iter().enumerate() {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let next = lines.get(i + 1).map(|line| indent(line));
        if line.contains("= help: the following other types implement trait ") {
            listed = Some(0);
        } else if let Some(count) = listed.filter(|_| indent(line) >= 12) {
            listed = Some(count + 1);
            if count == 8 && next == Some(indent(line)) {
                short.push(format!("{:width$}and $N others", "", width = indent(line) - 2));
            }
            if count > 8 || count == 8 && next == Some(indent(line)) {
                continue;
            }
        } else {
            listed = None;
        }
        short.push((*line).to_owned());
    }
    short
}

fn prefix(folder: &Path) -> String {
    format!("{}/", folder.display())
}

/// A position in the program: `ui/launch/no_stream.rs:3:10`.
fn place(path: &str, places: &Places<'_>) -> Option<String> {
    let path = path.strip_prefix(&prefix(places.cases))?;
    path.starts_with(places.case).then(|| path.to_owned())
}

/// A position in another file, without its line.
fn other(path: &str, places: &Places<'_>) -> String {
    let mut path = path;
    for _ in 0..2 {
        let rest = path.trim_end_matches(|c: char| c.is_ascii_digit());
        path = rest.strip_suffix(':').filter(|_| rest.len() < path.len()).unwrap_or(path);
    }
    if let Some(rest) = path.strip_prefix(&prefix(places.cases)) {
        return format!("$DIR/{rest}");
    }
    let rest = path.strip_prefix(&prefix(places.workspace));
    // cargo compiles the libraries of a workspace in its folder, so their paths are relative to it.
    if let Some(rest) = rest.or_else(|| Some(path).filter(|path| !path.starts_with('/'))) {
        return format!("$WORKSPACE/{rest}");
    }
    // `~/.cargo/registry/src/index.crates.io-0123456789abcdef/cudarc-0.19.10/src/lib.rs`
    if let Some((_, rest)) = path.split_once("/registry/src/")
        && let Some((_, rest)) = rest.split_once('/')
        && let Some((package, file)) = rest.split_once('/')
        && let Some((name, _)) = package.split_once('.').and_then(|(start, _)| start.rsplit_once('-'))
    {
        return format!("$CARGO/{name}-$VERSION/{file}");
    }
    // `/rustc/0123456789abcdef/library/core/src/lib.rs`, or the same file in a toolchain with sources.
    match path.split_once("/library/") {
        Some((_, rest)) => format!("$RUST/{rest}"),
        None => path.to_owned(),
    }
}

/// `10 | T: Send,` becomes `   | T: Send,`
fn without_number(line: &str) -> String {
    let rest = line.trim_start_matches(|c: char| c == ' ' || c.is_ascii_digit());
    format!("{:width$}{rest}", "", width = line.len() - rest.len())
}

/// The kind of a line, for its margin.
#[derive(PartialEq)]
enum Line {
    /// `error: `
    Heading,
    /// `12 | code`, `   --> file`, `...`: the number of spaces that may be removed.
    Code(usize),
    /// Text without a margin.
    Note,
    /// Text that begins this many columns further right.
    Other(usize),
}

/// Reduces the margin of each part of a message to the width of its line numbers.
fn unindented(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut result = String::new();
    let mut next = 0;
    while let Some(line) = lines.get(next) {
        result += line;
        result.push('\n');
        next += 1;
        let is_heading = kind(line, &mut false) == Line::Heading || line.starts_with("note: ");
        let has_place = lines.get(next).is_some_and(|line| line.trim_start().starts_with("--> "));
        if !is_heading || !has_place {
            continue;
        }
        let (end, spaces) = part(&lines, next);
        let mut is_note = false;
        for line in &lines[next..end] {
            let keeps_margin = matches!(kind(line, &mut is_note), Line::Note | Line::Heading);
            let space = line.find(' ').filter(|_| !keeps_margin).unwrap_or(line.len());
            result += &line[..space];
            result += line.get(space + spaces..).unwrap_or_default();
            result.push('\n');
        }
        next = end;
    }
    result
}

/// The end of the part that begins with a position, and the number of spaces that may be removed from all of its lines.
fn part(lines: &[&str], first: usize) -> (usize, usize) {
    let (mut end, mut spaces, mut is_note) = (first, usize::MAX, false);
    for line in &lines[first..] {
        match kind(line, &mut is_note) {
            Line::Code(margin) => spaces = spaces.min(margin),
            Line::Note => {}
            Line::Other(indent) if indent > 10 => {}
            Line::Heading | Line::Other(_) => break,
        }
        end += 1;
    }
    (end, spaces)
}

/// `is_note` is whether the previous line is a note; it is updated for this line.
fn kind(line: &str, is_note: &mut bool) -> Line {
    let was_note = std::mem::replace(is_note, false);
    let is_heading = |word| line.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', '[']));
    if is_heading("error") || is_heading("warning") {
        return Line::Heading;
    }
    let continues = was_note && line.starts_with("      ");
    if line.starts_with("note:") || line.starts_with("help:") || line == "..." || continues {
        *is_note = true;
        return Line::Note;
    }
    if let Some(rest) = line.strip_prefix("... ") {
        return Line::Code(rest.len() - rest.trim_start().len());
    }
    let before = line.len() - line.trim_start().len();
    let rest = line.trim_start();
    let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &rest[number..];
    let spaces = before + rest.len() - rest.trim_start().len();
    let sign = rest.trim_start().split(' ').next().unwrap_or_default();
    let is_code = match sign {
        "|" => true,
        "~" | "+" | "-" => number > 0,
        "-->" | ":::" | "=" => number == 0,
        _ => false,
    };
    if is_code && spaces > 0 { Line::Code(spaces - 1) } else { Line::Other(if number == 0 { spaces } else { 0 }) }
}

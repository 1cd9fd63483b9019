//! `kernel-args check`: compares the kernels of a file with a list.

use crate::{
    error::{Error, Failure},
    output::{Output, Status},
    report,
    select::Select,
    show::list,
    style::quoted,
};
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read as _, Write as _},
    path::PathBuf,
};

pub(crate) struct Check {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) list: PathBuf,
    pub(crate) select: Select,
}

/// The lines of each symbol.
type Lines<'l> = BTreeMap<&'l str, Vec<&'l str>>;

pub(crate) fn run(check: &Check, output: &mut Output) -> Result<Status, Failure> {
    let is_input = check.list.as_os_str() == "-";
    let name = if is_input {
        "standard input".into()
    } else {
        check.list.to_string_lossy()
    };
    let text = if is_input {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text).map(|_| text)
    } else {
        fs::read(&check.list)
    };
    let text = text.map_err(|error| Error::new(&*name, error.to_string()))?;
    let text = String::from_utf8_lossy(&text);
    let expected = parse(&text).map_err(|(at, what)| Error::new(&*name, what).at(at))?;
    let (mut files, names, status) = report::read(&check.files);
    if status == Status::Error {
        return Ok(status);
    }
    check.select.apply(&mut files, &names)?;
    let lines = list::lines(&files.read.kernels);
    let found = lines_of(lines.iter().map(String::as_str));
    let mut symbols: Vec<&str> = expected.keys().chain(found.keys()).copied().collect();
    symbols.sort_unstable();
    symbols.dedup();
    let mut differences = 0;
    let paint = output.paint;
    for symbol in symbols {
        let of = |lines: &Lines<'_>| {
            lines
                .get(symbol)
                .map(|lines| lines.join("\n        "))
                .unwrap_or_default()
        };
        let (list, file) = (of(&expected), of(&found));
        if list == file {
            continue;
        }
        differences += 1;
        let or = |text: String| {
            if text.is_empty() {
                "(not there)".to_owned()
            } else {
                text
            }
        };
        writeln!(output.to, "{}", paint.title(symbol))?;
        writeln!(output.to, "  list  {}", paint.bad(&or(list)))?;
        writeln!(output.to, "  file  {}", paint.good(&or(file)))?;
    }
    if differences == 0 {
        output.to.flush()?;
        return Ok(Status::Success);
    }
    let kernels = if differences == 1 {
        "1 kernel differs"
    } else {
        &format!("{differences} kernels differ")
    };
    writeln!(output.to, "\n{kernels} from {name}")?;
    let words = check
        .files
        .iter()
        .map(|path| quoted(path.to_string_lossy()));
    let words: Vec<String> = words.chain(check.select.arguments()).collect();
    writeln!(
        output.to,
        "help: if this change is intended, write the list again: kernel-args show --list {} > {}",
        words.join(" "),
        quoted(name)
    )?;
    output.to.flush()?;
    Ok(Status::Different)
}

/// Parses the lines of a list.
///
/// # Errors
/// The line that cannot be parsed, and the byte offset where it begins.
fn parse(text: &str) -> Result<Lines<'_>, (u64, String)> {
    let mut lines = Vec::new();
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let trimmed = line.trim();
        let is_comment = trimmed.is_empty() || trimmed.starts_with('#');
        if number == 1
            && trimmed.starts_with("# kernel-args list ")
            && !trimmed.starts_with("# kernel-args list 1")
        {
            return Err((
                at,
                format!("line 1: this version reads only lists of version 1: `{trimmed}`"),
            ));
        }
        if !is_comment {
            let symbol = symbol(trimmed);
            if symbol.is_empty() || symbol.len() == trimmed.len() || symbol.contains(' ') {
                let shown: String = trimmed.chars().take(40).collect();
                return Err((
                    at,
                    format!("line {number}: expected `symbol(parameters)`, found `{shown}`"),
                ));
            }
            lines.push(trimmed);
        }
        at += line.len() as u64;
    }
    Ok(lines_of(lines.into_iter()))
}

fn lines_of<'l>(lines: impl Iterator<Item = &'l str>) -> Lines<'l> {
    let mut of: Lines<'l> = BTreeMap::new();
    for line in lines {
        of.entry(symbol(line)).or_default().push(line);
    }
    for lines in of.values_mut() {
        lines.sort_unstable();
    }
    of
}

fn symbol(line: &str) -> &str {
    line.split('(').next().unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_with_comments_and_any_ends_of_lines() {
        let text = "# kernel-args list 1\r\n\r\nb()\r\na(int @0 4/4) max_threads=1,1,1\r\n# c()\r\na() [sm_90]\r\n";
        let lines = parse(text).unwrap();
        let symbols: Vec<_> = lines.keys().copied().collect();
        assert_eq!(symbols, ["a", "b"]);
        assert_eq!(
            lines["a"],
            ["a() [sm_90]", "a(int @0 4/4) max_threads=1,1,1"]
        );
    }

    #[test]
    fn what_is_no_list_is_an_error_with_its_place() {
        let (at, what) = parse("a()\nnot a line\n").unwrap_err();
        assert_eq!(
            (at, &*what),
            (
                4,
                "line 2: expected `symbol(parameters)`, found `not a line`"
            )
        );
        assert!(
            parse("# kernel-args list 2\n")
                .unwrap_err()
                .1
                .contains("only lists of version 1")
        );
        assert!(parse("()").is_err() && parse("a b()").is_err());
        assert!(parse("").unwrap().is_empty());
    }
}

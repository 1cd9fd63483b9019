//! `kernel-args check`: compares the kernels of a file with a list, and looks for types that the code does not need.

use crate::{
    error::Error,
    escape,
    findings::findings,
    kernel::Kernel,
    options::Options,
    output::{Output, Status},
    read::{Input, label},
    report,
    show::list,
    style::{count, joined},
};
use kernel_args_abi::Parameter;
use std::{
    collections::{BTreeMap, BTreeSet},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

type Lines<'l> = BTreeMap<&'l str, Vec<&'l str>>;

pub(crate) fn run(options: Options<'_>, output: &mut Output) -> io::Result<Status> {
    let list = options.value::<PathBuf>("against").as_deref().map(read).transpose()?;
    let (is_lint, select) = (options.is("lint"), options.select());
    let wanted = |symbol: &str| is_lint && select.wants(symbol);
    let (mut files, names, status) = report::read(&options.files(), options.kernels(&wanted));
    if status == Status::Error {
        return Ok(status);
    }
    select.apply(&mut files, &names)?;
    let kernels = &files.kernels;
    let mut status = Status::Success;
    if let Some((name, text)) = &list {
        status = against(options, kernels, (name, text), output)?;
    }
    if is_lint {
        status = status.max(lint(kernels, output)?);
    }
    Ok(status)
}

fn lint(kernels: &[Kernel], output: &mut Output) -> io::Result<Status> {
    let (mut found, mut symbols) = (0, BTreeSet::new());
    let (mut compared, mut others) = (BTreeSet::new(), BTreeSet::new());
    for kernel in kernels {
        let parameters = kernel.parameters();
        let is_known = |parameter: &Parameter<'_>| parameter.body.is_known() && !parameter.cpp.is_unknown();
        let is_compared = parameters.is_empty() || parameters.iter().any(is_known);
        if is_compared { &mut compared } else { &mut others }.insert(&kernel.symbol);
        let findings = findings(kernel);
        if findings.is_empty() || !symbols.insert(&kernel.symbol) {
            continue;
        }
        found += findings.len();
        let name = escape::terminal(kernel.name(true));
        writeln!(output.to, "{}", output.paint.title(&name))?;
        for finding in findings {
            writeln!(output.to, "  {}", finding.text)?;
        }
    }
    if found == 0 {
        let others = match others.difference(&compared).count() {
            0 => String::new(),
            others => format!("; not compared, without C++ types or PTX: {}", count(others, "kernel")),
        };
        writeln!(output.to, "no findings in {}{others}", count(compared.len(), "kernel"))?;
        return Ok(Status::Success);
    }
    let (found, kernels) = (count(found, "finding"), count(symbols.len(), "kernel"));
    writeln!(output.to, "\n{found} in {kernels}")?;
    Ok(Status::Different)
}

fn read(path: &Path) -> io::Result<(String, String)> {
    let (name, mut text) = (label(path).into_owned(), Vec::new());
    let read = Input::open(path, true).and_then(|mut input| input.read_to_end(&mut text));
    read.map_err(|error| Error::new(&name, error))?;
    Ok((name, String::from_utf8_lossy(&text).into_owned()))
}

fn against(
    options: Options<'_>,
    kernels: &[Kernel],
    (name, text): (&str, &str),
    output: &mut Output,
) -> io::Result<Status> {
    let expected = parse(text).map_err(|(at, what)| Error::new(name, what).at(at))?;
    let lines = list::lines(kernels);
    let found = lines_of(lines.iter().map(String::as_str));
    let symbols: BTreeSet<&str> = expected.keys().chain(found.keys()).copied().collect();
    let mut differences = 0;
    let paint = output.paint;
    for symbol in symbols {
        let [list, file] = [&expected, &found].map(|lines| lines.get(symbol).map_or(&[][..], Vec::as_slice));
        if list == file {
            continue;
        }
        differences += 1;
        // Anyone can write a list.
        let shown = |lines: &[&str]| {
            if lines.is_empty() {
                return "(not there)".to_owned();
            }
            joined(lines.iter().map(|line| escape::terminal(line)), "\n        ")
        };
        writeln!(output.to, "{}", paint.title(&escape::terminal(symbol)))?;
        writeln!(output.to, "  list  {}", paint.bad(&shown(list)))?;
        writeln!(output.to, "  file  {}", paint.good(&shown(file)))?;
    }
    if differences == 0 {
        writeln!(output.to, "no differences from {}", escape::terminal(name))?;
        return Ok(Status::Success);
    }
    let kernels = if differences == 1 { "1 kernel differs" } else { &format!("{differences} kernels differ") };
    writeln!(output.to, "\n{kernels} from {}", escape::terminal(name))?;
    let (files, select) = (options.files(), options.select());
    let words = files.iter().map(|path| escape::shell(path.to_string_lossy()));
    writeln!(
        output.to,
        "help: if this change is intended, write the list again: kernel-args show --list {} > {}",
        joined(words.chain(select.arguments()), " "),
        escape::shell(name.into())
    )?;
    Ok(Status::Different)
}

/// The error is a line that cannot be parsed, with its byte offset.
fn parse(text: &str) -> Result<Lines<'_>, (u64, String)> {
    let mut lines = Vec::new();
    let mut at = 0;
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        let trimmed = line.trim();
        let is_comment = trimmed.is_empty() || trimmed.starts_with('#');
        if number == 1 && trimmed.starts_with("# kernel-args list ") && !trimmed.starts_with("# kernel-args list 1") {
            return Err((at, format!("line 1: this version reads only lists of version 1: `{trimmed}`")));
        }
        if !is_comment {
            let symbol = symbol(trimmed);
            if symbol.is_empty() || symbol.len() == trimmed.len() || symbol.contains(' ') {
                let shown: String = trimmed.chars().take(40).collect();
                return Err((at, format!("line {number}: expected `symbol(parameters)`, found `{shown}`")));
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
        assert_eq!(lines["a"], ["a() [sm_90]", "a(int @0 4/4) max_threads=1,1,1"]);
    }

    /// Symbols of cubins and names of debug information can have any characters.
    #[test]
    fn a_list_of_any_names_is_read_back() {
        use kernel_args_image::ParameterList;
        let parts = [
            "\n",
            "\r",
            "\t",
            " ",
            "\u{a0}",
            "\u{2028}",
            "\u{1b}[31m",
            "(",
            ")",
            "#",
            "\\",
            "\\n",
            "\\u{}",
            "{",
            "}",
            "[sm_90]",
            ",",
            "@4",
            "4/4",
            "x",
            "größe",
            "\u{0}",
            "# kernel-args list 2",
            "",
        ];
        let mut random = fastrand::Rng::with_seed(5);
        for _ in 0..500 {
            let mut name =
                || -> String { (0..random.usize(..4)).map(|_| parts[random.usize(..parts.len())]).collect() };
            let mut symbols: Vec<String> = (0..6).map(|_| name()).collect();
            symbols.sort_unstable();
            symbols.dedup();
            let kernels: Vec<Kernel> = symbols
                .iter()
                .map(|symbol| {
                    let name = name();
                    let parameter = Parameter { name: &name, ..Parameter::record(0, 4) };
                    let parameters = ParameterList::new(&[parameter]);
                    Kernel { symbol: symbol.clone(), parameters, ..Kernel::default() }
                })
                .collect();
            let lines = list::lines(&kernels);
            let text = [&[list::TITLE.to_owned()][..], &lines].concat().join("\n");
            let read = parse(&text).unwrap_or_else(|error| panic!("{symbols:?}: {error:?}"));
            assert_eq!(read, lines_of(lines.iter().map(String::as_str)));
            assert_eq!(read.len(), symbols.len(), "{symbols:?}: {text}");
        }
    }
}

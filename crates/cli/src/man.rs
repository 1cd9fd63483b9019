//! Writes the manual page: one page for the program, with a section per command.

use crate::{cli, escape};
use clap::Command;
use clap_mangen::Man;
use std::{
    fmt::Write as _,
    io::{self, Write},
};

pub(crate) fn write(to: &mut dyn Write) -> io::Result<()> {
    let mut command = cli::command();
    command.build();
    let mut page = Vec::new();
    let sections = |man: &Man, to: &mut Vec<u8>| {
        man.render_synopsis_section(to)?;
        man.render_description_section(to)?;
        man.render_options_section(to)
    };
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    sections(&man, &mut page)?;
    let is_shown = |sub: &&Command| sub.get_name() != "help";
    writeln!(page, ".SH COMMANDS")?;
    for sub in command.get_subcommands().filter(is_shown) {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(page, ".TP\n\\fB{}\\fR\n{}", sub.get_name(), plain(&about))?;
    }
    page.extend(after(&command, ".SH").bytes());
    for sub in command.get_subcommands().filter(is_shown) {
        writeln!(page, ".SH \"COMMAND {}\"", sub.get_name().to_uppercase())?;
        let mut section = Vec::new();
        sections(&Man::new(sub.clone()), &mut section)?;
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        page.extend(section.bytes());
        page.extend(after(sub, ".SS").bytes());
    }
    // Some versions of `man` do not support UTF-8.
    let page = String::from_utf8_lossy(&page);
    let ascii = escape::with(&page, |c| !c.is_ascii(), |to, c| _ = write!(to, "\\[u{:04X}]", u32::from(c)));
    to.write_all(ascii.as_bytes())
}

/// Paragraphs with a title. Their lines are not reflowed.
fn after(command: &Command, macro_: &str) -> String {
    let text = command.get_after_help().map(ToString::to_string);
    let mut written = String::new();
    for paragraph in text.unwrap_or_default().split("\n\n") {
        let (title, lines) = paragraph.split_once('\n').unwrap_or_default();
        let title = match title.trim_end_matches(':') {
            "Exit codes" => "EXIT STATUS".to_owned(),
            other => other.to_uppercase(),
        };
        _ = writeln!(written, "{macro_} \"{title}\"\n.nf");
        for line in lines.lines() {
            _ = writeln!(written, "{}", plain(line));
        }
        written += ".fi\n";
    }
    written
}

/// Escapes formatter commands in a line of text.
fn plain(line: &str) -> String {
    let text = line.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) {
        return format!("\\&{text}");
    }
    text
}

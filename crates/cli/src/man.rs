//! Writes the manual page: one page for the program, with a section per command.

use crate::cli;
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
    let man = Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let is_shown = |sub: &&Command| sub.get_name() != "help";
    writeln!(page, ".SH COMMANDS")?;
    for sub in command.get_subcommands().filter(is_shown) {
        let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
        writeln!(page, ".TP\n\\fB{}\\fR\n{}", sub.get_name(), plain(&about))?;
    }
    page.extend(after(&command, ".SH").bytes());
    for sub in command.get_subcommands().filter(is_shown) {
        writeln!(page, ".SH \"COMMAND {}\"", sub.get_name().to_uppercase())?;
        let man = Man::new(sub.clone());
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        let section = String::from_utf8_lossy(&section).replace(".SH ", ".SS ");
        page.extend(section.bytes());
        page.extend(after(sub, ".SS").bytes());
    }
    // Some versions of `man` do not support UTF-8.
    for c in String::from_utf8_lossy(&page).chars() {
        if c.is_ascii() {
            write!(to, "{c}")?;
        } else {
            write!(to, "\\[u{:04X}]", u32::from(c))?;
        }
    }
    Ok(())
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
            written += &plain(line);
            written.push('\n');
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

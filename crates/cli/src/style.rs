//! Colours, and numbers with their nouns.

use anstyle::{AnsiColor, Style};

#[derive(Clone, Copy)]
pub(crate) struct Paint(pub(crate) bool);

/// The colours of the parameters, used in turn.
const COLORS: [AnsiColor; 6] =
    [AnsiColor::Cyan, AnsiColor::Yellow, AnsiColor::Green, AnsiColor::Magenta, AnsiColor::BrightBlue, AnsiColor::Red];

impl Paint {
    fn with(self, style: Style, text: &str) -> String {
        if self.0 && !text.is_empty() { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    pub(crate) fn title(self, text: &str) -> String {
        self.with(Style::new().bold(), text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.with(Style::new().dimmed(), text)
    }

    pub(crate) fn parameter(self, index: usize, text: &str) -> String {
        let color = COLORS[index % COLORS.len()];
        self.with(Style::new().fg_color(Some(color.into())), text)
    }

    /// Returns a change that breaks callers, or something that was removed.
    pub(crate) fn bad(self, text: &str) -> String {
        self.with(AnsiColor::Red.on_default(), text)
    }

    /// Something that was added.
    pub(crate) fn good(self, text: &str) -> String {
        self.with(AnsiColor::Green.on_default(), text)
    }
}

pub(crate) fn joined(parts: impl IntoIterator<Item = impl ToString>, by: &str) -> String {
    let parts: Vec<String> = parts.into_iter().map(|part| part.to_string()).collect();
    parts.join(by)
}

/// Returns `?` for a number that is not known.
pub(crate) fn number(number: Option<impl ToString>) -> String {
    number.map_or_else(|| "?".to_owned(), |number| number.to_string())
}

/// Returns a number with its noun: `1 kernel`, `2 kernels`, `2 launches`.
pub(crate) fn count(count: impl TryInto<u64>, what: &str) -> String {
    match count.try_into().unwrap_or(u64::MAX) {
        1 => format!("1 {what}"),
        count if what.ends_with("ch") => format!("{count} {what}es"),
        count => format!("{count} {what}s"),
    }
}

//! A picture as SVG. It has the colours of the page that shows it, and no empty lines: rustdoc includes it as HTML.

use std::fmt::{self, Display, Formatter, Write};

/// The width of a picture. A telephone shows it at three quarters of its size.
pub(super) const WIDTH: usize = 480;

/// The height of a line of text.
pub(super) const LINE: usize = 18;

/// The characters in a line of a picture.
pub(super) const COLUMNS: usize = WIDTH * 10 / 78;

/// How a box is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Plain,
    /// Something that is not used.
    Dashed,
    New,
    Changed,
    Wrong,
}

#[derive(Default)]
pub(super) struct Picture {
    title: String,
    height: usize,
    shapes: String,
}

impl Picture {
    pub(super) fn new(title: &str) -> Self {
        Self { title: title.to_owned(), ..Self::default() }
    }

    /// A line of text from `x`, on the base line `y`.
    pub(super) fn text(&mut self, x: usize, y: usize, text: &str) {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        self.shape(y + 5, format_args!("<text x=\"{x}\" y=\"{y}\" style=\"white-space:pre\">{text}</text>"));
    }

    /// A box with a line of text.
    pub(super) fn boxed(&mut self, (x, y): (usize, usize), (width, height): (usize, usize), look: Look, text: &str) {
        let style = match look {
            Look::Plain => "fill=\"none\" stroke=\"currentColor\"",
            Look::Dashed => "fill=\"none\" stroke=\"currentColor\" stroke-dasharray=\"3\"",
            Look::New => "fill=\"#3b82f6\" fill-opacity=\".3\" stroke=\"#3b82f6\"",
            Look::Changed => "fill=\"#f59e0b\" fill-opacity=\".35\" stroke=\"#f59e0b\"",
            Look::Wrong => "fill=\"#e5484d\" fill-opacity=\".3\" stroke=\"#e5484d\"",
        };
        let shape = format_args!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {style}/>");
        self.shape(y + height + 1, shape);
        if !text.is_empty() {
            self.text(x + 6, y + height / 2 + 5, text);
        }
    }

    /// A line with these commands of an SVG path.
    pub(super) fn path(&mut self, commands: impl Display) {
        self.shape(0, format_args!("<path d=\"{commands}\" fill=\"none\" stroke=\"currentColor\"/>"));
    }

    /// Adds a shape that ends at `bottom`.
    fn shape(&mut self, bottom: usize, shape: impl Display) {
        self.height = self.height.max(bottom);
        writeln!(self.shapes, "{shape}").expect("a text is written");
    }
}

impl Display for Picture {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { title, height, shapes } = self;
        writeln!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-1 0 {} {height}\" role=\"img\" \
             style=\"width:100%;max-width:600px\" font-family=\"'Source Code Pro',monospace\" \
             font-size=\"13\" fill=\"currentColor\">",
            WIDTH + 2,
        )?;
        writeln!(f, "<title>{title}</title>\n{shapes}</svg>")
    }
}

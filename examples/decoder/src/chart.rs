//! A picture of the tokens per second.

use crate::measure::Measured;
use std::fmt::Write;

/// A bar for each mode, as SVG.
pub fn svg(all: &[Measured]) -> String {
    let largest = all.iter().map(|measured| measured.per_second).fold(0.0, f64::max);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"{}\" font-family=\"sans-serif\" font-size=\"14\">\n\
        <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        40 * all.len() + 10
    );
    for (i, measured) in all.iter().enumerate() {
        let (y, width) = (40 * i + 10, 360.0 * measured.per_second / largest);
        let (name, rate) = (measured.run, measured.per_second);
        let middle = y + 20;
        let _ = writeln!(
            svg,
            "<text x=\"130\" y=\"{middle}\" text-anchor=\"end\">{name}</text>\
            <rect x=\"140\" y=\"{y}\" width=\"{width:.0}\" height=\"30\" fill=\"#76b900\"/>\
            <text x=\"{:.0}\" y=\"{middle}\">{rate:.0} tokens/s</text>",
            148.0 + width
        );
    }
    svg + "</svg>\n"
}

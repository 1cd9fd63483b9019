//! A picture of the tokens per second.

use crate::measure::Measured;
use std::fmt::Write;

/// For each list with its title, a bar for each mode, as SVG.
pub fn svg(lists: &[(String, Vec<Measured>)]) -> String {
    let all = || lists.iter().flat_map(|(_, list)| list);
    let largest = all().map(|measured| measured.per_second).fold(0.0, f64::max);
    let (mut y, mut bars) = (10, String::new());
    for (title, list) in lists {
        let _ = writeln!(bars, "<text x=\"10\" y=\"{}\" font-weight=\"bold\">{title}</text>", y + 20);
        y += 30;
        for measured in list {
            let width = 360.0 * measured.per_second / largest;
            let (name, rate) = (measured.run, measured.per_second);
            let middle = y + 20;
            let _ = writeln!(
                bars,
                "<text x=\"130\" y=\"{middle}\" text-anchor=\"end\">{name}</text>\
                <rect x=\"140\" y=\"{y}\" width=\"{width:.0}\" height=\"30\" fill=\"#76b900\"/>\
                <text x=\"{:.0}\" y=\"{middle}\">{rate:.0} tokens/s</text>",
                148.0 + width
            );
            y += 40;
        }
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"{y}\" font-family=\"sans-serif\" font-size=\"14\">\n\
        <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{bars}</svg>\n"
    )
}

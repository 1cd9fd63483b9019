//! Generated Rust structs: their text, their names, and the offsets of their fields.

mod broken;
#[cfg(all(feature = "debug-info", feature = "header"))]
mod evil;
mod inferred;
mod layouts;
mod model;
mod names;
mod packed;
mod text;
mod texts;

use texts::{of_image, with_items};

/// The declaration of a struct or enum, up to its closing brace.
fn item<'t>(text: &'t str, name: &str) -> &'t str {
    let found = [" {", "<'a> {"].into_iter().find_map(|end| {
        let declared = [format!("pub struct {name}{end}"), format!("pub enum {name}{end}")];
        declared.into_iter().find_map(|declared| text.find(&declared))
    });
    let rest = &text[found.unwrap_or_else(|| panic!("no {name} in\n{text}"))..];
    let end = rest.find("\n}\n").map_or(rest.len(), |at| at + 2);
    let line = rest.find('\n').unwrap_or(rest.len());
    if rest[..line].ends_with("{}") { &rest[..line] } else { &rest[..end] }
}

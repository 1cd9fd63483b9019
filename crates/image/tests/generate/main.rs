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

use kernel_args_image::Image;
use kernel_args_image::generate::{self, Naming, Options};

/// The generated text for an image, whose code is analysed.
fn of_image(image: &[u8], options: &Options<'_>) -> String {
    let image = Image::read(image).unwrap();
    let mut kernels = image.kernels().unwrap();
    image.add_bodies(&mut kernels, |_| true).unwrap();
    generate::of_image(&kernels, options)
}

/// The options for a text next to `kernels!`.
fn with_items() -> Options<'static> {
    let mut options = Options::default();
    options.naming = Naming::Items("");
    options
}

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

//! The symbols of rustc. They contain the path of a function or variable, and no types of parameters.

use super::{Arity, Demangled, SYMBOL_LIMIT, TEXT_LIMIT};
use crate::prelude::*;
use core::fmt::{self, Write};

/// Returns the path without hashes: `sim::step<f32>` for `_RINvCs5W0eRYRjOs6_3sim4stepfEB2_`. `None` for other
/// compilers.
pub(super) fn read(symbol: &str) -> Option<Demangled> {
    if symbol.len() > SYMBOL_LIMIT || !(symbol.starts_with("_R") || is_legacy(symbol)) {
        return None;
    }
    let mut text = Limited(String::new());
    write!(text, "{:#}", rustc_demangle::try_demangle(symbol).ok()?).ok()?;
    let mut text = text.0;
    let arguments = arguments(&text);
    if let Some(open) = arguments {
        // Rust also writes arguments of types without the `::`, and C++ has none.
        text.replace_range(open - 2..open, "");
    }
    let end = arguments.map_or(text.len(), |open| open - 2);
    let inside = arguments.map(|_| end + 1..text.len() - 1);
    Some(Demangled {
        name: 0..end,
        template: inside.map(|inside| vec![inside]),
        text,
        parameters: Vec::new(),
        list: Arity::None,
    })
}

/// C++ has no name that ends like this hash.
fn is_legacy(symbol: &str) -> bool {
    let path = symbol.strip_prefix("_ZN").and_then(|path| path.strip_suffix('E'));
    let hash = path.and_then(|path| path.get(path.len().checked_sub(19)?..)?.strip_prefix("17h"));
    hash.is_some_and(|hash| hash.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

/// Returns the position of the `<` before the generic arguments at the end of a path: `sim::step::<f32>`.
fn arguments(path: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in path.char_indices().rev() {
        match character {
            // `fn(u32) -> f32`
            '>' if !path[..at].ends_with('-') => depth += 1,
            '<' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return path[..at].ends_with("::").then_some(at);
        }
    }
    None
}

/// A short symbol can be a long path.
struct Limited(String);

impl Write for Limited {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > TEXT_LIMIT {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

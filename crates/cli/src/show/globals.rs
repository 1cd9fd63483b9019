//! Writes a table of the global variables.

use super::columns::Columns;
use crate::{escape::terminal, global::Globals, output::Output, style::count};
use serde_json::{Value, json};
use std::io::{self, Write};

pub(super) fn write(globals: &Globals, demangle: bool, output: &mut Output) -> io::Result<()> {
    let all = globals.iter();
    if all.len() == 0 {
        return Ok(());
    }
    let title = count(all.len(), "global variable");
    writeln!(output.to, "\n{}", output.paint.title(&title))?;
    let mut columns = Columns::new(&["variable", "memory", "type", "size", "align"], &[3, 4]);
    for global in all {
        let name = match &global.name {
            Some(name) if demangle => name,
            _ => &global.symbol,
        };
        columns.push(vec![
            terminal(name).to_string(),
            global.specifier.to_owned(),
            terminal(global.ty.as_deref().unwrap_or_default()).to_string(),
            global.size.to_string(),
            global.align.map_or_else(String::new, |align| align.to_string()),
        ]);
    }
    columns.remove_unused_heading(2);
    columns.remove_unused_heading(4);
    columns.write("  ", output)
}

pub(super) fn json(globals: &Globals) -> Value {
    let globals = globals.iter().map(|global| {
        json!({
            "symbol": global.symbol,
            "name": global.name,
            "space": global.specifier,
            "size": global.size,
            "align": global.align,
            "type": global.ty,
        })
    });
    globals.collect()
}

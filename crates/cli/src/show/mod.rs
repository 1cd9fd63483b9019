//! `kernel-args show`: every kernel with its parameters.

mod columns;
mod globals;
mod inferred;
pub(crate) mod json;
pub(crate) mod list;
mod map;
mod summary;
mod text;
pub(crate) mod types;

use crate::{
    options::Options,
    output::{Output, Status},
    report,
};
use std::io;

pub(crate) fn run(options: Options<'_>, output: &mut Output) -> io::Result<Status> {
    let [json, list, summary] = ["json", "list", "summary"].map(|format| options.is(format));
    let (select, demangle) = (options.select(), options.demangle());
    let wanted = |symbol: &str| !list && !summary && select.wants(symbol);
    let (mut files, names, status) = report::read(&options.files(), options.kernels(&wanted));
    select.apply(&mut files, &names)?;
    if json {
        json::write(&files, &mut output.to)?;
    } else if list {
        list::write(&files.kernels, &mut output.to)?;
    } else if summary {
        summary::write(&files, output)?;
    } else {
        text::write(&files.kernels, demangle, output)?;
        // A selection is of kernels.
        if select.patterns.is_empty() {
            globals::write(&files.globals, demangle, output)?;
        }
    }
    Ok(status)
}

//! `kernel-args diff`: reports the changes in the interface of each kernel.

mod change;
mod enumerators;
mod members;
mod pairs;
mod parameters;
mod text;
mod versions;

use crate::{
    escape,
    kernel::Kernel,
    options::Options,
    output::{Output, Status},
    report,
};
use change::Changed;
use std::{
    collections::BTreeSet,
    io::{self, Write as _},
};

pub(crate) fn run(options: Options<'_>, output: &mut Output) -> io::Result<Status> {
    let select = options.select();
    let mut sides = Vec::new();
    let mut missing = Vec::new();
    for path in ["old", "new"].map(|name| options.path(name)) {
        let (mut files, name, status) = report::read(&[path.to_owned()], options.kernels(&|_| false));
        if status == Status::Error {
            return Ok(status);
        }
        missing.extend(select.apply(&mut files, &name).err());
        sides.push(files);
    }
    // If a pattern matches only one side, the kernel was added or removed.
    if missing.len() == 2
        && let Some(error) = missing.pop()
    {
        return Err(error.into());
    }
    let [old, new] = &sides[..] else { return Ok(Status::Error) };
    let changed = pairs::changes(&old.kernels, &new.kernels);
    let breaks = changed.iter().any(Changed::breaks);
    if options.is("json") {
        let json = escape::json(&change::json(&changed, breaks));
        writeln!(output.to, "{json}")?;
    } else {
        let symbols = old.kernels.iter().map(|kernel| &kernel.symbol);
        let count = symbols.collect::<BTreeSet<_>>().len();
        text::write(&changed, (count, old.kernels.first().map_or("kernel", Kernel::noun)), options.demangle(), output)?;
    }
    Ok(if breaks { Status::Different } else { Status::Success })
}

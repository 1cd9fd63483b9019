//! Writes changes as text.

use super::change::{Change, Changed};
use crate::{
    escape::terminal,
    kernel::Kernel,
    output::Output,
    style::{self, Paint},
};
use std::{
    collections::{BTreeSet, HashMap},
    io::{self, Write as _},
};

pub(super) fn write(
    changed: &[Changed<'_>],
    (count, noun): (usize, &str),
    demangle: bool,
    output: &mut Output,
) -> io::Result<()> {
    let paint = output.paint;
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for changed in changed {
        *counts.entry(changed.symbol()).or_default() += 1;
    }
    for changed in changed {
        let Some(kernel) = changed.old.or(changed.new) else { continue };
        let noun = kernel.noun();
        write!(output.to, "{}", paint.title(&terminal(kernel.name(demangle))))?;
        match (changed.old, changed.new) {
            (_, None) => writeln!(output.to, "\n{}", paint.bad(&format!("  breaks  the {noun} was removed")))?,
            (None, _) => writeln!(output.to, "\n{}", paint.good(&format!("          the {noun} was added")))?,
            (_, Some(new)) => {
                let is_only = counts.get(changed.symbol()).is_none_or(|count| *count == 1);
                let gpus = if is_only { String::new() } else { gpus(new) };
                writeln!(output.to, "{}", paint.faint(&gpus))?;
            }
        }
        for change in &changed.changes {
            writeln!(output.to, "{}", line(change, paint))?;
        }
        writeln!(output.to)?;
    }
    writeln!(output.to, "{}", summary(changed, count, noun))
}

/// Returns the GPUs of a kernel whose changes differ between GPUs.
fn gpus(kernel: &Kernel) -> String {
    let gpus: BTreeSet<String> = kernel.images.iter().map(|image| image.place.gpu()).collect();
    format!("  for {}", style::joined(gpus, ", "))
}

fn line(change: &Change, paint: Paint) -> String {
    let text = terminal(&change.sentence()).into_owned();
    if change.breaks { paint.bad(&format!("  breaks  {text}")) } else { format!("          {text}") }
}

fn summary(changed: &[Changed<'_>], count: usize, noun: &str) -> String {
    if changed.is_empty() {
        return format!("no change in the interface of {}", style::count(count, noun));
    }
    // A kernel is counted once, even if it changed for several GPUs.
    let of = |is: fn(&&Changed<'_>) -> bool| {
        let symbols = changed.iter().filter(is).map(Changed::symbol);
        symbols.collect::<BTreeSet<_>>().len()
    };
    format!(
        "{} changed, {} removed, {} added; {}",
        of(|changed| changed.old.is_some() && changed.new.is_some()),
        of(|changed| changed.new.is_none()),
        of(|changed| changed.old.is_none()),
        match of(|changed| changed.breaks()) {
            0 => format!("callers of the old {noun}s can call the new ones"),
            1 => "1 breaks its callers".to_owned(),
            breaking => format!("{breaking} break their callers"),
        }
    )
}

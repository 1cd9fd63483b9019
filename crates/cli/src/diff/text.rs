//! Writes changes as text.

use super::change::{Change, Changed};
use crate::{escape::terminal, kernel::Kernel, output::Output, style::Paint};
use std::{
    collections::{BTreeSet, HashMap},
    io::{self, Write as _},
};

pub(super) fn write(changed: &[Changed<'_>], count: usize, demangle: bool, output: &mut Output) -> io::Result<()> {
    let paint = output.paint;
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for changed in changed {
        *counts.entry(changed.symbol()).or_default() += 1;
    }
    for changed in changed {
        let name = |kernel: &Kernel| paint.title(&terminal(kernel.name(demangle)));
        match changed {
            Changed::Removed(kernel) => {
                writeln!(output.to, "{}\n{}\n", name(kernel), paint.bad("  breaks  the kernel was removed"))?;
            }
            Changed::Added(kernel) => {
                writeln!(output.to, "{}\n{}\n", name(kernel), paint.good("          the kernel was added"))?;
            }
            Changed::Kept { old, new, changes } => {
                let same = counts.get(changed.symbol()).copied().unwrap_or(1);
                let gpus = if same > 1 { gpus(new) } else { String::new() };
                writeln!(output.to, "{}{}", name(old), paint.faint(&gpus))?;
                for change in changes {
                    writeln!(output.to, "{}", line(change, paint))?;
                }
                writeln!(output.to)?;
            }
        }
    }
    writeln!(output.to, "{}", summary(changed, count))
}

/// The GPUs of a kernel whose changes differ between GPUs.
fn gpus(kernel: &Kernel) -> String {
    let gpus: BTreeSet<String> = kernel.images.iter().map(|image| image.place.gpu()).collect();
    format!("  for {}", Vec::from_iter(gpus).join(", "))
}

fn line(change: &Change, paint: Paint) -> String {
    let text = terminal(&change.sentence()).into_owned();
    if change.breaks { paint.bad(&format!("  breaks  {text}")) } else { format!("          {text}") }
}

fn symbols<'c, 'k: 'c>(changed: impl Iterator<Item = &'c Changed<'k>>) -> usize {
    changed.map(Changed::symbol).collect::<BTreeSet<_>>().len()
}

fn summary(changed: &[Changed<'_>], count: usize) -> String {
    if changed.is_empty() {
        let kernels = crate::style::count(count as u64, "kernel");
        return format!("no change in the interface of {kernels}");
    }
    // A kernel is counted once, even if it changed for several GPUs.
    let of = |is: fn(&Changed<'_>) -> bool| symbols(changed.iter().filter(|changed| is(changed)));
    let breaking = symbols(changed.iter().filter(|changed| changed.breaks()));
    format!(
        "{} changed, {} removed, {} added; {}",
        of(|changed| matches!(changed, Changed::Kept { .. })),
        of(|changed| matches!(changed, Changed::Removed(_))),
        of(|changed| matches!(changed, Changed::Added(_))),
        match breaking {
            0 => "callers of the old kernels can call the new ones".to_owned(),
            1 => "1 breaks its callers".to_owned(),
            breaking => format!("{breaking} break their callers"),
        }
    )
}

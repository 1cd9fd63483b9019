//! Writes changes as text. All messages of `diff` are here.

use super::change::{Change, Changed, Kind, Side};
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
    let text = terminal(&sentence(change)).into_owned();
    if change.breaks { paint.bad(&format!("  breaks  {text}")) } else { format!("          {text}") }
}

fn sentence(change: &Change) -> String {
    let text = |side: &Option<Side>| side.as_ref().map_or_else(|| "none".to_owned(), |side| side.text.clone());
    let index = |side: &Option<Side>| {
        side.as_ref().and_then(|side| side.index).map_or_else(|| "?".to_owned(), |index| index.to_string())
    };
    let (old, new) = (text(&change.old), text(&change.new));
    let (from, to) = (index(&change.old), index(&change.new));
    match change.kind {
        Kind::Symbol => format!("the symbol changed: {old} → {new}"),
        Kind::Added => format!("parameter {to} was added: {new}"),
        Kind::Removed => format!("parameter {from} was removed: {old}"),
        Kind::Moved => format!("parameter {from} moved to position {to}: {new}"),
        Kind::Exchanged => format!("parameter {from} was exchanged with parameter {to}: {old}"),
        Kind::Retyped => format!("parameter {to} changed its type: {old} → {new}"),
        Kind::Offset => format!("parameter {to} changed its offset: {old}"),
        Kind::Renamed => format!("parameter {to} was renamed: {old} → {new}"),
        Kind::MemberAdded => format!("parameter {to}: a member was added: {new}"),
        Kind::MemberRemoved => format!("parameter {from}: a member was removed: {old}"),
        Kind::MemberMoved => format!("parameter {to}: a member moved: {old} → {new}"),
        Kind::MemberRetyped => format!("parameter {to}: a member changed its type: {old} → {new}"),
        Kind::MemberRenamed => format!("parameter {to}: a member was renamed: {old} → {new}"),
        Kind::EnumeratorAdded => format!("parameter {to}: an enumerator was added: {new}"),
        Kind::EnumeratorRemoved => format!("parameter {from}: an enumerator was removed: {old}"),
        Kind::EnumeratorChanged => {
            format!("parameter {to}: an enumerator changed its value: {old} → {new}")
        }
        Kind::EnumeratorRenamed => {
            format!("parameter {to}: an enumerator was renamed: {old} → {new}")
        }
        Kind::Limit { title, .. } => format!("{title}: {old} → {new}"),
    }
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

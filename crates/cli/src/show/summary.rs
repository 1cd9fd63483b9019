//! Writes the number of kernels per file and the GPUs.

use super::columns::Columns;
use crate::{
    escape::terminal,
    kernel::block_size,
    output::Output,
    place::{Kind, Unit},
    read::Files,
    style::{count as counted, joined, number},
};
use kernel_args_abi::Sm;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    io::{self, Write as _},
};

#[derive(Default)]
struct Count<'k> {
    symbols: BTreeSet<&'k str>,
    cubins: BTreeSet<Option<Sm>>,
    texts: BTreeSet<Option<Sm>>,
    images: usize,
    largest: usize,
}

pub(super) fn write(files: &Files, output: &mut Output) -> io::Result<()> {
    let mut counts: BTreeMap<&Unit, Count<'_>> = BTreeMap::new();
    for place in &files.places {
        let count = counts.entry(&place.unit).or_default();
        count.images += 1;
        match place.kind {
            Kind::Ptx => count.texts.insert(place.sm),
            Kind::Cubin => count.cubins.insert(place.sm),
        };
    }
    for kernel in &files.kernels {
        let size = block_size(&kernel.parameters()).unwrap_or(0);
        for image in &kernel.images {
            if let Some(count) = counts.get_mut(&image.place.unit) {
                count.symbols.insert(&kernel.symbol);
                count.largest = count.largest.max(size);
            }
        }
    }
    let head = ["file", "kernels", "images", "most bytes", "cubins for", "PTX for"];
    let mut columns = Columns::new(&head, &[1, 2, 3]);
    for (unit, count) in &counts {
        columns.push(vec![
            terminal(&unit.to_string()).into_owned(),
            count.symbols.len().to_string(),
            count.images.to_string(),
            count.largest.to_string(),
            gpus(&count.cubins),
            gpus(&count.texts),
        ]);
    }
    columns.write("", output)?;
    let symbols: BTreeSet<&str> = files.kernels.iter().map(|kernel| &*kernel.symbol).collect();
    let skipped = &files.skipped;
    let images = files.places.len();
    let files: BTreeSet<u32> = counts.keys().map(|unit| unit.number).collect();
    let mut total = format!(
        "{} in {} of {}",
        counted(symbols.len(), "kernel"),
        counted(images, "image"),
        counted(files.len(), "file"),
    );
    for (count, what, which) in [
        (skipped.foreign, "file", "without device code"),
        (skipped.unreadable, "file", "that cannot be opened"),
        (skipped.members, "member", "of fat binaries that are neither PTX nor cubins"),
    ] {
        if count > 0 {
            _ = write!(total, "; {} {which} skipped", counted(count, what));
        }
    }
    writeln!(output.to, "{}", output.paint.title(&total))
}

fn gpus(gpus: &BTreeSet<Option<Sm>>) -> String {
    if gpus.is_empty() {
        return "–".to_owned();
    }
    format!("sm_{}", joined(gpus.iter().map(|sm| number(sm.map(|sm| sm.0))), " "))
}

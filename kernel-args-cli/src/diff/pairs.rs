//! Which kernel of the old file is which of the new one.

use super::{
    change::{Change, Changed, Kind, Side},
    limits, parameters,
};
use crate::kernel::Kernel;
use kernel_args_abi::Sm;
use std::collections::BTreeMap;

/// What changed, in the order of the symbols.
pub(super) fn changes<'k>(old: &'k [Kernel], new: &'k [Kernel]) -> Vec<Changed<'k>> {
    let (before, after) = (by_symbol(old), by_symbol(new));
    let renamed = renamed(&before, &after);
    let mut changed = Vec::new();
    for (symbol, old) in &before {
        let moved = renamed
            .iter()
            .find(|(from, _)| from == symbol)
            .map(|(_, to)| *to);
        match after.get(moved.unwrap_or(symbol)) {
            Some(new) => changed.extend(compare(old, new)),
            None => changed.extend(old.first().map(|kernel| Changed::Removed(kernel))),
        }
    }
    for (symbol, new) in &after {
        let is_new = !before.contains_key(symbol) && renamed.iter().all(|(_, to)| to != symbol);
        if is_new {
            changed.extend(new.first().map(|kernel| Changed::Added(kernel)));
        }
    }
    changed
}

type BySymbol<'k> = BTreeMap<&'k str, Vec<&'k Kernel>>;

fn by_symbol(kernels: &[Kernel]) -> BySymbol<'_> {
    let mut by: BySymbol<'_> = BTreeMap::new();
    for kernel in kernels {
        by.entry(&kernel.symbol).or_default().push(kernel);
    }
    by
}

/// Mangled kernels whose parameters have other types have other symbols: those of one C++ name are the same one, if either side has
/// one only that the other side lacks.
fn renamed<'k>(old: &BySymbol<'k>, new: &BySymbol<'k>) -> Vec<(&'k str, &'k str)> {
    let lacking = |of: &BySymbol<'k>, other: &BySymbol<'k>| {
        let mut by_name: BTreeMap<String, Vec<&'k str>> = BTreeMap::new();
        for (symbol, kernels) in of {
            if let Some(demangled) = kernels.first().and_then(|kernel| kernel.demangled.as_ref())
                && !other.contains_key(symbol)
            {
                let arguments = demangled.template_arguments().unwrap_or_default();
                let name = format!("{}<{arguments}>", demangled.name());
                by_name.entry(name).or_default().push(symbol);
            }
        }
        by_name
    };
    let (gone, come) = (lacking(old, new), lacking(new, old));
    let pair = |(name, gone): (&String, &Vec<&'k str>)| match (
        &gone[..],
        come.get(name).map(Vec::as_slice),
    ) {
        ([old], Some([new])) => Some((*old, *new)),
        _ => None,
    };
    gone.iter().filter_map(pair).collect()
}

/// Compares the kernels of one symbol: where there are several, with other parameters for other GPUs, those for the same GPU.
fn compare<'k>(old: &[&'k Kernel], new: &[&'k Kernel]) -> Vec<Changed<'k>> {
    let mut found: Vec<Changed<'k>> = Vec::new();
    for (index, new) in new.iter().enumerate() {
        let mut partners: Vec<&'k Kernel> = old
            .iter()
            .copied()
            .filter(|old| share_gpu(old, new))
            .collect();
        if partners.is_empty() {
            partners.extend(old.get(index).or(old.first()));
        }
        for old in partners {
            let mut changes = Vec::new();
            if old.symbol != new.symbol {
                let side = |kernel: &Kernel| Some(Side::text(kernel.symbol.clone()));
                changes.push(Change::new(Kind::Symbol, true, side(old), side(new)));
            }
            changes.extend(parameters::changes(
                &new.symbol,
                &old.parameters(),
                &new.parameters(),
            ));
            changes.extend(limits::changes(&old.limits, &new.limits));
            let is_told = found.iter().any(
                |told| matches!(told, Changed::Kept { changes: told, .. } if *told == changes),
            );
            if !changes.is_empty() && !is_told {
                found.push(Changed::Kept { old, new, changes });
            }
        }
    }
    found
}

fn share_gpu(a: &Kernel, b: &Kernel) -> bool {
    let gpus = |kernel: &Kernel| {
        kernel
            .images
            .iter()
            .filter_map(|image| image.place.sm)
            .collect::<Vec<Sm>>()
    };
    let of_b = gpus(b);
    gpus(a).iter().any(|sm| of_b.contains(sm))
}

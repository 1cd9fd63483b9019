//! Matches the kernels of the old file with the kernels of the new file.

use super::{
    change::{Change, ChangeKind, Changed, Side},
    parameters,
    versions::{self, unversioned},
};
use crate::{kernel::Kernel, limits::ROWS, place};
use kernel_args_abi::Sm;
use kernel_args_image::mangled::Demangled;
use std::collections::{BTreeMap, BTreeSet};

pub(super) fn changes<'k>(old: &'k [Kernel], new: &'k [Kernel]) -> Vec<Changed<'k>> {
    let (before, after) = (by_symbol(old), by_symbol(new));
    let renamed = renamed(&before, &after);
    let mut changed = Vec::new();
    for (symbol, old) in &before {
        let moved = renamed.get(symbol).copied();
        match after.get(moved.unwrap_or(symbol)) {
            Some(new) => changed.extend(compare(old, new)),
            None => changed.push(Changed { old: old.first().copied(), new: None, changes: Vec::new() }),
        }
    }
    let known: BTreeSet<&str> = renamed.values().copied().collect();
    for (symbol, new) in &after {
        if !before.contains_key(symbol) && !known.contains(symbol) {
            changed.push(Changed { old: None, new: new.first().copied(), changes: Vec::new() });
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

/// Matches kernels with the same C++ name if exactly one is missing on the opposite side: first by the whole name, then
/// without parameters. Their symbols differ if the types of parameters or versions in namespaces do.
fn renamed<'k>(old: &BySymbol<'k>, new: &BySymbol<'k>) -> BTreeMap<&'k str, &'k str> {
    let whole = |demangled: &Demangled| unversioned(demangled.text());
    let name = |demangled: &Demangled| {
        let arguments = demangled.template_arguments().unwrap_or_default();
        unversioned(&format!("{}<{arguments}>", demangled.name()))
    };
    let mut renamed = BTreeMap::new();
    for key in [&whole as &dyn Fn(&Demangled) -> String, &name] {
        let known: BTreeSet<&str> = renamed.values().copied().collect();
        let gone = lacking(old, new, key, |symbol| renamed.contains_key(symbol));
        let come = lacking(new, old, key, |symbol| known.contains(symbol));
        let pair = |(name, gone): (&String, &Vec<&'k str>)| match (&gone[..], come.get(name).map(Vec::as_slice)) {
            ([old], Some([new])) => Some((*old, *new)),
            _ => None,
        };
        let pairs: Vec<_> = gone.iter().filter_map(pair).collect();
        renamed.extend(pairs);
    }
    renamed
}

/// Mangled symbols that `other` does not have, by a name.
fn lacking<'k>(
    of: &BySymbol<'k>,
    other: &BySymbol<'k>,
    name: &dyn Fn(&Demangled) -> String,
    is_known: impl Fn(&str) -> bool,
) -> BTreeMap<String, Vec<&'k str>> {
    let mut by_name: BTreeMap<_, Vec<&str>> = BTreeMap::new();
    for (symbol, kernels) in of {
        if let Some(demangled) = kernels.first().and_then(|kernel| kernel.demangled.as_ref())
            && !other.contains_key(symbol)
            && !is_known(symbol)
        {
            by_name.entry(name(demangled)).or_default().push(symbol);
        }
    }
    by_name
}

/// If a symbol has several kernels with different parameters or limits per GPU, kernels for the same GPU are compared,
/// unless both exist unchanged in the other list. Two generations can have one number (`sm_90`, `sm_90a`).
fn compare<'k>(old: &[&'k Kernel], new: &[&'k Kernel]) -> Vec<Changed<'k>> {
    let mut pairs = Vec::new();
    for (index, to) in new.iter().enumerate() {
        let before = pairs.len();
        pairs.extend(old.iter().filter(|from| share_gpu(from, to)).map(|from| (*from, *to)));
        if pairs.len() == before {
            pairs.extend(old.get(index).or(old.first()).map(|from| (*from, *to)));
        }
    }
    let compared = pairs.into_iter().map(|(old, new)| (old, new, of_pair(old, new)));
    let (same, others): (Vec<_>, Vec<_>) = compared.partition(|(.., changes)| changes.is_empty());
    let mut found: Vec<Changed<'k>> = Vec::new();
    for (old, new, changes) in others {
        let is_reported = found.iter().any(|reported| reported.changes == changes);
        let is_kept = same.iter().any(|(kept, ..)| std::ptr::eq(*kept, old));
        let is_known = same.iter().any(|(_, known, _)| std::ptr::eq(*known, new));
        if !(is_reported || is_kept && is_known) {
            found.push(Changed { old: Some(old), new: Some(new), changes });
        }
    }
    found
}

fn of_pair(old: &Kernel, new: &Kernel) -> Vec<Change> {
    let mut changes = Vec::new();
    if old.symbol != new.symbol {
        let side = |kernel: &Kernel| Some(Side::text(kernel.symbol.clone()));
        changes.push(Change::new(ChangeKind::Symbol, true, side(old), side(new)));
    }
    if let (Some(from), Some(to)) = (&old.host, &new.host)
        && from.result != to.result
    {
        let [from, to] = [from, to].map(|host| Some(Side::text(host.result.clone())));
        changes.push(Change::new(ChangeKind::Result, true, from, to));
    }
    let types = [old, new].map(versions::types);
    let from = versions::parameters(old, &types[0]);
    let to = versions::parameters(new, &types[1]);
    changes.extend(parameters::changes(&new.symbol, &from, &to));
    changes.extend(ROWS.iter().filter_map(|row| {
        let (sides, breaks) = row.change(&old.limits, &new.limits)?;
        let [old, new] = sides.map(|side| side.map(Side::text));
        Some(Change::new(ChangeKind::Limit { name: row.name, title: row.title }, breaks, old, new))
    }));
    changes
}

/// For PTX only: whether their lowest GPU is the same.
fn share_gpu(a: &Kernel, b: &Kernel) -> bool {
    let gpus = |kernel: &Kernel, kind| -> BTreeSet<Sm> {
        let images = kernel.images.iter().filter(|image| image.place.kind == kind);
        images.filter_map(|image| image.place.sm).collect()
    };
    let share = |kind| !gpus(a, kind).is_disjoint(&gpus(b, kind));
    let has_cubins = |kernel: &Kernel| !gpus(kernel, place::Kind::Cubin).is_empty();
    if has_cubins(a) && has_cubins(b) {
        return share(place::Kind::Cubin);
    }
    share(place::Kind::Ptx) || has_cubins(a) != has_cubins(b)
}

#[cfg(test)]
mod tests {
    use super::changes;
    use crate::{
        kernel::{InImage, Kernel},
        limits::Limits,
        place::{Kind, Place, Unit},
    };
    use kernel_args_abi::Sm;

    /// Returns a kernel whose blocks have at most this many threads, in the cubins for these GPUs and optionally in
    /// PTX.
    fn kernel(threads: u32, cubins: &[u16], ptx: Option<u16>) -> Kernel {
        let image = |kind, sm| InImage {
            place: Place { unit: Unit { number: 0, file: "file".into(), member: None }, at: 0, kind, sm: Some(Sm(sm)) },
            resources: None,
        };
        let cubins = cubins.iter().map(|sm| image(Kind::Cubin, *sm));
        let mut limits = Limits::default();
        limits.directives.max_threads = Some([threads, 1, 1]);
        Kernel {
            symbol: "k".to_owned(),
            limits,
            images: cubins.chain(ptx.map(|sm| image(Kind::Ptx, sm))).collect(),
            ..Kernel::default()
        }
    }

    #[test]
    fn kernels_are_compared_with_those_for_the_same_gpu() {
        let old = [
            kernel(64, &[75], Some(90)),
            kernel(128, &[80, 90], Some(90)),
            // `sm_90a`.
            kernel(256, &[90], None),
        ];
        assert_eq!(changes(&old, &old).len(), 0);
        let mut new = old.clone();
        new.reverse();
        assert_eq!(changes(&old, &new).len(), 0);
        // The new file supports fewer GPUs.
        assert_eq!(changes(&old, &old[1..]).len(), 0);
        let new = [kernel(64, &[75], None), kernel(128, &[80, 90], Some(90))];
        let found = changes(&old, &new);
        assert!(found.len() == 1 && found[0].breaks(), "{found:?}");
        // PTX only.
        let (old, new) = (kernel(64, &[], Some(75)), kernel(32, &[], Some(80)));
        let (old, new) = ([old], [new]);
        let found = changes(&old, &new);
        assert!(found.len() == 1 && found[0].breaks(), "{found:?}");
    }
}

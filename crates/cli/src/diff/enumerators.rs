//! Compares the enumerators of an enum.

use super::change::{Change, ChangeKind, Side};
use crate::{escape::terminal, show::json};
use kernel_args_abi::{Members, signature::Variant};

/// Enumerators are matched by name, and the rest by value. An added enumerator does not break callers.
pub(super) fn push(
    path: &str,
    (from, old): (usize, Members<'_>),
    (to, new): (usize, Members<'_>),
    changes: &mut Vec<Change>,
) {
    if !old.is_enum() || !new.is_enum() || old == new {
        return;
    }
    let mut push = |kind, breaks, old: Option<Variant<'_>>, new: Option<Variant<'_>>| {
        let side =
            |index, variant: Variant<'_>| Side::member(index, path, text(path, &variant), json::enumerator(&variant));
        let (old, new) = (old.map(|old| side(from, old)), new.map(|new| side(to, new)));
        changes.push(Change::new(kind, breaks, old, new));
    };
    let is_in = |list: Members<'_>, name: &str| list.variants().any(|other| other.name == name);
    let mut renamed: Vec<&str> = Vec::new();
    for variant in old.variants() {
        match new.variants().find(|other| other.name == variant.name) {
            Some(other) if other.value == variant.value => {}
            Some(other) => push(ChangeKind::EnumeratorChanged, true, Some(variant), Some(other)),
            None => {
                let is_new = |other: &Variant<'_>| {
                    other.value == variant.value && !is_in(old, other.name) && !renamed.contains(&other.name)
                };
                match new.variants().find(is_new) {
                    Some(other) => {
                        renamed.push(other.name);
                        push(ChangeKind::EnumeratorRenamed, false, Some(variant), Some(other));
                    }
                    None => push(ChangeKind::EnumeratorRemoved, true, Some(variant), None),
                }
            }
        }
    }
    for variant in new.variants() {
        if !is_in(old, variant.name) && !renamed.contains(&variant.name) {
            push(ChangeKind::EnumeratorAdded, false, None, Some(variant));
        }
    }
}

fn text(path: &str, Variant { name, value }: &Variant<'_>) -> String {
    let name = terminal(name);
    if path.is_empty() { format!("`{name}` = {value}") } else { format!("`{name}` = {value} of `{}`", terminal(path)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns each change, with `!` if it breaks callers.
    fn changes(old: &[(&str, i128)], new: &[(&str, i128)]) -> Vec<String> {
        let [old, new] =
            [old, new].map(|list| -> Vec<_> { list.iter().map(|&(name, value)| Variant { name, value }).collect() });
        let mut changes = Vec::new();
        push("", (0, Members::of_enum(&old, None)), (0, Members::of_enum(&new, None)), &mut changes);
        let text = |side: &Option<Side>| side.as_ref().map_or("-", |side| &side.text).to_owned();
        let line = |change: &Change| {
            let breaks = if change.breaks { "!" } else { "" };
            format!("{:?}{breaks} {} → {}", change.kind, text(&change.old), text(&change.new))
        };
        changes.iter().map(line).collect()
    }

    #[test]
    fn a_value_breaks_callers_and_a_name_does_not() {
        let old = &[("fast", 0), ("slow", 1)];
        for (new, expected) in [
            (&old[..], &[][..]),
            (
                &[("slow", 0), ("fast", 1)],
                &["EnumeratorChanged! `fast` = 0 → `fast` = 1", "EnumeratorChanged! `slow` = 1 → `slow` = 0"],
            ),
            (&[("fast", 0), ("slow", 1), ("slower", 2)], &["EnumeratorAdded - → `slower` = 2"]),
            (&[("quick", 0), ("slow", 1)], &["EnumeratorRenamed `fast` = 0 → `quick` = 0"]),
            (&[("slow", 1), ("slower", 2)], &["EnumeratorRemoved! `fast` = 0 → -", "EnumeratorAdded - → `slower` = 2"]),
        ] {
            assert_eq!(changes(old, new), expected);
        }
        // Each new name is used for at most one old name.
        assert_eq!(
            changes(&[("a", 0), ("b", 0)], &[("c", 0)]),
            ["EnumeratorRenamed `a` = 0 → `c` = 0", "EnumeratorRemoved! `b` = 0 → -"]
        );
        assert_eq!(changes(&[], &[]), [""; 0]);
    }
}

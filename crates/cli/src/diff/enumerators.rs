//! Compares the enumerators of an enum.

use super::change::{Change, ChangeKind, Side};
use crate::{escape::terminal, show::json};
use kernel_args_abi::{Members, signature::Variant};

/// Returns the changes of the enum at `path` of the parameter with index `to`. Enumerators are matched by name, and the rest by
/// value. An added enumerator does not break callers.
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
        let side = |index, variant: Variant<'_>| {
            let value = json::enumerator(&variant);
            Side::member(index, path, text(path, &variant), value)
        };
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

    type List = [(&'static str, i128)];

    fn changes(old: &List, new: &List) -> Vec<(ChangeKind, bool, String)> {
        let variants = |list: &List| -> Vec<Variant<'static>> {
            let of = |&(name, value): &(&'static str, i128)| Variant { name, value };
            list.iter().map(of).collect()
        };
        let (old, new) = (variants(old), variants(new));
        let mut changes = Vec::new();
        let (old, new) = (Members::of_enum(&old, None), Members::of_enum(&new, None));
        push("", (0, old), (0, new), &mut changes);
        let text = |side: &Option<Side>| side.as_ref().map_or("-", |side| &side.text).to_owned();
        let changes = changes.iter().map(|change| {
            let sides = format!("{} → {}", text(&change.old), text(&change.new));
            (change.kind, change.breaks, sides)
        });
        changes.collect()
    }

    #[test]
    fn a_value_breaks_callers_and_a_name_does_not() {
        let old: &List = &[("fast", 0), ("slow", 1)];
        assert_eq!(changes(old, old), []);
        let change = |kind, breaks, text: &str| (kind, breaks, text.to_owned());
        assert_eq!(
            changes(old, &[("slow", 0), ("fast", 1)]),
            [
                change(ChangeKind::EnumeratorChanged, true, "`fast` = 0 → `fast` = 1"),
                change(ChangeKind::EnumeratorChanged, true, "`slow` = 1 → `slow` = 0")
            ]
        );
        assert_eq!(
            changes(old, &[("fast", 0), ("slow", 1), ("slower", 2)]),
            [change(ChangeKind::EnumeratorAdded, false, "- → `slower` = 2")]
        );
        assert_eq!(
            changes(old, &[("quick", 0), ("slow", 1)]),
            [change(ChangeKind::EnumeratorRenamed, false, "`fast` = 0 → `quick` = 0")]
        );
        assert_eq!(
            changes(old, &[("slow", 1), ("slower", 2)]),
            [
                change(ChangeKind::EnumeratorRemoved, true, "`fast` = 0 → -"),
                change(ChangeKind::EnumeratorAdded, false, "- → `slower` = 2")
            ]
        );
        // Each new name is used for at most one old name.
        assert_eq!(
            changes(&[("a", 0), ("b", 0)], &[("c", 0)]),
            [
                change(ChangeKind::EnumeratorRenamed, false, "`a` = 0 → `c` = 0"),
                change(ChangeKind::EnumeratorRemoved, true, "`b` = 0 → -")
            ]
        );
        assert_eq!(changes(&[], &[]), []);
    }
}

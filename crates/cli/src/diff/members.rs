//! Compares the members of structs and the enumerators of enums.

use super::{
    change::{Change, ChangeKind, Side},
    enumerators,
};
use crate::{
    kernel::DEPTH,
    show::{json, types},
    style::count,
};
use kernel_args_abi::{Members, Parameter};

/// The most members of a parameter that are compared.
const MOST: usize = 4096;

struct Flat<'a> {
    path: String,
    /// From the start of the outermost struct, in bytes.
    offset: usize,
    member: Parameter<'a>,
}

/// Members are matched by name, and the rest by offset. `breaks` is the result of the comparison for this parameter.
pub(super) fn changes(
    (from, old): (usize, &Parameter<'_>),
    (to, new): (usize, &Parameter<'_>),
    breaks: bool,
) -> Vec<Change> {
    let mut values = Vec::new();
    enumerators::push("", (from, old.members), (to, new.members), &mut values);
    if !old.members.is_known() || !new.members.is_known() || old.members == new.members {
        return values;
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    flatten(old.members, "", 0, DEPTH, &mut before);
    flatten(new.members, "", 0, DEPTH, &mut after);
    let mut changes = Vec::new();
    let mut is_taken = vec![false; after.len()];
    let mut left = Vec::new();
    let mut push = |kind, old: Option<&Flat<'_>>, new: Option<&Flat<'_>>| {
        let side = |index, flat: &Flat<'_>| Side::member(index, &flat.path, text(flat), json::parameter(&flat.member));
        let (old, new) = (old.map(|flat| side(from, flat)), new.map(|flat| side(to, flat)));
        changes.push(Change::new(kind, breaks && kind != ChangeKind::MemberRenamed, old, new));
    };
    for flat in &before {
        match after.iter().position(|other| other.path == flat.path) {
            Some(index) if !is_taken[index] => {
                is_taken[index] = true;
                let other = &after[index];
                let (a, b) = (flat.member.members, other.member.members);
                enumerators::push(&flat.path, (from, a), (to, b), &mut values);
                if !same_type(&flat.member, &other.member) {
                    push(ChangeKind::MemberRetyped, Some(flat), Some(other));
                } else if flat.offset != other.offset {
                    push(ChangeKind::MemberMoved, Some(flat), Some(other));
                }
            }
            _ => left.push(flat),
        }
    }
    for flat in left {
        let is_renamed = |(other, is_taken): (&Flat<'_>, &bool)| {
            !is_taken && other.offset == flat.offset && same_type(&flat.member, &other.member)
        };
        match after.iter().zip(&is_taken).position(is_renamed) {
            Some(index) => {
                is_taken[index] = true;
                push(ChangeKind::MemberRenamed, Some(flat), Some(&after[index]));
            }
            None => push(ChangeKind::MemberRemoved, Some(flat), None),
        }
    }
    for (other, _) in after.iter().zip(is_taken).filter(|(_, is_taken)| !is_taken) {
        push(ChangeKind::MemberAdded, None, Some(other));
    }
    changes.extend(values);
    changes
}

fn flatten<'a>(members: Members<'a>, path: &str, base: usize, depth: u32, flat: &mut Vec<Flat<'a>>) {
    for member in members.iter() {
        if flat.len() == MOST {
            return;
        }
        let path = if path.is_empty() { member.name.to_owned() } else { format!("{path}.{}", member.name) };
        let offset = base.saturating_add(member.offset.unwrap_or(0));
        if depth > 0 {
            let inner = member.members;
            flat.push(Flat { path: path.clone(), offset, member });
            flatten(inner, &path, offset, depth - 1, flat);
        }
    }
}

fn same_type(a: &Parameter<'_>, b: &Parameter<'_>) -> bool {
    a.size == b.size && (a.cpp == b.cpp || a.cpp.is_unknown() || b.cpp.is_unknown())
}

fn text(flat: &Flat<'_>) -> String {
    let Flat { path, offset, member } = flat;
    let (ty, size) = (types::spelling(member), count(member.size, "byte"));
    format!("`{path}`: {ty}, {size} at byte {offset}")
}

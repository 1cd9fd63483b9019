//! Compares the parameters of two kernels with `kernel_args_abi::check`: the old kernel takes the role of the caller's
//! arguments.

use super::{
    change::{Change, ChangeKind, Side},
    members,
};
use kernel_args_abi::{
    Alignment, Class, CppBase, Parameter, Signature,
    check::{Difference, Differences, Mismatch, Report, report},
};
use std::collections::BTreeSet;

const MOST: usize = 128;

pub(super) fn changes(symbol: &str, old: &[Parameter<'_>], new: &[Parameter<'_>]) -> Vec<Change> {
    let [old, new] = &[old, new].map(|list| list.iter().map(with_class_of_type).collect::<Vec<_>>());
    let [before, after] = [old, new].map(|parameters| Signature { name: symbol, parameters });
    let report: Report<'_, MOST> = report(&before, &after);
    let side = |list: &[Parameter<'_>], index: usize| list.get(index).map(|p| Side::parameter(index, p));
    let breaking = |kind, old, new| Change::new(kind, true, old, new);
    let mut changes = Vec::new();
    // The parameters that have not been reported. They match in their order.
    let [mut before, mut after] = [old, new].map(|list| (0..list.len()).collect::<BTreeSet<_>>());
    for mismatch in report.mismatches() {
        match *mismatch {
            Mismatch::Differs { field, parameter, differences, exchanged } => {
                before.remove(&field);
                after.remove(&parameter);
                match exchanged {
                    Some(other) if field < other => {
                        let partner = report.of_field(other).and_then(Mismatch::parameter);
                        let place = partner.unwrap_or(parameter);
                        changes.push(breaking(ChangeKind::Exchanged, side(old, field), side(new, place)));
                    }
                    Some(_) => {}
                    None => changes.extend(differs((field, old), (parameter, new), differences)),
                }
            }
            Mismatch::Missing { moved, parameter, .. } => {
                after.remove(&parameter);
                if moved.is_none() {
                    changes.push(breaking(ChangeKind::Added, None, side(new, parameter)));
                }
            }
            Mismatch::Extra { field, moved } => {
                before.remove(&field);
                let kind = if moved.is_some() { ChangeKind::Moved } else { ChangeKind::Removed };
                changes.push(breaking(kind, side(old, field), moved.and_then(|to| side(new, to))));
            }
            _ => {}
        }
    }
    // The comparison keeps a limited number of mismatches. The rest cannot be reported one by one.
    if report.total() <= report.len() {
        changes.extend(before.into_iter().zip(after).flat_map(|(from, to)| alike((from, old), (to, new))));
    }
    changes.sort_by_key(|change| {
        let index = |side: &Option<Side>| side.as_ref().and_then(|side| side.index);
        index(&change.new).or(index(&change.old))
    });
    changes
}

/// With the class of its C++ type. PTX does not mark pointers, a cubin may mark them, and PTX declares a scalar
/// `__grid_constant__` as bytes. With the same type these differences are not changes.
fn with_class_of_type<'a>(parameter: &Parameter<'a>) -> Parameter<'a> {
    let class = match parameter.cpp.base {
        _ if parameter.cpp.is_pointer() => Class::Pointer,
        CppBase::Bool | CppBase::Char | CppBase::Integer { .. } | CppBase::Long { .. } => Class::Integer,
        CppBase::Float { .. } => Class::Float,
        _ => parameter.class,
    };
    Parameter { class, ..*parameter }
}

fn differs(
    (field, old): (usize, &[Parameter<'_>]),
    (parameter, new): (usize, &[Parameter<'_>]),
    differences: Differences,
) -> Vec<Change> {
    let (Some(from), Some(to)) = (old.get(field), new.get(parameter)) else {
        return Vec::new();
    };
    let mut changes = Vec::new();
    // For a type that grew: the member that grew.
    if differences.contains(Difference::Members) || from.cpp == to.cpp {
        changes = members::changes((field, from), (parameter, to), true);
    }
    let of_itself = differences
        .iter()
        .any(|difference| !matches!(difference, Difference::Members | Difference::ParameterName | Difference::Offset));
    let kinds = [
        (of_itself || differences.contains(Difference::Members) && changes.is_empty(), ChangeKind::Retyped),
        (differences.contains(Difference::ParameterName), ChangeKind::Exchanged),
        (differences.contains(Difference::Offset), ChangeKind::Offset),
    ];
    if let Some((_, kind)) = kinds.into_iter().find(|(is_it, _)| *is_it) {
        // An exchanged parameter is shown at its new position in the kernel.
        let named = new.iter().position(|other| other.name == from.name);
        let place = named.filter(|_| kind == ChangeKind::Exchanged).unwrap_or(parameter);
        let (from, to) = (Side::parameter(field, from), Side::parameter(place, &new[place]));
        changes.insert(0, Change::new(kind, true, Some(from), Some(to)));
    }
    changes
}

fn alike((from, old): (usize, &[Parameter<'_>]), (to, new): (usize, &[Parameter<'_>])) -> Vec<Change> {
    let (a, b) = (&old[from], &new[to]);
    let sides = |kind, breaks| {
        let (a, b) = (Side::parameter(from, a), Side::parameter(to, b));
        Change::new(kind, breaks, Some(a), Some(b))
    };
    let mut changes = members::changes((from, a), (to, b), false);
    if is_displaced((from, old), (to, new)) {
        changes.push(sides(ChangeKind::Offset, true));
    }
    if !a.cpp.is_unknown() && !b.cpp.is_unknown() && a.cpp != b.cpp {
        changes.push(sides(ChangeKind::Retyped, false));
    }
    if !a.name.is_empty() && !b.name.is_empty() && a.name != b.name {
        changes.push(sides(ChangeKind::Renamed, false));
    }
    changes
}

/// With unchanged end offsets of all previous parameters. For cubins this is the only sign of a changed alignment.
fn is_displaced((from, old): (usize, &[Parameter<'_>]), (place, new): (usize, &[Parameter<'_>])) -> bool {
    let end = |list: &[Parameter<'_>], index: usize| match index.checked_sub(1) {
        Some(last) => list.get(last).and_then(|p| Some(p.offset? + p.size)),
        None => Some(0),
    };
    let (before, after) = (&old[from], &new[place]);
    let depends_on_gpu = |p: &Parameter<'_>| p.align.is_some_and(|align| align > Alignment::SIXTEEN);
    let offsets = before.offset.is_some() && after.offset.is_some() && before.offset != after.offset;
    offsets && !depends_on_gpu(before) && !depends_on_gpu(after) && end(old, from) == end(new, place)
}

//! Compares the parameters of two kernels with `kernel_args_abi::check`: the old kernel takes the role of the caller's
//! arguments.

use super::{
    change::{Change, Kind, Side},
    members,
};
use kernel_args_abi::{
    Alignment, Class, CppBase, Parameter, Signature,
    check::{Difference, Differences, Mismatch, Report, report},
};

/// The maximum number of mismatches that are reported per kernel.
const MOST: usize = 128;

#[expect(clippy::too_many_lines, reason = "one arm for each kind of mismatch")]
pub(super) fn changes(symbol: &str, old: &[Parameter<'_>], new: &[Parameter<'_>]) -> Vec<Change> {
    let (old, new): (Vec<_>, Vec<_>) = (
        old.iter().map(with_class_of_type).collect(),
        new.iter().map(with_class_of_type).collect(),
    );
    let (old, new) = (&old[..], &new[..]);
    let signature = |parameters| Signature {
        name: symbol,
        parameters,
    };
    let (before, after) = (signature(old), signature(new));
    let report: Report<'_, MOST> = report(&before, &after);
    let side =
        |list: &[Parameter<'_>], index: usize| list.get(index).map(|p| Side::parameter(index, p));
    let mut changes = Vec::new();
    let mut pairs = Pairs::new(old.len(), new.len());
    for mismatch in report.mismatches() {
        match *mismatch {
            Mismatch::Differs {
                field,
                parameter,
                exchanged: Some(other),
                ..
            } if field < other => {
                let place = partner(&report, other).unwrap_or(parameter);
                changes.push(Change::new(
                    Kind::Exchanged,
                    true,
                    side(old, field),
                    side(new, place),
                ));
                pairs.take(field, parameter);
            }
            Mismatch::Differs {
                field,
                parameter,
                exchanged: Some(_),
                ..
            } => pairs.take(field, parameter),
            Mismatch::Differs {
                field,
                parameter,
                differences,
                exchanged: None,
            } => {
                pairs.take(field, parameter);
                changes.extend(differs((field, old), (parameter, new), differences));
            }
            Mismatch::Missing {
                moved: Some(_),
                parameter,
                ..
            } => pairs.take_new(parameter),
            Mismatch::Missing { parameter, .. } => {
                pairs.take_new(parameter);
                changes.push(Change::new(Kind::Added, true, None, side(new, parameter)));
            }
            Mismatch::Extra { field, moved } => {
                pairs.take_old(field);
                let kind = if moved.is_some() {
                    Kind::Moved
                } else {
                    Kind::Removed
                };
                let to = moved.and_then(|to| side(new, to));
                changes.push(Change::new(kind, true, side(old, field), to));
            }
            Mismatch::Split {
                first,
                last,
                parameter,
            } => {
                (first..=last).for_each(|field| pairs.take_old(field));
                pairs.take_new(parameter);
                let mut from = Side::text(range(old, first, last));
                from.index = Some(first);
                changes.push(Change::new(
                    Kind::Split,
                    true,
                    Some(from),
                    side(new, parameter),
                ));
            }
            Mismatch::Joined { field, first, last } => {
                (first..=last).for_each(|parameter| pairs.take_new(parameter));
                pairs.take_old(field);
                let mut to = Side::text(range(new, first, last));
                to.index = Some(first);
                changes.push(Change::new(Kind::Joined, true, side(old, field), Some(to)));
            }
            _ => {}
        }
    }
    // The comparison keeps a limited number of mismatches. The rest cannot be reported one by one.
    if report.total() <= report.len() {
        changes.extend(
            pairs
                .rest()
                .flat_map(|(from, to)| alike((from, old), (to, new))),
        );
    }
    changes.sort_by_key(|change| {
        let index = |side: &Option<Side>| side.as_ref().and_then(|side| side.index);
        index(&change.new).or(index(&change.old))
    });
    changes
}

/// Returns the parameter with the class of its C++ type, if the type is known. PTX does not mark pointers, a cubin may mark
/// them, and PTX declares a scalar `__grid_constant__` as bytes. With the same type these differences are not changes.
fn with_class_of_type<'a>(parameter: &Parameter<'a>) -> Parameter<'a> {
    let class = match parameter.cpp.base {
        _ if parameter.cpp.is_pointer() => Class::Pointer,
        CppBase::Bool | CppBase::Char | CppBase::Integer { .. } | CppBase::Long { .. } => {
            Class::Integer
        }
        CppBase::Float { .. } => Class::Float,
        _ => parameter.class,
    };
    Parameter {
        class,
        ..*parameter
    }
}

/// The parameter that has the position of a field.
fn partner(report: &Report<'_, MOST>, field: usize) -> Option<usize> {
    report.of_field(field).and_then(Mismatch::parameter)
}

fn differs(
    (field, old): (usize, &[Parameter<'_>]),
    (parameter, new): (usize, &[Parameter<'_>]),
    differences: Differences,
) -> Vec<Change> {
    let (Some(from), Some(to)) = (old.get(field), new.get(parameter)) else {
        return Vec::new();
    };
    let sides = || {
        (
            Some(Side::parameter(field, from)),
            Some(Side::parameter(parameter, to)),
        )
    };
    let mut changes = Vec::new();
    // For a type that grew: the member that grew.
    if differences.contains(Difference::Members) || from.cpp == to.cpp {
        changes = members::changes((field, from), (parameter, to), true);
    }
    let of_itself = differences.iter().any(|difference| {
        !matches!(
            difference,
            Difference::Members | Difference::ParameterName | Difference::Offset
        )
    });
    let kind = if of_itself || differences.contains(Difference::Members) && changes.is_empty() {
        Some(Kind::Retyped)
    } else if differences.contains(Difference::ParameterName) {
        Some(Kind::Exchanged)
    } else if differences.contains(Difference::Offset) {
        Some(Kind::Offset)
    } else {
        None
    };
    if let Some(kind) = kind {
        let (mut from_side, mut to_side) = sides();
        if kind == Kind::Exchanged {
            // Identified by the caller's parameter, and by its new position in the kernel.
            if let Some(place) = new.iter().position(|other| other.name == from.name) {
                to_side = Some(Side::parameter(place, &new[place]));
            }
            from_side = Some(Side::parameter(field, from));
        }
        changes.insert(0, Change::new(kind, true, from_side, to_side));
    }
    changes
}

/// Reports changes in two parameters that are compatible with each other.
fn alike(
    (from, old): (usize, &[Parameter<'_>]),
    (to, new): (usize, &[Parameter<'_>]),
) -> Vec<Change> {
    let (Some(a), Some(b)) = (old.get(from), new.get(to)) else {
        return Vec::new();
    };
    let sides = |kind, breaks| {
        let (a, b) = (Side::parameter(from, a), Side::parameter(to, b));
        Change::new(kind, breaks, Some(a), Some(b))
    };
    let mut changes = members::changes((from, a), (to, b), false);
    if is_displaced((from, old), (to, new)) {
        changes.push(sides(Kind::Offset, true));
    }
    let known = |p: &Parameter<'_>| !p.cpp.is_unknown();
    if known(a) && known(b) && a.cpp != b.cpp {
        changes.push(sides(Kind::Retyped, false));
    }
    if !a.name.is_empty() && !b.name.is_empty() && a.name != b.name {
        changes.push(sides(Kind::Renamed, false));
    }
    changes
}

/// Whether a parameter has a different offset, although the end offsets of all previous parameters are unchanged. For cubins
/// this is the only sign of a changed alignment.
fn is_displaced(
    (from, old): (usize, &[Parameter<'_>]),
    (place, new): (usize, &[Parameter<'_>]),
) -> bool {
    let end = |list: &[Parameter<'_>], index: usize| match index.checked_sub(1) {
        Some(last) => list.get(last).and_then(|p| Some(p.offset? + p.size)),
        None => Some(0),
    };
    let (before, after) = (&old[from], &new[place]);
    let depends_on_gpu =
        |p: &Parameter<'_>| p.align.is_some_and(|align| align > Alignment::SIXTEEN);
    let offsets =
        before.offset.is_some() && after.offset.is_some() && before.offset != after.offset;
    offsets
        && !depends_on_gpu(before)
        && !depends_on_gpu(after)
        && end(old, from) == end(new, place)
}

fn range(parameters: &[Parameter<'_>], first: usize, last: usize) -> String {
    let texts = parameters
        .get(first..=last)
        .unwrap_or_default()
        .iter()
        .map(super::change::parameter);
    texts.collect::<Vec<_>>().join(" and ")
}

/// The parameters that have been reported. The remaining parameters match in their order.
struct Pairs {
    old: Vec<bool>,
    new: Vec<bool>,
}

impl Pairs {
    fn new(old: usize, new: usize) -> Self {
        Self {
            old: vec![false; old],
            new: vec![false; new],
        }
    }

    fn take(&mut self, old: usize, new: usize) {
        self.take_old(old);
        self.take_new(new);
    }

    fn take_old(&mut self, index: usize) {
        if let Some(is_taken) = self.old.get_mut(index) {
            *is_taken = true;
        }
    }

    fn take_new(&mut self, index: usize) {
        if let Some(is_taken) = self.new.get_mut(index) {
            *is_taken = true;
        }
    }

    fn rest(&self) -> impl Iterator<Item = (usize, usize)> {
        let free = |list: &[bool]| {
            let free = list.iter().enumerate().filter(|(_, is_taken)| !**is_taken);
            free.map(|(index, _)| index).collect::<Vec<_>>()
        };
        free(&self.old).into_iter().zip(free(&self.new))
    }
}

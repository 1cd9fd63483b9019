//! What two members, or two values, are to each other.

use super::{cursor::Item, member_mismatch::NotComparedReason};
use crate::{bytes::same, class::Class, cpp::Builtin, signature::Parameter};

/// Why two values that match are not compared further, if they are not scalars.
pub(super) const fn why_not(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Option<NotComparedReason> {
    if let Some(why) = kernel.members.why_opaque() {
        return Some(NotComparedReason::Opaque(why));
    }
    if let Some(why) = host.members.why_opaque() {
        return Some(NotComparedReason::Opaque(why));
    }
    let is_known = host.members.is_known() || host.cpp.is_array();
    if kernel.members.is_known() && !is_known && !host.cpp.is_pointer() {
        return Some(NotComparedReason::Unknown);
    }
    None
}

/// Whether a scalar differs from a struct that contains such a scalar. The member of `__half` is storage, and an enum
/// is no component of a vector such as `uchar1`.
pub(super) const fn is_no_part(scalar: &Item<'_>, of: &Item<'_>) -> bool {
    !scalar.opens()
        && of.opens()
        && matches!(builtin(&of.member), Some(row) if row.components == 0 || scalar.member.members.is_enum())
}

/// Whether the first member of a struct, at any depth, is the number in the other list, such as `__half`. CUDA's
/// headers store such numbers as integers.
pub(super) const fn wraps(whole: &Item<'_>, number: &Item<'_>) -> bool {
    let own = some!(builtin(&number.member), false);
    let first = some!(whole.member.members.get_unspelled(0), false);
    own.components == 0
        && (first.members.is_known() && builtin(&first).is_none()
            || matches!(builtin(&first), Some(other) if same(other.cpp, own.cpp)))
}

const fn builtin(member: &Parameter<'_>) -> Option<&'static Builtin> {
    if member.cpp.is_pointer() { None } else { member.cpp.base.builtin() }
}

/// Whether it is compared by name: a struct whose members are unknown.
pub(super) const fn is_whole(item: &Item<'_>) -> bool {
    !item.opens() && matches!(item.element().class, Class::Bytes)
}

pub(super) const fn common_divisor(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether its bytes cannot be compared: a union, or unknown members.
pub(super) const fn is_opaque(item: &Item<'_>) -> bool {
    !item.is_struct()
        && (item.member.members.why_opaque().is_some()
            || item.member.cpp.is_unknown() && matches!(item.member.class, Class::Bytes))
}

pub(super) const fn why_opaque(item: &Item<'_>) -> NotComparedReason {
    match item.member.members.why_opaque() {
        Some(why) => NotComparedReason::Opaque(why),
        None => NotComparedReason::Unknown,
    }
}

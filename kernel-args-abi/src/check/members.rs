//! Compares the members of two structs one by one.

use super::{
    cursor::{Cursor, Item},
    difference::{Difference, Differences},
    dimensions,
    names::{MemberNames, is_of_another_member},
    value::compare_values,
};
use crate::{
    bytes::same,
    class::Class,
    cpp::{Builtin, CppBase, name},
    signature::{Members, Parameter},
};

/// The maximum number of enclosing structs in a [`Place`].
pub(crate) const NAMES: usize = 4;

/// How a member of the host's struct and a member of the kernel's struct differ. Offsets count from the beginning of
/// the outermost struct, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemberMismatch<'a> {
    /// The host's member.
    pub host: Option<Place<'a>>,
    /// The kernel's member.
    pub kernel: Option<Place<'a>>,
    /// The members of the kernel's struct that contains it.
    pub siblings: Members<'a>,
    /// How they differ. [`Difference::ParameterName`] if the host's member has the name of another member of the
    /// kernel's struct.
    pub differences: Differences,
}

/// A member and its offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place<'a> {
    /// The names of the enclosing members, the outermost first. Unused entries are empty.
    pub path: [&'a str; NAMES],
    /// The member. For an array: one or several of its elements.
    pub member: Parameter<'a>,
    /// The member as its struct declares it. For elements of an array that is not in a struct, the same as
    /// [`member`](Self::member).
    pub declared: Parameter<'a>,
    /// The offset from the beginning of the outermost struct, in bytes.
    pub offset: usize,
}

/// The first member in which a field and a parameter of the same size differ. `None` if they match, or if the members
/// of one side are unknown.
///
/// - Members match by offset and type: `float x, y, z, w` matches an array of four and a `float4`. An integer does not
///   match `__half`, although `__half` contains an integer.
/// - Arrays match by their elements: `[f32; 6]` matches `float m[2][3]`. If both have several dimensions, the
///   dimensions match in the order of C++: `[[f32; 3]; 2]`.
/// - A field that covers padding of the kernel's struct counts as padding.
/// - A union or another [opaque](crate::Opaque) type matches any bytes.
/// - A name matters only if the kernel's struct uses it for another member of the same type.
///
/// Of two arrays of the same length, one element is compared. Structs nested deeper than 24 levels match.
#[must_use]
pub const fn first_difference<'a>(
    host: &Parameter<'a>,
    kernel: &Parameter<'a>,
) -> Option<MemberMismatch<'a>> {
    let is_known = host.members.is_known() || host.cpp.is_array();
    if !is_known || !kernel.members.is_known() || host.size != kernel.size {
        return None;
    }
    let (mut left, mut right) = (Cursor::new(host), Cursor::new(kernel));
    // The end of the host's members that cover opaque bytes of the kernel's struct.
    let mut covered = 0;
    let mut names = MemberNames::new();
    while !left.is_too_deep() && !right.is_too_deep() {
        let Some(k) = right.peek() else {
            // Only padding follows the kernel's last member.
            return None;
        };
        let h = left.peek();
        let is_passed = match h {
            Some(h) => k.end() <= h.offset,
            None => true,
        };
        if is_passed {
            if k.member.size == 0 || is_opaque(&k) && covered > k.offset {
                right.pass();
            } else if k.opens() {
                right.open(&k);
            } else {
                return Some(missing(&right, &k));
            }
            continue;
        }
        let Some(h) = h else { return None };
        if h.end() <= k.offset {
            left.pass();
        } else if h.offset == k.offset && h.member.size == k.member.size {
            if let Some(differences) = step(&mut left, &h, &mut right, &k, &mut names) {
                return Some(mismatch(&left, &h, &right, &k, differences));
            }
        } else if is_opaque(&k) && k.end() >= h.end() {
            covered = h.end();
            left.pass();
        } else if is_opaque(&h) && h.end() >= k.end() {
            right.pass();
        } else if h.opens() && (!k.opens() || h.member.size >= k.member.size) {
            left.open(&h);
        } else if k.opens() {
            right.open(&k);
        } else {
            let differences = Differences::NONE.with(if h.offset == k.offset {
                Difference::Size
            } else {
                Difference::Offset
            });
            return Some(mismatch(&left, &h, &right, &k, differences));
        }
    }
    None
}

/// Compares two items at the same bytes: passes them, opens them, or returns how they differ.
const fn step<'a>(
    left: &mut Cursor<'a>,
    h: &Item<'a>,
    right: &mut Cursor<'a>,
    k: &Item<'a>,
    names: &mut MemberNames,
) -> Option<Differences> {
    if is_of_another_member(h, right, k, names) {
        return Some(Differences::NONE.with(Difference::ParameterName));
    }
    let is_opaque_pair = is_opaque(k) || is_opaque(h);
    if !is_opaque_pair && !dimensions::agree(&h.member, &k.member) {
        return Some(Differences::NONE.with(Difference::Type));
    }
    let groups = common_divisor(h.elements(), k.elements());
    if groups > 1 {
        left.open_group(h, groups);
        right.open_group(k, groups);
        return None;
    }
    let one_each = h.elements() == 1 && k.elements() == 1;
    if one_each && h.is_struct() && k.is_struct() {
        if !wraps(k, h) {
            left.open(h);
        }
        if !wraps(h, k) {
            right.open(k);
        }
        return None;
    }
    let differences = if one_each {
        compare_values(&h.element(), &k.element())
    } else {
        Differences::NONE.with(Difference::Type)
    };
    if differences.is_empty() || is_opaque_pair {
        left.pass();
        right.pass();
    } else if is_no_part(h, k) || is_no_part(k, h) {
        return Some(differences);
    } else if h.opens() && k.opens() {
        // Keep an array whole until it is compared with an array: of two arrays of the same length, one element is
        // compared.
        let (left_is_array, right_is_array) = (h.elements() > 1, k.elements() > 1);
        if !left_is_array || right_is_array {
            left.open(h);
        }
        if !right_is_array || left_is_array {
            right.open(k);
        }
    } else if h.opens() && !is_whole(k) {
        left.open(h);
    } else if k.opens() && !is_whole(h) {
        right.open(k);
    } else {
        return Some(differences);
    }
    None
}

/// Whether a scalar differs from a struct although the struct contains such a scalar. The member of `__half` is
/// storage, not an integer, and an enum does not match a component of a vector such as `uchar1`.
const fn is_no_part(scalar: &Item<'_>, of: &Item<'_>) -> bool {
    !scalar.opens()
        && of.opens()
        && match builtin(&of.member) {
            Some(builtin) => builtin.components == 0 || scalar.member.members.is_enum(),
            None => false,
        }
}

/// Whether a struct contains the number in the other list, such as `__half`, as its first member, at any depth. CUDA's
/// headers store such numbers as integers.
const fn wraps(whole: &Item<'_>, number: &Item<'_>) -> bool {
    let (Some(own), Some(first)) = (builtin(&number.member), whole.member.members.get(0)) else {
        return false;
    };
    own.components == 0
        && (first.members.is_known() && builtin(&first).is_none()
            || matches!(builtin(&first), Some(other) if same(other.cpp, own.cpp)))
}

const fn builtin(member: &Parameter<'_>) -> Option<&'static Builtin> {
    match member.cpp.base {
        CppBase::Named(name) if member.cpp.depth == 0 => name::builtin(name),
        _ => None,
    }
}

/// Whether it is a struct whose members are unknown: it is compared by name.
const fn is_whole(item: &Item<'_>) -> bool {
    !item.opens() && matches!(item.element().class, Class::Bytes)
}

const fn common_divisor(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether its bytes cannot be compared: a union, or a struct whose members are unknown.
const fn is_opaque(item: &Item<'_>) -> bool {
    !item.is_struct()
        && (item.member.members.why_opaque().is_some()
            || item.member.cpp.is_unknown() && matches!(item.member.class, Class::Bytes))
}

const fn missing<'a>(right: &Cursor<'a>, k: &Item<'a>) -> MemberMismatch<'a> {
    MemberMismatch {
        host: None,
        kernel: Some(place(right, k)),
        siblings: k.siblings,
        differences: Differences::NONE.with(Difference::Offset),
    }
}

const fn mismatch<'a>(
    left: &Cursor<'a>,
    h: &Item<'a>,
    right: &Cursor<'a>,
    k: &Item<'a>,
    differences: Differences,
) -> MemberMismatch<'a> {
    MemberMismatch {
        host: Some(place(left, h)),
        kernel: Some(place(right, k)),
        siblings: k.siblings,
        differences,
    }
}

const fn place<'a>(cursor: &Cursor<'a>, item: &Item<'a>) -> Place<'a> {
    Place {
        path: cursor.path(),
        member: item.member,
        declared: match item.siblings.get(item.index) {
            Some(declared) => declared,
            None => item.member,
        },
        offset: item.offset,
    }
}

//! Whether the members of two structs agree, one by one.

use super::{
    cursor::{Cursor, Item},
    difference::{Difference, Differences},
    names::{MemberNames, is_of_another_member},
    value::compare_values,
};
use crate::{
    bytes::same,
    class::Class,
    cpp::{Builtin, CppBase, name},
    signature::{Members, Parameter},
};

/// How many names of structs around a member are told.
pub(crate) const NAMES: usize = 4;

/// How one member of a struct and one of the kernel's differ. The offsets count from the beginning of the outermost struct.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct MemberMismatch<'a> {
    /// The host's, with the names of the structs around it.
    pub host: Option<Place<'a>>,
    /// The kernel's.
    pub kernel: Option<Place<'a>>,
    /// The members among which the kernel's is.
    pub siblings: Members<'a>,
    /// How they differ; [`Difference::ParameterName`] where the host's has the name of another one of the kernel's.
    pub differences: Differences,
}

/// A member and where it lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Place<'a> {
    /// The names of the members that it lies in, the outermost first; empty for the rest.
    pub path: [&'a str; NAMES],
    /// The member; of an array one element, or several.
    pub member: Parameter<'a>,
    /// The member as its struct declares it. Where that is no struct but an array, [`member`](Self::member).
    pub declared: Parameter<'a>,
    /// From the beginning of the outermost struct, in bytes.
    pub offset: usize,
}

/// The first member in which a field differs from a parameter of the same size. `None` where they agree, and where one of
/// them does not tell its members.
///
/// - Members agree by where they lie and what they are: `float x, y, z, w` is an array of four and a `float4`. An integer is no
///   `__half`, though that stores one.
/// - A field where the kernel's struct has padding is padding too.
/// - A union, and what else is [opaque](crate::Opaque), agrees with everything in its place.
/// - A name matters where the kernel has it elsewhere, for a member of the same type.
///
/// Of arrays of one length it compares one element. Structs that lie more than 24 deep in each other agree.
#[must_use]
pub const fn first_difference<'a>(
    host: &Parameter<'a>,
    kernel: &Parameter<'a>,
) -> Option<MemberMismatch<'a>> {
    let is_told = host.members.is_known() || host.cpp.is_array();
    if !is_told || !kernel.members.is_known() || host.size != kernel.size {
        return None;
    }
    let (mut left, mut right) = (Cursor::new(host), Cursor::new(kernel));
    // Where the host's members end that lie in opaque bytes of the kernel's.
    let mut covered = 0;
    let mut names = MemberNames::new();
    while !left.is_too_deep() && !right.is_too_deep() {
        let Some(k) = right.peek() else {
            // Behind the kernel's last member is padding.
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

/// Two that lie in the same bytes: passes them, or opens them, or says how they differ.
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
    if differences.is_empty() || is_opaque(k) || is_opaque(h) {
        left.pass();
        right.pass();
    } else if is_no_part(h, k) || is_no_part(k, h) {
        return Some(differences);
    } else if h.opens() && k.opens() {
        // An array stays whole until it is held against one: of arrays of one length one element is compared.
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

/// Whether a scalar does not stand for what the struct in its place consists of: the member of `__half` is how CUDA's headers store
/// a number, not an integer, and no enum is the component of a vector such as `uchar1`.
const fn is_no_part(scalar: &Item<'_>, of: &Item<'_>) -> bool {
    !scalar.opens()
        && of.opens()
        && match builtin(&of.member) {
            Some(builtin) => builtin.components == 0 || scalar.member.members.is_enum(),
            None => false,
        }
}

/// Whether a struct is around a number that CUDA's headers store as an integer, such as the `__half` in its place: a `__half` is its
/// first member, or in that.
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

/// Whether it is a struct whose members are not told: by its name alone.
const fn is_whole(item: &Item<'_>) -> bool {
    !item.opens() && matches!(item.element().class, Class::Bytes)
}

const fn common_divisor(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether it is bytes that are not told apart: a union, or a struct whose members are not known.
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

//! What to change in a struct whose members differ.

use super::{
    cursor::offset,
    member_mismatch::{MemberMismatch, NAMES},
    value::compare_values,
};
use crate::{
    bytes::same,
    signature::{Members, Opaque, Parameter},
};

/// What to change in a struct to mend its first difference. Names count before types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "constants cannot allocate")]
pub enum MemberRepair<'a> {
    /// Write the members in the order of these.
    Order(Members<'a>),
    /// Exchange the members of these names.
    Exchange(&'a str, &'a str),
    /// Declare this member with the type of the kernel's member.
    Declare(Parameter<'a>, Parameter<'a>),
    /// Add the kernel's member before the host's member of this name; at the end, if it is empty.
    Add(Parameter<'a>, &'a str),
    /// Move the member of the first name before the member of the second: the kernel's struct has a
    /// union there.
    Move(&'a str, &'a str),
    /// Remove this member.
    Remove(Parameter<'a>),
    /// Add this number of bytes before the member of this name; at the end, if it is empty.
    Pad(usize, &'a str),
    /// Declare exactly these members.
    All(Members<'a>),
}

impl<'a> MemberMismatch<'a> {
    /// Returns what to change. `None` if a variant of an enum differs.
    pub const fn repair(&self) -> Option<MemberRepair<'a>> {
        self.of_namesakes().repair_here()
    }

    /// Returns what to change, for a difference [of namesakes](Self::of_namesakes).
    pub(crate) const fn repair_here(&self) -> Option<MemberRepair<'a>> {
        let (own, theirs, kernel) = (self.host_siblings, self.siblings, self.kernel);
        if own.is_empty() || theirs.is_empty() {
            return self.repair_of_whole();
        }
        if !have_one_order(own, theirs) {
            return Some(MemberRepair::Order(theirs));
        }
        let declared = kernel.declared;
        if let Some(twin) = own.find(declared.name) {
            if twin.size != declared.size || !compare_values(&twin.element(), &declared.element()).is_empty() {
                return Some(MemberRepair::Declare(twin, declared));
            }
            return match self.host {
                Some(host) if same(host.declared.cpp_name(), declared.name) && host.offset == kernel.offset => {
                    Some(MemberRepair::Declare(twin, declared))
                }
                _ => Some(self.moved(&twin)),
            };
        }
        let added = Some(MemberRepair::Add(declared, next_of_both(own, theirs, declared.name)));
        let host = some!(self.host, added);
        let own = host.declared;
        if self.whole.0.find(declared.name).is_some() && any!(i < NAMES, !same(host.path[i], kernel.path[i])) {
            // A struct or base class of the host's struct ends later than the kernel's.
            return Some(MemberRepair::Remove(own));
        }
        Some(if theirs.find(own.cpp_name()).is_some() {
            MemberRepair::Add(declared, own.name)
        } else {
            MemberRepair::Declare(own, declared)
        })
    }

    pub(crate) const fn is_of_whole(&self) -> bool {
        self.siblings.is_empty() && self.kernel.path[0].is_empty() && self.kernel.pointers[0] == 0
    }

    /// Returns what to change if only the sizes of the whole structs differ.
    const fn repair_of_whole(&self) -> Option<MemberRepair<'a>> {
        let ((own, theirs), kernel, host) = (self.whole, self.kernel, some!(self.host));
        if host.member.size == kernel.member.size || own.is_empty() || theirs.is_empty() {
            return None;
        }
        let end = end_of(theirs, theirs.len());
        let mut i = own.len();
        while i > 0 {
            i -= 1;
            if let Some(last) = own.get(i)
                && last.size > 0
                && offset(&last) >= end
                && theirs.find(last.cpp_name()).is_none()
            {
                return Some(MemberRepair::Remove(last));
            }
        }
        let end = end_of(own, own.len());
        Some(if kernel.member.size > end {
            MemberRepair::Pad(kernel.member.size - end, "")
        } else {
            MemberRepair::All(theirs)
        })
    }

    /// Returns what to change if a member has moved, and those before it are right.
    const fn moved(&self, twin: &Parameter<'a>) -> MemberRepair<'a> {
        let (own, theirs, kernel) = (self.host_siblings, self.siblings, &self.kernel.declared);
        let index = some!(own.position(kernel.name), MemberRepair::All(theirs));
        let end = end_of(own, index);
        let (at, there) = (offset(twin), offset(kernel));
        // Otherwise padding would make the struct too large.
        let has_room = end_of(own, own.len()) + there <= end_of(theirs, theirs.len()) + at;
        if at > there
            && let Some(host) = self.host
            && theirs.find(host.declared.cpp_name()).is_none()
            && own.find(host.declared.cpp_name()).is_some()
        {
            return if has_other_union(theirs, own) {
                MemberRepair::Move(twin.name, host.declared.name)
            } else {
                MemberRepair::Remove(host.declared)
            };
        }
        // The next member can be the kernel's before this one, by another name.
        if let Some(next) = own.get_unspelled(index + 1)
            && theirs.position(next.cpp_name()).is_none()
            && at + next.size == there
        {
            return MemberRepair::Exchange(twin.name, next.name);
        }
        if at < there && end < there && has_room {
            MemberRepair::Pad(there - end, twin.name)
        } else {
            MemberRepair::All(theirs)
        }
    }
}

/// Returns whether the host's struct lacks a union of the kernel's: any member can be a part of it.
const fn has_other_union(theirs: Members<'_>, own: Members<'_>) -> bool {
    any!(
        i,
        member = theirs.get_unspelled(i),
        matches!(member.members.why_opaque(), Some(Opaque::Union)) && own.position(member.name).is_none()
    )
}

/// Returns the name of the first of the host's members after the kernel's member of this name, or empty.
const fn next_of_both<'a>(own: Members<'a>, theirs: Members<'a>, name: &str) -> &'a str {
    let mut i = match theirs.position(name) {
        Some(i) => i + 1,
        None => theirs.len(),
    };
    while let Some(member) = theirs.get_unspelled(i) {
        if let Some(next) = own.position_near(i, member.name)
            && let Some(next) = own.get_unspelled(next)
        {
            return next.name;
        }
        i += 1;
    }
    ""
}

pub(super) const fn end_of(members: Members<'_>, count: usize) -> usize {
    let (mut end, mut i) = (0, 0);
    while i < count
        && let Some(member) = members.get_unspelled(i)
    {
        let own = offset(&member) + member.size;
        end = if own > end { own } else { end };
        i += 1;
    }
    end
}

const fn have_one_order(own: Members<'_>, theirs: Members<'_>) -> bool {
    let (mut last, mut i) = (0, 0);
    while let Some(member) = theirs.get_unspelled(i) {
        if let Some(place) = own.position_near(i, member.name) {
            if place < last {
                return false;
            }
            last = place;
        }
        i += 1;
    }
    true
}

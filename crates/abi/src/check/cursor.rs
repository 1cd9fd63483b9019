//! A position among the members of a struct, including nested members and array elements.

use super::member_mismatch::{NotComparedReason, Place, Route};
use crate::{
    bytes::same,
    class::Class,
    cpp::Builtin,
    signature::{Members, Parameter},
};

const DEEPEST: usize = 24;

#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    /// For an array: the elements that are left. It can lack its spelling: see [`declared`](Self::declared).
    pub(super) member: Parameter<'a>,
    /// From the beginning of the outermost struct, in bytes.
    pub(super) offset: usize,
    pub(super) start: usize,
    /// The members of the enclosing struct, and the index among them.
    pub(super) siblings: Members<'a>,
    pub(super) index: usize,
    /// The number of the enclosing struct, in the order of opening.
    pub(super) number: usize,
}

impl<'a> Item<'a> {
    pub(super) const fn end(&self) -> usize {
        self.offset.saturating_add(self.member.size)
    }

    pub(super) const fn elements(&self) -> usize {
        self.member.cpp.elements()
    }

    pub(super) const fn declared(&self) -> Parameter<'a> {
        some!(self.siblings.get(self.index), self.member)
    }

    pub(super) const fn element(&self) -> Parameter<'a> {
        self.member.element()
    }

    pub(super) const fn is_struct(&self) -> bool {
        self.member.members.is_known()
    }

    /// Returns whether it contains members or elements that can be compared one by one.
    pub(super) const fn opens(&self) -> bool {
        self.elements() > 1 || self.is_struct()
    }
}

#[derive(Clone, Copy)]
struct OpenList<'a> {
    name: &'a str,
    base: usize,
    list: Opened<'a>,
    index: usize,
}

#[derive(Clone, Copy)]
#[allow(clippy::large_enum_variant, reason = "constants cannot allocate")]
enum Opened<'a> {
    Members(Members<'a>, usize),
    /// The first element, and the number of elements.
    Elements(Item<'a>, usize),
}

impl<'a> OpenList<'a> {
    const fn of(value: &Parameter<'a>) -> Self {
        let member = Parameter { name: "", ..*value };
        let item = Item { member, offset: 0, start: 0, siblings: Members::UNKNOWN, index: 0, number: 0 };
        Self { name: "", base: 0, list: Opened::Elements(item, 1), index: 0 }
    }
}

pub(super) struct Cursor<'a> {
    /// The route to the value.
    pub(super) start: Route<'a>,
    levels: [OpenList<'a>; DEEPEST],
    depth: usize,
    opened: usize,
    pub(super) is_too_deep: bool,
}

impl<'a> Cursor<'a> {
    pub(super) const EMPTY: Self = Self {
        start: Route::START,
        levels: [OpenList::of(&Parameter::record(0, 0)); DEEPEST],
        depth: 0,
        opened: 0,
        is_too_deep: false,
    };

    /// Begins with a value of this type. Changes the cursor in place, because it is large.
    pub(super) const fn restart(&mut self, value: &Parameter<'a>) {
        self.clear();
        self.levels[0] = OpenList::of(value);
        self.depth = 1;
    }

    pub(super) const fn clear(&mut self) {
        (self.depth, self.opened, self.is_too_deep) = (0, 0, false);
    }

    /// Returns the next item. Closes lists that have been passed.
    pub(super) const fn peek(&mut self) -> Option<Item<'a>> {
        while self.depth > 0 {
            let level = &self.levels[self.depth - 1];
            match level.list {
                Opened::Members(siblings, number) => {
                    if let Some(member) = siblings.get_unspelled(level.index) {
                        let (start, index) = (level.base, level.index);
                        let offset = start.saturating_add(offset(&member));
                        return Some(Item { member, offset, start, siblings, index, number });
                    }
                }
                Opened::Elements(first, count) if level.index < count => {
                    let offset = first.offset.saturating_add(first.member.size.saturating_mul(level.index));
                    return Some(Item { offset, ..first });
                }
                Opened::Elements(..) => {}
            }
            self.depth -= 1;
        }
        None
    }

    pub(super) const fn pass(&mut self) {
        if self.depth > 0 {
            self.levels[self.depth - 1].index += 1;
        }
    }

    /// Moves into the next item: to the first element of an array, or the first member of a struct.
    pub(super) const fn open(&mut self, item: &Item<'a>) {
        self.pass();
        let list = if item.elements() > 1 {
            Opened::Elements(Item { member: item.element(), ..*item }, item.elements())
        } else {
            self.opened += 1;
            Opened::Members(item.member.members, self.opened)
        };
        self.push(item, &list);
    }

    /// Splits the next item, an array, into `groups` equal parts, and moves into the first one only.
    pub(super) const fn open_group(&mut self, item: &Item<'a>, groups: usize) {
        self.pass();
        let elements = item.elements() / groups;
        let member = if elements == 1 {
            item.element()
        } else {
            let cpp = item.member.cpp.element().array(elements as u32);
            Parameter { cpp, size: item.member.size / groups, ..item.member }
        };
        self.push(item, &Opened::Elements(Item { member, ..*item }, 1));
    }

    const fn push(&mut self, item: &Item<'a>, list: &Opened<'a>) {
        if self.depth == DEEPEST {
            self.is_too_deep = true;
            return;
        }
        self.levels[self.depth] = OpenList {
            // An element of an array has the name of the array.
            name: match list {
                Opened::Elements(..) => "",
                Opened::Members(..) => item.member.name,
            },
            base: item.offset,
            list: *list,
            index: 0,
        };
        self.depth += 1;
    }

    pub(super) const fn is_inside(&self, name: &str) -> bool {
        any!(level < self.depth, same(self.levels[level].name, name))
    }

    const fn route(&self) -> Route<'a> {
        let (mut route, mut level) = (self.start, 0);
        while level < self.depth {
            let name = self.levels[level].name;
            if !name.is_empty() {
                route = route.through(name, 0);
            }
            level += 1;
        }
        route
    }

    /// Returns the route to what `pointer`, a member of the open struct, points to.
    pub(super) const fn behind(&self, pointer: &Parameter<'a>) -> Route<'a> {
        self.route().through(pointer.name, pointer.cpp.depth)
    }

    pub(super) const fn place(&self, item: &Item<'a>) -> Place<'a> {
        let declared = item.declared();
        let member = Parameter { spelling: declared.spelling, ..item.member };
        Place { member, ..self.place_of(declared, item.offset) }
    }

    pub(super) const fn place_of(&self, member: Parameter<'a>, offset: usize) -> Place<'a> {
        self.route().to(member, offset)
    }
}

pub(super) const fn offset(member: &Parameter<'_>) -> usize {
    some!(member.offset, 0)
}

/// Returns why two values that match are not compared further, if they are not scalars.
pub(super) const fn why_not(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Option<NotComparedReason> {
    match (kernel.members.why_opaque(), host.members.why_opaque()) {
        (Some(why), _) | (None, Some(why)) => Some(NotComparedReason::Opaque(why)),
        _ if kernel.members.is_known()
            && !(host.members.is_known() || host.cpp.is_array() || host.cpp.is_pointer()) =>
        {
            Some(NotComparedReason::Unknown)
        }
        _ => None,
    }
}

/// Returns whether a scalar differs from a struct that contains such a scalar. The member of `__half` is storage, and
/// an enum is no component of a vector such as `uchar1`.
pub(super) const fn is_no_part(scalar: &Item<'_>, of: &Item<'_>) -> bool {
    !scalar.opens()
        && of.opens()
        && matches!(builtin(&of.member), Some(row) if row.components == 0 || scalar.member.members.is_enum())
}

/// Returns whether the first member of a struct, at any depth, is the number in the other list, such as `__half`.
/// CUDA's headers store such numbers as integers.
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

/// Returns whether it is compared by name: a struct whose members are unknown.
pub(super) const fn is_whole(item: &Item<'_>) -> bool {
    !item.opens() && matches!(item.element().class, Class::Bytes)
}

pub(super) const fn common_divisor(mut a: usize, mut b: usize) -> usize {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Returns whether its bytes cannot be compared: a union, or unknown members.
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

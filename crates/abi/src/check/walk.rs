//! Walks through the members of two structs, and through what their pointers point to.

use super::{
    cpp::dimensions_agree,
    cursor::{Cursor, Item, common_divisor, is_no_part, is_opaque, is_whole, offset, why_not, why_opaque, wraps},
    difference::{Difference, Differences},
    member_mismatch::{MemberMismatch, NotCompared, NotComparedReason, Place, Route},
    names::{MemberNames, is_of_another_member, misplaced},
    pointees::{Pair, Pairs},
    value::compare_values,
    variants::first_variant,
};
use crate::signature::{Members, Parameter};

#[allow(clippy::large_enum_variant, reason = "constants cannot allocate")]
pub(super) enum Event<'a> {
    Differs(MemberMismatch<'a>),
    Passed(NotCompared<'a>),
}

/// The comparison of two values, then of the types behind their pointers.
pub(super) struct Walk<'a> {
    left: Cursor<'a>,
    right: Cursor<'a>,
    types: (Parameter<'a>, Parameter<'a>),
    /// The end of the host's members that cover opaque bytes of the kernel's struct.
    covered: usize,
    kernel_names: MemberNames,
    host_names: MemberNames,
    pairs: Pairs<'a>,
}

#[allow(clippy::large_enum_variant, reason = "constants cannot allocate")]
enum Step<'a> {
    Continue,
    Event(Event<'a>),
    End,
}

impl<'a> Walk<'a> {
    pub(super) const fn is_possible(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
        // Most pointers point to numbers, or no debug information describes them.
        if kernel.cpp.depth > 0 && !kernel.pointee.is_known() {
            return false;
        }
        if Self::is_behind(host, kernel) {
            return Pair::exists(host, kernel);
        }
        let is_known = host.members.is_known() || host.cpp.is_array();
        is_known && kernel.members.is_known()
    }

    const fn is_behind(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
        host.cpp.depth > 0 && kernel.cpp.depth > 0 && !host.cpp.is_array()
    }

    /// Creates the comparison, if it [is possible](Self::is_possible).
    pub(super) const fn new(host: &Parameter<'a>, kernel: &Parameter<'a>) -> Self {
        let mut walk = Self {
            left: Cursor::EMPTY,
            right: Cursor::EMPTY,
            types: (*host, *kernel),
            covered: 0,
            kernel_names: MemberNames::new(),
            host_names: MemberNames::new(),
            pairs: Pairs::new(),
        };
        if Self::is_behind(host, kernel) {
            let routes = [walk.left.behind(host), walk.right.behind(kernel)];
            walk.pairs.push(&Pair::new(host, kernel, &routes));
        } else {
            walk.left.restart(host);
            walk.right.restart(kernel);
        }
        walk
    }

    /// Returns why nothing of a matching parameter is compared, if it contains something to compare.
    pub(super) const fn passed_whole(host: &Parameter<'a>, kernel: &Parameter<'a>) -> Option<NotCompared<'a>> {
        let (place, reason) = match why_not(host, kernel) {
            Some(why) => (Route::START.to(*kernel, 0), why),
            None if kernel.pointee.is_declared() => incomplete(&Cursor::EMPTY, kernel),
            None => return None,
        };
        Some(NotCompared { place, reason })
    }

    /// Returns the next event. After a difference, further events can be consequences of it.
    pub(super) const fn next(&mut self) -> Option<Event<'a>> {
        loop {
            let mut step = self.step();
            if matches!(step, Step::End) {
                step = self.next_pair();
            }
            match step {
                Step::Continue => {}
                Step::Event(event) => return Some(event),
                Step::End => return None,
            }
        }
    }

    const fn clear(&mut self) {
        self.left.clear();
        self.right.clear();
    }

    const fn step(&mut self) -> Step<'a> {
        if self.left.is_too_deep || self.right.is_too_deep {
            let k = self.types.1;
            self.clear();
            return Self::passed_at(&self.right.place_of(k, 0), NotComparedReason::Limit);
        }
        // Only padding follows the kernel's last member.
        let k = some!(self.right.peek(), Step::End);
        let h = self.left.peek();
        let is_passed = !matches!(h, Some(h) if k.end() > h.offset);
        if is_passed {
            if k.member.size == 0 {
                self.right.pass();
            } else if is_opaque(&k) && self.covered > k.offset {
                self.right.pass();
                return self.passed(&k, why_opaque(&k));
            } else if k.opens() {
                self.right.open(&k);
            } else {
                return self.moved(h.as_ref(), &k);
            }
            return Step::Continue;
        }
        let h = some!(h, Step::End);
        if h.end() <= k.offset {
            if let Some(event) = self.misplaced(&h, &k, true) {
                return event;
            }
            self.left.pass();
        } else if h.offset == k.offset && h.member.size == k.member.size {
            return self.pair(&h, &k);
        } else if is_opaque(&k) && k.end() >= h.end() {
            if let Some(event) = self.misplaced(&h, &k, true) {
                return event;
            }
            self.covered = h.end();
            self.left.pass();
        } else if is_opaque(&h) && h.end() >= k.end() {
            if let Some(event) = self.misplaced(&h, &k, false) {
                return event;
            }
            self.right.pass();
            return self.passed(&k, why_opaque(&h));
        } else if h.opens() && (!k.opens() || h.member.size >= k.member.size) {
            self.left.open(&h);
        } else if k.opens() {
            self.right.open(&k);
        } else {
            let difference = if h.offset == k.offset { Difference::Size } else { Difference::Offset };
            return self.differs(&h, &k, difference);
        }
        Step::Continue
    }

    /// Compares two items at the same bytes.
    const fn pair(&mut self, h: &Item<'a>, k: &Item<'a>) -> Step<'a> {
        if is_of_another_member(h, &self.right, k, &mut self.kernel_names) {
            return self.differs(h, k, Difference::ParameterName);
        }
        let is_opaque_pair = is_opaque(k) || is_opaque(h);
        if is_opaque_pair {
            if let Some(event) = self.misplaced(h, k, true) {
                return event;
            }
            self.left.pass();
            self.right.pass();
            return self.passed(k, if is_opaque(k) { why_opaque(k) } else { why_opaque(h) });
        }
        if !dimensions_agree(&h.member, &k.member) {
            return self.differs(h, k, Difference::Type);
        }
        let groups = common_divisor(h.elements(), k.elements());
        if groups > 1 {
            self.left.open_group(h, groups);
            self.right.open_group(k, groups);
            return Step::Continue;
        }
        let one_each = h.elements() == 1 && k.elements() == 1;
        if one_each && h.is_struct() && k.is_struct() {
            if !wraps(k, h) {
                self.left.open(h);
            }
            if !wraps(h, k) {
                self.right.open(k);
            }
            return Step::Continue;
        }
        let differences =
            if one_each { compare_values(&h.element(), &k.element()) } else { Differences::of(Difference::Type) };
        if differences.is_empty() {
            let event = self.follow(h, k);
            self.left.pass();
            self.right.pass();
            return event;
        }
        if is_no_part(h, k) || is_no_part(k, h) {
            return self.mismatch(h, k, differences);
        }
        if h.opens() && k.opens() {
            // Of two arrays of the same length, one element is compared, so an array stays whole until it meets an
            // array.
            let (left_is_array, right_is_array) = (h.elements() > 1, k.elements() > 1);
            if !left_is_array || right_is_array {
                self.left.open(h);
            }
            if !right_is_array || left_is_array {
                self.right.open(k);
            }
        } else if h.opens() && !is_whole(k) {
            self.left.open(h);
        } else if k.opens() && !is_whole(h) {
            self.right.open(k);
        } else {
            return self.mismatch(h, k, differences);
        }
        Step::Continue
    }

    const fn follow(&mut self, h: &Item<'a>, k: &Item<'a>) -> Step<'a> {
        let (host, kernel) = (h.element(), k.element());
        if kernel.pointee.is_declared() {
            let spelled = Parameter { spelling: k.declared().spelling, ..kernel };
            let (place, why) = incomplete(&self.right, &spelled);
            return Self::passed_at(&place, why);
        }
        if !Pair::exists(&host, &kernel) {
            return match why_not(&host, &kernel) {
                Some(why) => self.passed(k, why),
                None => Step::Continue,
            };
        }
        let pair = Pair::new(&host, &kernel, &[self.left.behind(&host), self.right.behind(&kernel)]);
        if self.pairs.push(&pair) { Step::Continue } else { self.passed(k, NotComparedReason::Limit) }
    }

    /// Compares the sizes, then begins with the next types behind pointers.
    const fn next_pair(&mut self) -> Step<'a> {
        let (host, kernel) = (self.types.0.size, self.types.1.size);
        if host != kernel && host != 0 && kernel != 0 {
            return self.types_differ(Difference::Size);
        }
        let pair = some!(self.pairs.pop(), Step::End);
        self.clear();
        [self.left.start, self.right.start] = pair.routes;
        let (host, kernel) = some!(pair.types(), Step::Continue);
        self.types = (host, kernel);
        self.covered = 0;
        if host.members.is_enum() && kernel.members.is_enum() {
            if first_variant(&host, &kernel).is_some() {
                return self.types_differ(Difference::Variants);
            }
        } else if kernel.members.is_known() && (host.members.is_known() || host.cpp.is_array()) {
            self.left.restart(&host);
            self.right.restart(&kernel);
            // Each cursor counts its structs from 1.
            (self.kernel_names, self.host_names) = (MemberNames::new(), MemberNames::new());
        } else if let Some(why) = why_not(&host, &kernel) {
            let place = self.right.place_of(kernel, 0);
            return Self::passed_at(&place, why);
        }
        Step::Continue
    }

    const fn types_differ(&mut self, difference: Difference) -> Step<'a> {
        let (host, kernel) = self.types;
        self.clear();
        let places = (Some(self.left.place_of(host, 0)), self.right.place_of(kernel, 0));
        self.event(places, (Members::UNKNOWN, Members::UNKNOWN), Differences::of(difference))
    }

    const fn event(
        &self,
        (host, kernel): (Option<Place<'a>>, Place<'a>),
        (host_siblings, siblings): (Members<'a>, Members<'a>),
        differences: Differences,
    ) -> Step<'a> {
        let whole = (self.types.0.members, self.types.1.members);
        Step::Event(Event::Differs(MemberMismatch { host, kernel, siblings, host_siblings, whole, differences }))
    }

    /// Returns the difference if the host has no member at the place of `k`. A member of its name has moved.
    const fn moved(&self, h: Option<&Item<'a>>, k: &Item<'a>) -> Step<'a> {
        let (start, siblings) = match h {
            Some(h) => (h.start, h.siblings),
            None => (0, self.types.0.members),
        };
        let kernel = self.right.place(k);
        let host = match siblings.find(k.member.name) {
            Some(own) => Some(self.left.place_of(own, start + offset(&own))),
            None => None,
        };
        let host_siblings = if host.is_some() { siblings } else { self.types.0.members };
        self.event((host, kernel), (host_siblings, k.siblings), Differences::of(Difference::Offset))
    }

    /// Returns the difference if the kernel's struct has a member with the name of `h` at another place; if not
    /// `in_host`, if the host's has one with the name of `k`. Needed where types are not compared.
    const fn misplaced(&mut self, h: &Item<'a>, k: &Item<'a>, in_host: bool) -> Option<Step<'a>> {
        let (host, kernel) = if in_host {
            let (other, offset) = some!(misplaced(h, k, &mut self.kernel_names));
            (self.left.place(h), self.right.place_of(other, offset))
        } else {
            let (other, offset) = some!(misplaced(k, h, &mut self.host_names));
            (self.left.place_of(other, offset), self.right.place(k))
        };
        let siblings = (h.siblings, k.siblings);
        Some(self.event((Some(host), kernel), siblings, Differences::of(Difference::Offset)))
    }

    const fn passed(&self, k: &Item<'a>, why: NotComparedReason) -> Step<'a> {
        Self::passed_at(&self.right.place(k), why)
    }

    const fn passed_at(place: &Place<'a>, why: NotComparedReason) -> Step<'a> {
        Step::Event(Event::Passed(NotCompared { place: *place, reason: why }))
    }

    const fn differs(&self, h: &Item<'a>, k: &Item<'a>, difference: Difference) -> Step<'a> {
        self.mismatch(h, k, Differences::of(difference))
    }

    const fn mismatch(&self, h: &Item<'a>, k: &Item<'a>, differences: Differences) -> Step<'a> {
        let places = (Some(self.left.place(h)), self.right.place(k));
        self.event(places, (h.siblings, k.siblings), differences)
    }
}

/// Returns what a pointer to a type that is only declared points to.
const fn incomplete<'a>(cursor: &Cursor<'a>, pointer: &Parameter<'a>) -> (Place<'a>, NotComparedReason) {
    let declared = Parameter { name: "", ..*pointer };
    (cursor.behind(pointer).to(declared, 0), NotComparedReason::Incomplete)
}

/// Returns the first member in which a field and a parameter of the same size differ. `None` if they match, or if the
/// members of one side are unknown.
///
/// - Members match by offset and type: `float x, y, z, w` matches an array of four and a `float4`. An integer does not
///   match `__half`, although `__half` contains an integer.
/// - Arrays match by their elements: `[f32; 6]` matches `float m[2][3]`. If both have several dimensions, these match
///   in the order of C++: `[[f32; 3]; 2]`. Of two arrays of the same length, one element is compared.
/// - The documentation of `DeviceType` in `kernel-args` lists the other rules.
///
/// Structs nested deeper than 24 levels match, and structs behind pointers after the first 32 pairs.
pub const fn first_difference<'a>(host: &Parameter<'a>, kernel: &Parameter<'a>) -> Option<MemberMismatch<'a>> {
    if host.size == kernel.size { first_difference_of_any_size(host, kernel) } else { None }
}

/// [`first_difference`] of a field and a parameter whose sizes may differ.
pub const fn first_difference_of_any_size<'a>(
    host: &Parameter<'a>,
    kernel: &Parameter<'a>,
) -> Option<MemberMismatch<'a>> {
    if !Walk::is_possible(host, kernel) {
        return None;
    }
    let mut walk = Walk::new(host, kernel);
    loop {
        if let Event::Differs(mismatch) = some!(walk.next()) {
            return Some(mismatch);
        }
    }
}

/// Calls `found` for each matching part that is not compared.
pub fn not_compared<'a>(host: &Parameter<'a>, kernel: &Parameter<'a>, mut found: impl FnMut(NotCompared<'a>)) {
    if host.size == kernel.size && Walk::is_possible(host, kernel) {
        let mut walk = Walk::new(host, kernel);
        while let Some(Event::Passed(passed)) = walk.next() {
            found(passed);
        }
    } else if let Some(passed) = Walk::passed_whole(host, kernel) {
        found(passed);
    }
}

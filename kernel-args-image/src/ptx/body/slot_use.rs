//! What a body does with a slot.

use super::{
    classes,
    code::{Access, Mode, Origin},
    lists::SlotId,
    number::Number,
    value::Value,
};
use alloc::vec::Vec;
use kernel_args_abi::signature::{Certainty, ElementClass, Elements, Evidence, Slot, SlotKind};

/// What a body does with a slot.
#[derive(Clone, Default, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct SlotUse {
    pub(super) is_used: bool,
    pub(super) read: Certainty,
    pub(super) written: Certainty,
    is_atomic: bool,
    pub(super) escapes: bool,
    /// A texture object, a surface object or a tensor map.
    pub(super) object: Option<(SlotKind, Origin)>,
    /// Whether it is converted to an address of global memory, or accessed.
    pub(super) is_pointer: bool,
    pub(super) arithmetic: Option<Origin>,
    /// What is loaded through it is used as an address.
    pub(super) address: Option<Origin>,
    access: Option<Origin>,
    write: Option<Origin>,
    shown: Option<Shown>,
    /// Whether accesses show different elements, or none.
    is_unclear: bool,
    /// The alignment in bytes that every access through the slot needs: the least of all. 0 without an access.
    pub(super) alignment: u32,
    /// The largest offset of an access at a constant offset.
    pub(super) constant: Option<i32>,
}

/// The elements that accesses show.
#[derive(Clone, Copy, Debug)]
struct Shown {
    class: ElementClass,
    is_computed: bool,
    size: u8,
    /// The distances of the accesses from the pointer.
    number: Number,
    origin: Origin,
}

impl SlotUse {
    pub(super) fn new(is_used: bool) -> Self {
        Self { is_used, ..Self::default() }
    }

    /// An access at the slot's value plus the offset of the access. `classes` are the classes of registers.
    pub(super) fn of(access: &Access, seen: &[u8]) -> Self {
        let (element, mode, origin) = (access.element, access.mode, access.origin);
        let own = if element.arithmetic == ElementClass::Unknown { 0 } else { 1 << element.arithmetic as u8 };
        let arithmetic = classes::only(seen.get(element.register as usize).copied().unwrap_or_default() | own);
        let class = arithmetic.unwrap_or_default();
        let is_computed = class != ElementClass::Unknown;
        // Copies of several elements at once, and elements that are both floats and integers, show nothing.
        let is_unclear = arithmetic.is_err() || element.bytes == 0 || element.is_vector && !is_computed;
        let shown = Shown {
            class: if is_computed { class } else { element.class },
            is_computed,
            size: element.bytes,
            number: access.number(),
            origin,
        };
        let certain = |is_done| if is_done { Certainty::Certain } else { Certainty::Never };
        Self {
            read: certain(mode != Mode::Write),
            written: certain(mode != Mode::Read),
            is_atomic: mode == Mode::Atomic,
            access: Some(origin),
            write: (mode != Mode::Read).then_some(origin),
            shown: (!is_unclear).then_some(shown),
            is_unclear,
            alignment: access.number().alignment(access.width.max(1).into()),
            constant: Some(access.offset),
            ..Self::default()
        }
    }

    /// What `other` does at this distance from the slot. If the distance is not plain, another slot is part of it.
    pub(super) fn add(&mut self, other: &Self, distance: Number, is_plain: bool) {
        let distance = if is_plain { distance } else { Number::ANY };
        self.is_pointer |= other.certain_access().is_some();
        self.read = self.read.max(other.read);
        self.written = self.written.max(other.written);
        self.is_atomic |= other.is_atomic;
        self.address = self.address.or(other.address);
        self.access = self.access.or(other.access);
        self.write = self.write.or(other.write);
        self.is_unclear |= other.is_unclear;
        if let Some(shown) = other.shown {
            let shown = Shown { number: shown.number.plus(distance), ..shown };
            match self.shown {
                None => self.shown = Some(shown),
                Some(own) => match own.and(shown) {
                    Some(both) => self.shown = Some(both),
                    None => self.is_unclear = true,
                },
            }
        }
        if other.alignment > 0 {
            self.needs(distance.alignment(other.alignment));
        }
        if distance.step == 0 {
            self.constant = self.constant.max(other.constant.and_then(|at| at.checked_add(distance.rest)));
        }
    }

    /// An access needs this alignment, a power of two.
    fn needs(&mut self, alignment: u32) {
        self.alignment = if self.alignment == 0 { alignment } else { self.alignment.min(alignment) };
    }

    /// An access that certainly uses the slot.
    pub(super) fn certain_access(&self) -> Option<Origin> {
        self.access.filter(|_| self.read.is_certain() || self.written.is_certain())
    }

    /// A possible access.
    pub(super) fn may_access(&mut self, is_read: bool, is_written: bool) {
        let possible = |certainty: &mut Certainty| *certainty = (*certainty).max(Certainty::Possible);
        if is_read {
            possible(&mut self.read);
        }
        if is_written {
            possible(&mut self.written);
        }
        self.needs(1);
    }

    /// The slot at `offset` of a parameter, in the common model.
    pub(super) fn slot<'t>(&self, offset: usize, locate: &mut impl FnMut(Origin) -> Evidence<'t>) -> Slot<'t> {
        let is_accessed = self.read.is_possible() || self.written.is_possible();
        let kind = match self.object {
            Some((kind, _)) => kind,
            None if self.is_pointer => SlotKind::Pointer,
            None if self.arithmetic.is_some() && !is_accessed && !self.escapes => SlotKind::Integer,
            None => SlotKind::Unknown,
        };
        let shown = self.shown.filter(|shown| !self.is_unclear && shown.is_element());
        let access = shown.map(|shown| shown.origin).or(self.object.map(|(_, origin)| origin)).or(self.access);
        let arithmetic = self.arithmetic.filter(|_| kind == SlotKind::Integer);
        Slot {
            offset,
            kind,
            read: self.read,
            written: self.written,
            is_atomic: self.is_atomic,
            escapes: self.escapes,
            elements: shown.map(Shown::elements),
            access: access.map(&mut *locate),
            write: self.write.map(&mut *locate),
            arithmetic: arithmetic.map(&mut *locate),
            address: self.address.map(locate),
        }
    }
}

impl Shown {
    /// The elements of two accesses, if they agree.
    fn and(self, other: Self) -> Option<Self> {
        // A vector of two halves counts as two.
        let size = match self.class {
            _ if self.class != other.class => return None,
            ElementClass::F16 | ElementClass::BF16 => self.size.min(other.size),
            _ if self.size == other.size => self.size,
            _ => return None,
        };
        let first = if self.is_computed || !other.is_computed { self } else { other };
        Some(Self { size, number: self.number.join(other.number), ..first })
    }

    /// Floats at other distances than their size are a copy in units of this size.
    fn is_element(&self) -> bool {
        self.is_computed
            || self.class == ElementClass::Unknown
            || self.number.alignment(self.size.into()) == self.size.into()
    }

    fn elements(self) -> Elements {
        Elements { class: self.class, is_computed: self.is_computed, size: self.size, step: self.number.step }
    }
}

/// What a function does with its parameters.
pub(super) struct Summary {
    /// The number of slots before each parameter.
    pub(super) firsts: Vec<SlotId>,
    /// The slots that it uses.
    pub(super) slots: Vec<(SlotId, SlotUse)>,
    /// The index, the offset and the value of what it returns, in terms of its own slots. Without an offset: anywhere.
    pub(super) returns: Vec<(usize, Option<i32>, Value)>,
    /// The number of return values.
    pub(super) return_count: usize,
}

impl Summary {
    /// The index of the parameter of a slot, and the offset in it.
    pub(super) fn parameter(&self, slot: SlotId) -> (usize, i32) {
        let index = self.firsts.partition_point(|first| *first <= slot) - 1;
        (index, 8 * i32::from(slot - self.firsts[index]))
    }
}

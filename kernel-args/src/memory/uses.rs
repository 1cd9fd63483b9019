//! The memory that the steps of a run use, as their arguments show it.

use super::ForEachValue;
use cudarc::driver::sys::CUdeviceptr;
use kernel_args_abi::{
    Class, CppBase, CppType, Meaning, Parameter,
    cpp::builtin,
    signature::{Slot, SlotKind},
};
use std::mem;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct Access {
    pub(crate) address: CUdeviceptr,
    pub(crate) bytes: usize,
    pub(crate) writes: bool,
}

/// Whether a kernel uses a parameter, or a part of it, as an address: what its types and its code show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Addresses {
    None,
    /// Nothing shows it.
    #[default]
    Possible,
    Certain,
    /// It reads further addresses from the memory behind it.
    Nested,
}

impl Addresses {
    pub(crate) fn of(kernel: &Parameter<'_>) -> Self {
        let in_code = kernel.body.slots().map(|slot| Self::of_slot(&slot)).max();
        let in_code = in_code.unwrap_or(if kernel.body.is_known() { Self::None } else { Self::Possible });
        match Self::of_type(kernel) {
            Self::Possible => in_code,
            // An integer of the source that is an address in the code.
            known if in_code < Self::Certain => known,
            known => known.max(in_code),
        }
    }

    fn of_slot(slot: &Slot<'_>) -> Self {
        if slot.indirect.is_some() {
            Self::Nested
        } else if slot.kind == SlotKind::Pointer || slot.read.is_possible() || slot.written.is_possible() {
            Self::Certain
        } else if slot.escapes {
            Self::Possible
        } else {
            Self::None
        }
    }

    fn of_type(kernel: &Parameter<'_>) -> Self {
        let Parameter { cpp, members, class, size, .. } = kernel;
        if cpp.is_pointer() || *class == Class::Pointer {
            return if cpp.depth > 1 { Self::Nested } else { Self::Certain };
        }
        if members.is_known() {
            return members.iter().map(|member| Self::of_type(&member)).max().unwrap_or(Self::None);
        }
        let is_number = *size < size_of::<CUdeviceptr>()
            || *class == Class::Float
            || members.is_enum()
            || members.stands_for().is_some()
            || is_known_value(*cpp);
        if is_number { Self::None } else { Self::Possible }
    }

    /// Returns whether `argument`, which is no pointer, can be such an address, or contain one.
    fn can_be(self, argument: &Parameter<'_>) -> bool {
        let is_object = matches!(argument.members.stands_for(), Some(Meaning::Texture | Meaning::Surface));
        match self {
            Self::None => false,
            Self::Possible => !is_object && has_address_sized_integer(argument),
            Self::Certain | Self::Nested => !is_object,
        }
    }
}

#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct Accesses {
    /// Where the list of each step ends, and whether the step is ordered with every other step.
    steps: Vec<(usize, bool)>,
    all: Vec<Access>,
}

impl Accesses {
    /// For each step, the memory that it uses; `None` if it is ordered with every other step.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<&[Access]>> {
        (0..self.steps.len()).map(|step| self.get(step))
    }

    fn get(&self, step: usize) -> Option<&[Access]> {
        let (end, is_ordered) = self.steps[step];
        (!is_ordered).then(|| &self.all[self.begin(step)..end])
    }

    fn begin(&self, step: usize) -> usize {
        step.checked_sub(1).map_or(0, |before| self.steps[before].0)
    }

    /// Adds a step that uses the memory that was added to `all` since the last step.
    fn end_step(&mut self, is_ordered: bool) {
        self.steps.push((self.all.len(), is_ordered));
    }
}

/// What is known from the previous run is copied.
#[derive(Default)]
pub(crate) struct StepUses {
    now: UsesOfRun,
    previous: UsesOfRun,
}

#[derive(Default)]
struct UsesOfRun {
    /// The type of the arguments of each step, and where the list of its slices ends.
    steps: Vec<(usize, usize)>,
    slices: Vec<(CUdeviceptr, usize)>,
    accesses: Accesses,
}

impl UsesOfRun {
    fn slices(&self, step: usize) -> &[(CUdeviceptr, usize)] {
        let begin = step.checked_sub(1).map_or(0, |before| self.steps[before].1);
        &self.slices[begin..self.steps[step].1]
    }
}

impl StepUses {
    /// The next launch uses this slice.
    pub(super) fn add_slice(&mut self, address: CUdeviceptr, bytes: usize) {
        self.now.slices.push((address, bytes));
    }

    /// The next launch has this access through a texture or a surface.
    #[cfg(feature = "textures")]
    pub(super) fn add_object(&mut self, access: Access) {
        self.now.accesses.all.push(access);
    }

    /// Adds a launch with the slices and objects that were added. The values are not visited if the arguments have the
    /// same type, slices and bytes (`is_repeated`, which includes the function) as in the previous run. `kernel` is
    /// what is known of the kernel's parameters.
    pub(crate) fn add_launch<'k>(
        &mut self,
        parameters: Option<&'static [Parameter<'static>]>,
        is_repeated: bool,
        kernel: impl FnOnce() -> &'k [Addresses],
        visit: &ForEachValue<'_>,
    ) {
        let Self { now, previous } = self;
        let (step, begin) = (now.steps.len(), now.steps.last().map_or(0, |(_, end)| *end));
        let ty = parameters.map_or(0, |parameters| parameters.as_ptr().addr());
        let UsesOfRun { steps, slices, accesses } = now;
        steps.push((ty, slices.len()));
        let slices = &slices[begin..];
        let is_known = is_repeated
            && accesses.begin(step) == accesses.all.len()
            && ty != 0
            && previous.steps.get(step).is_some_and(|(old, _)| *old == ty)
            && previous.slices(step) == slices;
        let is_ordered = if is_known {
            let known = previous.accesses.get(step);
            accesses.all.extend_from_slice(known.unwrap_or_default());
            known.is_none()
        } else {
            let (mut is_ordered, mut kernel) = (false, kernel().iter());
            visit(&mut |parameter, bytes| {
                let addresses = kernel.next().copied().unwrap_or_default();
                is_ordered |= match parameter.class {
                    Class::Pointer => {
                        let access = access(parameter.cpp, bytes, slices);
                        accesses.all.extend(access.ok().flatten());
                        access.is_err() || addresses == Addresses::Nested
                    }
                    _ => !is_value(parameter) || addresses.can_be(parameter),
                };
            });
            is_ordered
        };
        accesses.end_step(is_ordered);
    }

    pub(crate) fn add(&mut self, accesses: impl IntoIterator<Item = Access>) {
        self.now.steps.push((0, self.now.slices.len()));
        self.now.accesses.all.extend(accesses);
        self.now.accesses.end_step(false);
    }

    /// Adds a step that is ordered with every other step.
    pub(crate) fn add_ordered(&mut self) {
        self.now.steps.push((0, self.now.slices.len()));
        self.now.accesses.end_step(true);
    }

    pub(crate) fn accesses(&self) -> &Accesses {
        &self.now.accesses
    }

    /// The next run is compared with this one.
    pub(crate) fn remember(&mut self) {
        mem::swap(&mut self.now, &mut self.previous);
    }

    pub(crate) fn clear(&mut self) {
        self.now.steps.clear();
        self.now.slices.clear();
        self.now.accesses.steps.clear();
        self.now.accesses.all.clear();
    }
}

/// Returns the memory behind a pointer: the largest slice of the launch at its address; nothing for a null pointer. It
/// is an error if no slice is there, or if it contains pointers.
fn access(cpp: CppType<'_>, bytes: &[u8], slices: &[(CUdeviceptr, usize)]) -> Result<Option<Access>, ()> {
    let address = CUdeviceptr::from_ne_bytes(bytes.try_into().map_err(|_| ())?);
    if address == 0 {
        return Ok(None);
    }
    let at = slices.iter().filter(|(begin, _)| *begin == address);
    let bytes = at.map(|(_, bytes)| *bytes).max().ok_or(())?;
    if cpp.depth == 1 { Ok(Some(Access { address, bytes, writes: cpp.const_mask == 0 })) } else { Err(()) }
}

fn is_value(argument: &Parameter<'_>) -> bool {
    let Parameter { class, cpp, members, .. } = argument;
    if cpp.is_pointer() || matches!(class, Class::Pointer | Class::Unknown) {
        return false;
    }
    if members.is_known() {
        return members.iter().all(|member| is_value(&member));
    }
    *class != Class::Bytes || is_known_value(*cpp)
}

/// Returns whether it is a built-in type, which contains no pointer.
fn is_known_value(cpp: CppType<'_>) -> bool {
    match cpp.base {
        CppBase::Unknown | CppBase::Void => false,
        CppBase::Named(name) => builtin(name).is_some(),
        _ => true,
    }
}

/// Returns whether a value is an integer that is large enough for an address, or contains one.
fn has_address_sized_integer(argument: &Parameter<'_>) -> bool {
    let Parameter { size, class, cpp, members, .. } = argument;
    if members.is_known() {
        return members.iter().any(|member| has_address_sized_integer(&member));
    }
    let vector = if let CppBase::Named(name) = cpp.base { builtin(name) } else { None };
    match (cpp.base, vector) {
        (CppBase::Integer { bits, .. }, _) => bits >= 64,
        (CppBase::Bool | CppBase::Char | CppBase::Float { .. }, _) => false,
        (_, Some(vector)) if vector.components > 0 => matches!(vector.element, "u64" | "i64" | "CLong" | "CULong"),
        _ => *class != Class::Float && *size >= size_of::<CUdeviceptr>(),
    }
}

//! The lengths of the slices of a launch.

use super::LaunchStream;
use core::cell::RefCell;

/// The length in elements of each argument that is a slice, by the index of its parameter.
///
/// A lowered argument is an address, so lengths are noted before the arguments are lowered.
pub(crate) struct Lengths {
    slices: RefCell<Vec<(usize, usize)>>,
    /// The number of elements that the contract `len` requires, by the name of a pointer without a length.
    required: Vec<(&'static str, u64)>,
}

impl Lengths {
    /// `check` calls `KernelArg::check_context` of each argument.
    pub(crate) fn of(check: impl FnOnce(&LaunchStream<'_>)) -> Self {
        let lengths = Self { slices: RefCell::default(), required: Vec::new() };
        check(&LaunchStream::noting(&lengths));
        lengths
    }

    pub(super) fn note(&self, parameter: usize, elements: usize) {
        self.slices.borrow_mut().push((parameter, elements));
    }

    pub(crate) fn get(&self, parameter: usize) -> Option<usize> {
        let lengths = self.slices.borrow();
        let mut found = lengths.iter().filter(|(index, _)| *index == parameter);
        // An argument of a type that consists of several slices has no length.
        let (_, elements) = found.next()?;
        found.next().is_none().then_some(*elements)
    }

    /// Adds what contracts require. A computation without a result requires nothing.
    pub(crate) fn require(&mut self, name: &'static str, elements: Option<u64>) {
        self.required.extend(elements.map(|elements| (name, elements)));
    }

    /// Returns the elements of this slice, or the elements that a contract requires of the pointer with this name.
    pub(crate) fn at_least(&self, parameter: usize, name: &str) -> Option<usize> {
        if let Some(elements) = self.get(parameter) {
            return Some(elements);
        }
        // In a flattened struct, the name of the parameter begins with the name of the field: `inner.p`.
        let is_named = |known: &str| {
            let outer = name.strip_suffix(known);
            outer.is_some_and(|outer| outer.is_empty() || outer.ends_with('.'))
        };
        let mut found = self.required.iter().filter(|(known, _)| is_named(known));
        let (_, elements) = found.next()?;
        // Two flattened structs can have the same names.
        let is_only = found.next().is_none();
        is_only.then(|| usize::try_from(*elements).unwrap_or(usize::MAX))
    }
}

//! External work whose arguments differ only in their addresses: the addresses are replaced in captured steps.
//!
//! The captures of such work show which words of its steps follow which argument. Each of these must hold:
//! - The arguments have the same sizes, the same alignment and the same overlaps.
//! - Each word that differs between two captures is an address in an argument, and has moved with this argument.
//! - An argument has the address of the first capture, or a capture has shown what follows it.
//! - The steps were predicted before, and a capture has confirmed them.
//!
//! Some of the predicted work is captured nevertheless. If it differs, nothing is predicted any more.

use super::ExternalSteps;
use crate::memory::Access;
use core::{any::Any, iter};
use std::sync::Arc;

/// Work with equal arguments, but for their addresses.
struct Pattern {
    /// The first capture, and its arguments.
    first: Arc<ExternalSteps>,
    accesses: Vec<Access>,
    /// The arguments for which captures have shown what follows them, as bits.
    shown: u16,
    /// The words that have moved: the index, and the arguments that it can belong to, as bits.
    places: Vec<(usize, u16)>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Learning,
    Confirmed,
    /// Addresses do not explain a difference.
    Off,
}

#[derive(Default)]
pub(crate) struct MovedWork {
    patterns: Vec<Pattern>,
    is_off: bool,
    predicted: u64,
}

/// Addresses with this alignment are equal for a library.
const ALIGNMENT: u64 = 512;
/// One of so many predictions is captured.
const CHECKED: u64 = 256;

impl MovedWork {
    /// Returns the steps of work with these arguments, if they are known. `is_like` compares arguments without
    /// addresses.
    pub(crate) fn predict(
        &mut self,
        accesses: &[Access],
        is_like: impl Fn(&dyn Any) -> bool,
    ) -> Option<(Vec<u64>, usize)> {
        if self.is_off {
            return None;
        }
        let pattern = self.find(accesses, is_like).filter(|pattern| pattern.state == State::Confirmed)?;
        let (words, steps) = (pattern.words(accesses)?, pattern.first.steps);
        self.predicted += 1;
        (!self.predicted.is_multiple_of(CHECKED)).then_some((words, steps))
    }

    /// Compares captured steps with what is known. `new` returns the work, for a new pattern.
    pub(crate) fn learn(
        &mut self,
        accesses: &[Access],
        words: &[u64],
        is_like: impl Fn(&dyn Any) -> bool,
        new: impl FnOnce() -> ExternalSteps,
    ) {
        if self.is_off {
            return;
        }
        let Some(pattern) = self.find(accesses, is_like) else {
            let (first, accesses) = (Arc::new(new()), accesses.to_vec());
            let state = State::Learning;
            return self.patterns.push(Pattern { first, accesses, shown: 0, places: Vec::new(), state });
        };
        pattern.state = match (pattern.state, pattern.words(accesses)) {
            (State::Off, _) => State::Off,
            (_, Some(expected)) if expected == words => State::Confirmed,
            (_, None) if pattern.learn(accesses, words) => State::Learning,
            (State::Confirmed, Some(_)) => {
                self.is_off = true;
                return;
            }
            _ => State::Off,
        };
    }

    fn find(&mut self, accesses: &[Access], is_like: impl Fn(&dyn Any) -> bool) -> Option<&mut Pattern> {
        let mut patterns = self.patterns.iter_mut().rev();
        patterns.find(|pattern| is_like(&*pattern.first.key) && pattern.has_form(accesses))
    }

    /// Returns how often steps were predicted.
    pub(crate) fn predicted(&self) -> u64 {
        self.predicted - self.predicted / CHECKED
    }

    /// Forgets the work of old runs, and returns it.
    pub(super) fn forget(
        &mut self,
        is_old: impl Fn(&ExternalSteps) -> bool,
    ) -> impl Iterator<Item = Arc<ExternalSteps>> {
        self.patterns.extract_if(.., move |pattern| is_old(&pattern.first)).map(|pattern| pattern.first)
    }
}

impl Pattern {
    /// The arguments of the first capture and these, with their bits.
    fn arguments<'a>(&'a self, accesses: &'a [Access]) -> impl Iterator<Item = (u16, &'a Access, &'a Access)> {
        let bits = iter::successors(Some(1), |bit: &u16| bit.checked_mul(2));
        bits.zip(self.accesses.iter().zip(accesses)).map(|(bit, (own, new))| (bit, own, new))
    }

    /// Whether the arguments have the alignment and the overlaps of the first capture.
    fn has_form(&self, accesses: &[Access]) -> bool {
        let overlap = |list: &[Access], one: usize, other: usize| {
            let (one, other) = (list[one], list[other]);
            let distance = one.address.wrapping_sub(other.address);
            let overlaps = distance < other.bytes as u64 || distance.wrapping_neg() < one.bytes as u64;
            overlaps.then_some(distance)
        };
        self.accesses.len() == accesses.len()
            && self.arguments(accesses).all(|(_, own, new)| (own.address ^ new.address).is_multiple_of(ALIGNMENT))
            && (0..accesses.len())
                .all(|one| (0..one).all(|two| overlap(&self.accesses, one, two) == overlap(accesses, one, two)))
    }

    /// The steps for these arguments, if captures have shown them.
    fn words(&self, accesses: &[Access]) -> Option<Vec<u64>> {
        if self.arguments(accesses).any(|(bit, own, new)| own.address != new.address && self.shown & bit == 0) {
            return None;
        }
        let mut words = self.first.words.clone();
        for (at, of) in &self.places {
            let candidates = self.arguments(accesses).filter(|(bit, ..)| of & bit != 0);
            let mut moves = candidates.map(|(_, own, new)| new.address.wrapping_sub(own.address));
            let by = moves.next()?;
            if moves.any(|other| other != by) {
                return None;
            }
            words[*at] = words[*at].wrapping_add(by);
        }
        Some(words)
    }

    /// Finds the words that have moved. `false` if addresses do not explain a difference.
    fn learn(&mut self, accesses: &[Access], words: &[u64]) -> bool {
        let first = self.first.clone();
        if first.words.len() != words.len() {
            return false;
        }
        for (at, (&old, &new)) in first.words.iter().zip(words).enumerate() {
            let follows = |(bit, own, access): (u16, &Access, &Access)| {
                let is_in = old.wrapping_sub(own.address) <= own.bytes as u64;
                let has_moved = new.wrapping_sub(old) == access.address.wrapping_sub(own.address);
                if is_in && has_moved { bit } else { 0 }
            };
            let follows = || self.arguments(accesses).map(follows).fold(0, |all, bit| all | bit);
            let of = if let Some(index) = self.places.iter().position(|(place, _)| *place == at) {
                let of = self.places[index].1 & follows();
                self.places[index].1 = of;
                of
            } else if old != new {
                // What was shown before has not moved this word.
                let of = follows() & !self.shown;
                self.places.push((at, of));
                of
            } else {
                continue;
            };
            if of == 0 {
                return false;
            }
        }
        let moved = self.arguments(accesses).filter(|(_, own, new)| own.address != new.address);
        self.shown |= moved.fold(0, |all, (bit, ..)| all | bit);
        true
    }
}

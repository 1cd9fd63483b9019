//! Which steps of a run must wait for which: branches of steps that use different memory.

use crate::memory::Access;
use cudarc::driver::sys::CUdeviceptr;
use std::{collections::BTreeMap, ops::Range};

/// The maximum number of branches. On an H200, 1,000 independent kernels that do nothing take 0.29 µs each in 4
/// branches, 0.21 in 8, 0.22 in 32, 0.24 in 64, and 1.0 without a limit (`tests/benches/README.md`, "Sequences").
/// Kernels that take longer use more branches well.
const BRANCHES: usize = 32;

/// For each step, the earlier steps that it waits for.
///
/// A step waits for the last step that wrote memory that it uses; a step that writes also waits for the steps that have
/// read that memory since. A step that is ordered with every other step waits for all steps before it, and all steps
/// after it wait for it.
///
/// The steps form at most [`BRANCHES`] branches: a step that would begin one more also waits for the last step of
/// another branch.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Dependencies {
    ends: Vec<usize>,
    lists: Vec<u32>,
}

impl Dependencies {
    /// Returns the dependencies of steps with these accesses; `None` is ordered with every other step.
    pub(super) fn of<'a>(steps: impl Iterator<Item = Option<&'a [Access]>>) -> Self {
        Self::in_branches(steps, BRANCHES)
    }

    fn in_branches<'a>(steps: impl Iterator<Item = Option<&'a [Access]>>, limit: usize) -> Self {
        let mut all = Self::default();
        let mut memory = LastUses::default();
        // The last step that is ordered with every other step; for it and each step since, whether a later one waits
        // for it.
        let (mut ordered, mut is_awaited): (Option<u32>, Vec<bool>) = (None, Vec::new());
        let mut branches = Branches::default();
        for (index, accesses) in steps.enumerate() {
            let index = index as u32;
            let mut before = Vec::new();
            let first = ordered.unwrap_or(0);
            if let Some(accesses) = accesses {
                for access in accesses {
                    memory.add(*access, index, &mut before);
                }
                if before.is_empty() {
                    before.extend(ordered);
                }
                branches.add(index, &mut before, limit);
                before.sort_unstable();
                before.dedup();
                for step in &before {
                    is_awaited[(step - first) as usize] = true;
                }
            } else {
                let steps = (first..index).zip(&is_awaited);
                before.extend(steps.filter(|(_, is)| !**is).map(|(step, _)| step));
                memory = LastUses::default();
                branches.0 = vec![index];
                ordered = Some(index);
                is_awaited.clear();
            }
            is_awaited.push(false);
            all.lists.append(&mut before);
            all.ends.push(all.lists.len());
        }
        all
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let begins = core::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).map(|(begin, end)| &self.lists[begin..*end])
    }

    pub(super) fn longest_chain(&self) -> usize {
        let mut chains: Vec<usize> = Vec::with_capacity(self.ends.len());
        for list in self.iter() {
            let before = list.iter().map(|step| chains[*step as usize]).max();
            chains.push(before.unwrap_or(0) + 1);
        }
        chains.into_iter().max().unwrap_or(0)
    }
}

/// The last step of each branch. The branch that was extended last is the last one.
#[derive(Default)]
struct Branches(Vec<u32>);

impl Branches {
    /// Adds `step`, which waits for the steps in `before`, to a branch; adds the end of this branch to `before`.
    fn add(&mut self, step: u32, before: &mut Vec<u32>, limit: usize) {
        let count = self.0.len();
        self.0.retain(|last| !before.contains(last));
        if self.0.len() == count && count == limit {
            before.push(self.0.remove(0));
        }
        self.0.push(step);
    }
}

/// Who has used which memory last, in parts that do not overlap.
#[derive(Default)]
struct LastUses(BTreeMap<CUdeviceptr, Interval>);

/// Memory with the same uses, from its key on.
#[derive(Clone)]
struct Interval {
    end: CUdeviceptr,
    writer: Option<u32>,
    readers: Vec<u32>,
}

impl LastUses {
    /// Adds what `access` of step `step` waits for to `list`.
    fn add(&mut self, access: Access, step: u32, list: &mut Vec<u32>) {
        let range = access.address..access.address.saturating_add(access.bytes as CUdeviceptr);
        if range.is_empty() {
            return;
        }
        self.split(range.start);
        self.split(range.end);
        for (_, part) in self.0.range(range.clone()) {
            let readers = if access.writes { &part.readers[..] } else { &[] };
            let before = part.writer.iter().chain(readers);
            list.extend(before.filter(|before| **before != step));
        }
        if access.writes {
            self.write(range, step);
        } else {
            self.read(range, step);
        }
    }

    /// `at` becomes the beginning of a part, if it is inside one.
    fn split(&mut self, at: CUdeviceptr) {
        let Some((_, part)) = self.0.range_mut(..at).next_back() else {
            return;
        };
        if part.end > at {
            let rest = part.clone();
            part.end = at;
            self.0.insert(at, rest);
        }
    }

    fn write(&mut self, range: Range<CUdeviceptr>, step: u32) {
        while let Some((&at, _)) = self.0.range(range.clone()).next() {
            self.0.remove(&at);
        }
        self.insert(range, Some(step), Vec::new());
    }

    fn read(&mut self, range: Range<CUdeviceptr>, step: u32) {
        let (mut at, mut gaps) = (range.start, Vec::new());
        for (begin, part) in self.0.range_mut(range.clone()) {
            gaps.push(at..*begin);
            at = part.end;
            if part.readers.last() != Some(&step) {
                part.readers.push(step);
            }
        }
        gaps.push(at..range.end);
        for gap in gaps {
            self.insert(gap, None, vec![step]);
        }
    }

    fn insert(&mut self, range: Range<CUdeviceptr>, writer: Option<u32>, readers: Vec<u32>) {
        if !range.is_empty() {
            let part = Interval { end: range.end, writer, readers };
            self.0.insert(range.start, part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Access, Dependencies};

    const STEPS: usize = 40;

    fn random(state: &mut u64, limit: u64) -> u64 {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (*state >> 33) % limit
    }

    /// Accesses to few bytes: most ranges overlap.
    fn step(state: &mut u64) -> Option<Vec<Access>> {
        if random(state, 12) == 0 {
            return None;
        }
        let count = random(state, 4);
        let access = |_| Access {
            address: 1000 + random(state, 60),
            bytes: random(state, 20) as usize,
            writes: random(state, 3) == 0,
        };
        Some((0..count).map(access).collect())
    }

    fn conflict(first: Option<&Vec<Access>>, second: Option<&Vec<Access>>) -> bool {
        let (Some(first), Some(second)) = (first, second) else {
            return true;
        };
        let bytes = |access: &Access| access.address..access.address + access.bytes as u64;
        let both = |a: &Access, b: &Access| (a.writes || b.writes) && bytes(a).any(|byte| bytes(b).contains(&byte));
        first.iter().any(|a| second.iter().any(|b| both(a, b)))
    }

    /// Two steps are ordered if they conflict. Without a limit of branches, a step waits only for steps that it
    /// conflicts with.
    #[test]
    fn conflicting_steps_are_ordered_and_only_those() {
        let (mut independent, mut pairs) = (0, 0);
        for seed in 0..if cfg!(miri) { 3 } else { 500 } {
            let mut state = seed;
            let steps: Vec<_> = (0..STEPS).map(|_| step(&mut state)).collect();
            let limit = [3, STEPS][seed as usize % 2];
            let found = Dependencies::in_branches(steps.iter().map(Option::as_deref), limit);
            let mut after = vec![[false; STEPS]; STEPS];
            let mut longest = [1; STEPS];
            for (index, list) in found.iter().enumerate() {
                for before in list.iter().map(|before| *before as usize) {
                    let conflict = conflict(steps[before].as_ref(), steps[index].as_ref());
                    assert!(before < index && (conflict || limit < STEPS));
                    let earlier = after[before];
                    after[index][before] = true;
                    (0..STEPS).for_each(|i| after[index][i] |= earlier[i]);
                    longest[index] = longest[index].max(longest[before] + 1);
                }
                for before in 0..index {
                    let conflict = conflict(steps[before].as_ref(), steps[index].as_ref());
                    assert!(!conflict || after[index][before], "seed {seed}: {before}, {index}");
                    pairs += 1;
                    independent += usize::from(!after[index][before]);
                }
            }
            assert_eq!(found.iter().count(), STEPS);
            assert_eq!(found.longest_chain(), longest.into_iter().max().unwrap());
        }
        assert!(cfg!(miri) || independent * 50 > pairs, "{independent} of {pairs}");
    }

    #[test]
    fn independent_steps_form_branches() {
        let steps = || [Some(&[][..]); 20].into_iter();
        for (limit, longest) in [(1, 20), (3, 7), (19, 2), (20, 1)] {
            let found = Dependencies::in_branches(steps(), limit);
            assert_eq!(found.longest_chain(), longest);
        }
    }

    #[test]
    fn steps_that_are_ordered_are_a_chain() {
        let found = Dependencies::of([None; 5].into_iter());
        let lists: Vec<_> = found.iter().collect();
        assert_eq!(lists, [&[][..], &[0], &[1], &[2], &[3]]);
        assert_eq!(found.longest_chain(), 5);
    }
}

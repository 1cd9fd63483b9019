//! The launches of one run of a sequence: compared with the launches of the previous run, and enqueued later.

use super::{
    KernelCall, Promise,
    step::{
        Change, Header, MemoryOperation, PACKED, PARAMS, Shape, Steps, differences, is_update, push_launch,
        push_parameter, step_at, words,
    },
};
use crate::{driver::api::LaunchAttribute, memory::HeldMemory};
use core::{any::Any, marker::PhantomData, mem};
use cudarc::driver::CudaFunction;
use std::sync::Arc;

/// Steps in their order, as words. As long as they equal the steps of the previous run, they are only compared, and not
/// stored again.
#[derive(Default)]
pub(crate) struct LaunchLog {
    /// The steps of this run, unless they are the first `repeated` words of `previous`.
    words: Vec<u64>,
    steps: usize,
    /// The steps of the previous run, if they are known.
    previous: Vec<u64>,
    /// The words that equal the previous run; `None` after the first difference.
    repeated: Option<usize>,
    /// Whether each step so far has the kind, the function, the attributes and the size of the previous run's.
    is_update: bool,
    /// The steps that differ from the previous run, as far as `is_update`.
    changes: Vec<Change>,
    /// What keeps the functions of `previous` loaded.
    keepers: Vec<LaunchKeeper>,
    /// What keeps the functions loaded of the steps from the first one that is not an update.
    new_keepers: Vec<LaunchKeeper>,
}

/// What keeps a function loaded while a log contains a launch of it.
#[derive(Clone)]
pub(crate) enum LaunchKeeper {
    Function(#[expect(dead_code, reason = "held, not read")] Arc<dyn Any + Send + Sync>),
    Cudarc(#[expect(dead_code, reason = "held, not read")] CudaFunction),
    /// A raw function, which the caller of `launch` keeps loaded; or a step that is not a launch.
    Caller,
}

impl LaunchLog {
    /// `values` calls its argument with the bytes of each parameter. `keeper` returns what keeps the function loaded,
    /// and `check` checks the launch; neither is called if they are known from the previous run.
    #[expect(clippy::too_many_arguments, reason = "each once")]
    pub(crate) fn push<E>(
        &mut self,
        shape: &Shape,
        attributes: &[LaunchAttribute<'_>],
        call: KernelCall<'_>,
        values: impl FnOnce(&mut dyn FnMut(&[u8])),
        keeper: impl Fn() -> LaunchKeeper,
        check: impl FnOnce() -> Result<(), E>,
        _: Promise<'_>,
    ) -> Result<(), E> {
        let function = call.function();
        if let Some(parameters) = call.packed() {
            let size = parameters.len();
            let header = Header::of_launch(PACKED, shape, function, attributes.len(), size);
            if attributes.is_empty() && self.repeats(&header, parameters) {
                return Ok(());
            }
            check()?;
            self.store(&header, attributes, parameters, &keeper);
        } else {
            let mut parameters = Vec::new();
            values(&mut |value| push_parameter(&mut parameters, value));
            check()?;
            let size = parameters.len();
            let header = Header::of_launch(PARAMS, shape, function, attributes.len(), size);
            self.store(&header, attributes, &parameters, &keeper);
        }
        Ok(())
    }

    /// [`repeats`](Self::repeats) for a launch without attributes.
    #[inline(always)]
    pub(crate) fn repeats_launch(&mut self, shape: &Shape, call: &KernelCall<'_>, _: &Promise<'_>) -> bool {
        let Some(parameters) = call.packed() else {
            return false;
        };
        let header = Header::of_launch(PACKED, shape, call.function(), 0, parameters.len());
        self.is_repeated(&header, parameters) || self.repeats(&header, parameters)
    }

    /// Returns whether the step has the header of the previous run's, which keeps its function loaded (or the caller of
    /// `launch` does). Then it is stored, unless all steps so far are repeated.
    #[inline(never)]
    fn repeats(&mut self, header: &Header, parameters: &[u8]) -> bool {
        let at = self.repeated.unwrap_or(self.words.len());
        match step_at(&self.previous, at, parameters.len()) {
            Some((first, rest)) if self.is_update && differences(first, *header.words()) == 0 => {
                let old: &[u8] = bytemuck::cast_slice(rest);
                let is_same = old[..parameters.len()] == *parameters;
                if is_same && self.repeated.is_some() {
                    self.repeated = Some(at + first.len() + rest.len());
                    self.steps += 1;
                } else {
                    self.append(header, &[], parameters, is_same);
                }
                true
            }
            _ => false,
        }
    }

    /// For a step that is the same. In a launch, the number of its words is a constant.
    #[inline(always)]
    fn is_repeated(&mut self, header: &Header, parameters: &[u8]) -> bool {
        if let Some(at) = self.repeated
            && let Some((first, rest)) = step_at(&self.previous, at, parameters.len())
        {
            // One sum of all words: an early exit would be rare.
            let sum = differences(first, *header.words()) | differences(rest, words(parameters));
            if sum == 0 {
                self.repeated = Some(at + first.len() + rest.len());
                self.steps += 1;
                return true;
            }
        }
        false
    }

    #[inline(never)]
    fn store(
        &mut self,
        header: &Header,
        attributes: &[LaunchAttribute<'_>],
        parameters: &[u8],
        keeper: &dyn Fn() -> LaunchKeeper,
    ) {
        self.diverge();
        let at = self.words.len();
        self.append(header, attributes, parameters, true);
        self.compare(at, keeper);
    }

    /// Compares the last step, which begins at this word, with the previous run's.
    fn compare(&mut self, at: usize, keeper: &dyn Fn() -> LaunchKeeper) {
        let (old, new) = (self.previous.get(at..), &self.words[at..]);
        match old.and_then(|old| old.get(..new.len())).filter(|_| self.is_update) {
            Some(old) if old == new => {}
            Some(old) if is_update(old, new) => self.changes.push(Change { index: self.steps - 1, at }),
            _ => {
                self.is_update = false;
                self.new_keepers.push(keeper());
            }
        }
    }

    #[inline(never)]
    fn append(&mut self, header: &Header, attributes: &[LaunchAttribute<'_>], parameters: &[u8], is_same: bool) {
        self.diverge();
        if !is_same {
            let (index, at) = (self.steps, self.words.len());
            self.changes.push(Change { index, at });
        }
        push_launch(&mut self.words, header, attributes, parameters);
        self.steps += 1;
    }

    fn diverge(&mut self) {
        if let Some(at) = self.repeated.take() {
            self.words.extend_from_slice(&self.previous[..at]);
        }
    }

    /// Adds a memset of all of the memory.
    pub(crate) fn push_memset(&mut self, to: HeldMemory, byte: u8) {
        let (value, elements) = (byte.into(), to.bytes());
        self.push_memory(MemoryOperation::Set { to: to.address(), value, element: 1, elements });
    }

    /// Adds a copy of `from` to the beginning of `to`, as far as both have memory.
    pub(crate) fn push_copy(&mut self, to: HeldMemory, from: HeldMemory) {
        let bytes = from.bytes().min(to.bytes());
        self.push_memory(MemoryOperation::Copy { to: to.address(), from: from.address(), bytes });
    }

    fn push_memory(&mut self, operation: MemoryOperation) {
        let header = &Header::of_memory(operation);
        if !self.repeats(header, &[]) {
            self.store(header, &[], &[], &|| LaunchKeeper::Caller);
        }
    }

    /// Adds the steps of a captured graph, whose code the caller keeps loaded.
    #[inline]
    pub(crate) fn push_captured(&mut self, steps: Steps<'_>, count: usize) {
        match self.repeated {
            Some(at) if self.previous.get(at..at + steps.0.len()) == Some(steps.0) => {
                self.repeated = Some(at + steps.0.len());
                self.steps += count;
            }
            _ => self.store_captured(steps),
        }
    }

    #[inline(never)]
    fn store_captured(&mut self, steps: Steps<'_>) {
        for step in steps.parts() {
            self.diverge();
            let at = self.words.len();
            self.words.extend_from_slice(step);
            self.steps += 1;
            self.compare(at, &|| LaunchKeeper::Caller);
        }
    }

    /// Keeps the storage.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.changes.clear();
        self.new_keepers.clear();
        self.is_update = true;
        self.steps = 0;
        self.repeated = Some(0);
    }

    pub(crate) fn len(&self) -> usize {
        self.steps
    }

    pub(crate) fn is_last_repeated(&self) -> bool {
        let last = self.steps.checked_sub(1);
        self.is_update && last.is_some() && self.changes.last().map(|change| change.index) != last
    }

    /// Returns the promise that all steps may run; `None` without steps.
    ///
    /// [`push`](Self::push) has received the promise of each launch's caller, which is about the slices of the
    /// arguments at that time. Their memory is [`HeldMemory`], and [`MemoryStep::enqueue`](super::MemoryStep::enqueue)
    /// proves that it is still memory of slices of the same types when the steps are enqueued. Memsets and copies need
    /// only this proof.
    pub(crate) fn promise(&self) -> Option<Promise<'_>> {
        (self.steps > 0).then_some(Promise(PhantomData))
    }

    /// `None` if an update cannot change all differences.
    pub(crate) fn changes(&self) -> Option<&[Change]> {
        let words = self.repeated.unwrap_or(self.words.len());
        (self.is_update && words == self.previous.len()).then_some(&self.changes)
    }

    /// The next run is compared with this one, if its graph was launched.
    pub(crate) fn remember(&mut self, is_launched: bool) {
        if !is_launched {
            self.previous.clear();
            self.keepers.clear();
        } else if self.repeated != Some(self.previous.len()) {
            self.diverge();
            mem::swap(&mut self.previous, &mut self.words);
            self.keepers.truncate(self.steps - self.new_keepers.len());
            self.keepers.append(&mut self.new_keepers);
        }
    }

    pub(crate) fn keepers(&self) -> Vec<LaunchKeeper> {
        let repeated = self.steps - self.new_keepers.len();
        let keepers = self.keepers[..repeated].iter().chain(&self.new_keepers);
        keepers.cloned().collect()
    }

    pub(crate) fn recorded(&mut self) -> Steps<'_> {
        self.diverge();
        Steps(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Extra, Step},
        KernelCall, LaunchKeeper, LaunchLog, Promise, Shape,
    };
    use crate::driver::api::{FunctionHandle, LaunchAttribute};
    use core::{ffi::c_void, marker::PhantomData, ptr};

    /// The function, the priority, whether the form is packed, and the parameters.
    type Launch = (usize, Option<i32>, bool, Vec<u32>);

    /// Returns how many of the launches were checked.
    fn record(log: &mut LaunchLog, launches: &[Launch]) -> usize {
        let mut checks = 0;
        log.clear();
        for (function, priority, is_packed, parameters) in launches {
            let shape = Shape { grid: [1; 3], block: [32, 2, 1], shared: 64, shared_given: true };
            let attribute = |priority: &i32| {
                let mut attribute = LaunchAttribute::new(8);
                attribute.put(0, priority.to_ne_bytes());
                attribute
            };
            let attributes: Vec<_> = priority.iter().map(attribute).collect();
            let values = |visit: &mut dyn FnMut(&[u8])| {
                for value in parameters {
                    visit(&value.to_ne_bytes());
                }
            };
            let check = || {
                checks += 1;
                Ok::<(), ()>(())
            };
            // SAFETY: nothing uses the function.
            let function = unsafe { FunctionHandle::new(ptr::with_exposed_provenance_mut(*function)) };
            let pointer = |value: &u32| ptr::from_ref(value).cast_mut().cast::<c_void>();
            let (mut pointers, mut size): (Vec<_>, _) = (parameters.iter().map(pointer).collect(), 0);
            let mut extra = Extra::new(bytemuck::cast_slice(parameters), &mut size);
            let mut call = KernelCall { function, params: pointers.as_mut_ptr(), extra: ptr::null_mut() };
            if *is_packed {
                call = KernelCall { params: ptr::null_mut(), extra: extra.0.as_mut_ptr(), ..call };
            }
            let pushed =
                log.push(&shape, &attributes, call, values, || LaunchKeeper::Caller, check, Promise(PhantomData));
            assert_eq!(pushed, Ok(()));
        }
        checks
    }

    /// Returns the launches that would be enqueued, which have as many parameters as `launches`.
    fn read(log: &mut LaunchLog, launches: &[Launch]) -> Vec<Launch> {
        let launch = |(step, (.., parameters)): (Step<'_>, &Launch)| {
            let Step::Launch(launch) = step else { panic!("only launches were recorded") };
            assert_eq!((launch.block, launch.shared), ([32, 2, 1], 64));
            let priority =
                launch.attributes().next().map(|attribute| (attribute.address(0).addr() as u32).cast_signed());
            let (is_packed, parameters) = launch.with_call(|call| {
                if let Some(packed) = call.packed() {
                    return (true, bytemuck::cast_slice(packed).to_vec());
                }
                let value = |i| {
                    // SAFETY: the call has a pointer to each parameter.
                    let pointer = unsafe { call.params.add(i) };
                    // SAFETY: the pointer is initialised.
                    let value = unsafe { *pointer }.cast::<u32>();
                    // SAFETY: the parameter is a `u32` in words of 8 bytes.
                    unsafe { *value }
                };
                (false, (0..parameters.len()).map(value).collect())
            });
            (launch.function().raw().addr(), priority, is_packed, parameters)
        };
        log.recorded().iter().zip(launches).map(launch).collect()
    }

    /// `sequences::random` compares random programs with plain launches.
    #[test]
    fn the_log_returns_the_launches_and_what_changed() {
        let mut log = LaunchLog::default();
        let mut run = |launches: &[Launch], changes: Option<&[usize]>, checks| {
            assert_eq!(record(&mut log, launches), checks);
            let changed: Option<Vec<_>> =
                log.changes().map(|changes| changes.iter().map(|change| change.index).collect());
            assert_eq!(changed.as_deref(), changes);
            assert_eq!(log.keepers().len(), launches.len());
            assert_eq!(read(&mut log, launches), launches);
            log.remember(true);
        };
        let mut launches =
            vec![(4096, None, true, vec![1, 2]), (4096, None, false, vec![3, 4, 5]), (8192, Some(1), true, vec![6])];
        run(&launches, None, 3);
        run(&launches, Some(&[]), 2);
        launches[0].3[0] = 9;
        launches[1].3[2] = 9;
        run(&launches, Some(&[0, 1]), 2);
        launches[2].1 = Some(0);
        run(&launches, None, 2);
        launches.remove(1);
        run(&launches, None, 1);
        launches[0].0 = 8192;
        run(&launches, None, 2);
    }
}

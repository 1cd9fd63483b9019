//! The launches of one run of a sequence: compared with the launches of the previous run, and enqueued later.

use super::{
    KernelCall, Promise,
    step::{COPY, Change, Header, MEMSET, PACKED, PARAMS, Shape, Steps, differences, is_update, step_at, words},
};
use crate::{driver::api::LaunchAttribute, marshal::HeldMemory};
use core::{any::Any, marker::PhantomData, mem};
use cudarc::driver::CudaFunction;
use std::sync::Arc;

/// Steps in the order in which they were recorded, as words.
///
/// As long as the steps of a run equal the steps of the previous run, they are only compared, and not stored again.
#[derive(Default)]
pub(crate) struct LaunchLog {
    /// The steps of this run, unless they are the first `repeated` words of `previous`.
    words: Vec<u64>,
    steps: usize,
    /// The steps of the previous run, if they are known.
    previous: Vec<u64>,
    /// The words of the steps that are equal to the previous run; `None` after the first difference.
    repeated: Option<usize>,
    /// Whether each step so far has the kind, the function, the attributes and the size of the previous run's.
    is_update: bool,
    /// The steps that differ from the previous run, as far as `is_update`.
    changes: Vec<Change>,
    /// What keeps the functions of `previous` loaded.
    keepers: Vec<Keeper>,
    /// The same for the steps from the first one that is not an update.
    new_keepers: Vec<Keeper>,
}

/// What keeps a function loaded while a log contains a launch of it.
#[derive(Clone)]
pub(crate) enum Keeper {
    Function(#[expect(dead_code, reason = "held, not read")] Arc<dyn Any + Send + Sync>),
    Cudarc(#[expect(dead_code, reason = "held, not read")] CudaFunction),
    /// A raw function, which the caller of `launch` keeps loaded; or a step that is not a launch.
    Caller,
}

impl LaunchLog {
    /// Adds a launch. `values` calls its argument with the bytes of each parameter, in order. `keeper` returns what keeps the function
    /// loaded, and `check` checks the launch; neither is called if they are known from the previous run.
    #[expect(clippy::too_many_arguments, reason = "inlined")]
    #[inline(always)]
    pub(crate) fn push<E>(
        &mut self,
        shape: &Shape,
        attributes: &[LaunchAttribute<'_>],
        call: KernelCall<'_>,
        values: impl FnOnce(&mut dyn FnMut(&[u8])),
        keeper: impl Fn() -> Keeper,
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
            values(&mut |value| {
                parameters.extend_from_slice(&(value.len() as u64).to_ne_bytes());
                parameters.extend_from_slice(value);
                parameters.resize(parameters.len().next_multiple_of(8), 0);
            });
            check()?;
            let size = parameters.len();
            let header = Header::of_launch(PARAMS, shape, function, attributes.len(), size);
            self.store(&header, attributes, &parameters, &keeper);
        }
        Ok(())
    }

    /// Whether the step has the header of the previous run's. Then it is stored, unless all steps so far are repeated.
    ///
    /// The function is the same, because the previous run keeps it loaded, or for a raw function, the caller of `launch`.
    #[inline(always)]
    fn repeats(&mut self, header: &Header, parameters: &[u8]) -> bool {
        if let Some(at) = self.repeated
            && let Some((first, rest)) = step_at(&self.previous, at, parameters.len())
        {
            // One sum of all words: most steps are equal, so there is no early exit.
            let sum = differences(first, *header.words()) | differences(rest, words(parameters));
            if sum == 0 {
                self.repeated = Some(at + first.len() + rest.len());
                self.steps += 1;
                return true;
            }
        }
        self.has_same_header(header, parameters)
    }

    #[inline(never)]
    fn has_same_header(&mut self, header: &Header, parameters: &[u8]) -> bool {
        let at = self.repeated.unwrap_or(self.words.len());
        match step_at(&self.previous, at, parameters.len()) {
            Some((first, rest)) if self.is_update && first == header.words() => {
                let old: &[u8] = bytemuck::cast_slice(rest);
                let is_same = old[..parameters.len()] == *parameters;
                self.append(header, &[], parameters, is_same);
                true
            }
            _ => false,
        }
    }

    /// Stores a step whose header differs from the previous run, or that has attributes.
    #[inline(never)]
    fn store(
        &mut self,
        header: &Header,
        attributes: &[LaunchAttribute<'_>],
        parameters: &[u8],
        keeper: &dyn Fn() -> Keeper,
    ) {
        self.diverge();
        let at = self.words.len();
        self.append(header, attributes, parameters, true);
        let (old, new) = (self.previous.get(at..), &self.words[at..]);
        let old = old.and_then(|old| old.get(..new.len()));
        if self.is_update && old.is_some_and(|old| is_update(old, new)) {
            if old != Some(new) {
                let index = self.steps - 1;
                self.changes.push(Change { index, at });
            }
        } else {
            self.is_update = false;
            self.new_keepers.push(keeper());
        }
    }

    #[inline(never)]
    fn append(&mut self, header: &Header, attributes: &[LaunchAttribute<'_>], parameters: &[u8], is_same: bool) {
        self.diverge();
        if !is_same {
            let (index, at) = (self.steps, self.words.len());
            self.changes.push(Change { index, at });
        }
        self.words.extend_from_slice(header.words());
        for attribute in attributes {
            self.extend(&attribute.to_bytes());
        }
        self.extend(parameters);
        self.steps += 1;
    }

    fn extend(&mut self, bytes: &[u8]) {
        let (whole, rest) = bytes.as_chunks::<8>();
        self.words.extend(whole.iter().map(|word| u64::from_ne_bytes(*word)));
        if !rest.is_empty() {
            self.words.extend(words(rest));
        }
    }

    /// Stores the steps so far, which are equal to the previous run.
    fn diverge(&mut self) {
        if let Some(at) = self.repeated.take() {
            self.words.extend_from_slice(&self.previous[..at]);
        }
    }

    /// Adds a memset of all of the memory.
    pub(crate) fn push_memset(&mut self, to: HeldMemory, byte: u8) {
        let width = to.bytes();
        self.push_memory(&Header::of_memory(MEMSET, to.address(), byte.into(), width));
    }

    /// Adds a copy of `from` to the beginning of `to`, as far as both have memory.
    pub(crate) fn push_copy(&mut self, to: HeldMemory, from: HeldMemory) {
        let width = from.bytes().min(to.bytes());
        self.push_memory(&Header::of_memory(COPY, to.address(), from.address(), width));
    }

    fn push_memory(&mut self, header: &Header) {
        if !self.repeats(header, &[]) {
            self.store(header, &[], &[], &|| Keeper::Caller);
        }
    }

    /// Begins a run. Keeps the storage.
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

    /// Whether the last step equals the step of the previous run with the same index.
    pub(crate) fn is_last_repeated(&self) -> bool {
        let last = self.steps.checked_sub(1);
        self.is_update && last.is_some() && self.changes.last().map(|change| change.index) != last
    }

    /// The promise that all steps may run; `None` without steps.
    ///
    /// [`push`](Self::push) has received the promise of each launch's caller, which is about the slices of the arguments at that time. Their
    /// memory is [`HeldMemory`], and [`MemoryStep::enqueue`](super::MemoryStep::enqueue) proves that such memory is still memory of slices of
    /// the same types when the steps are enqueued. Memsets and copies need only this proof.
    pub(crate) fn promise(&self) -> Option<Promise<'_>> {
        (self.steps > 0).then_some(Promise(PhantomData))
    }

    /// The steps that differ from the previous run; `None` if an update cannot change all of them.
    pub(crate) fn changes(&self) -> Option<&[Change]> {
        let words = self.repeated.unwrap_or(self.words.len());
        (self.is_update && words == self.previous.len()).then_some(&self.changes)
    }

    /// Whether all steps are equal to the previous run.
    fn is_repeated(&self) -> bool {
        self.repeated == Some(self.previous.len())
    }

    /// The run is over: the next run is compared with it, if its graph was launched.
    pub(crate) fn remember(&mut self, is_launched: bool) {
        if !is_launched {
            self.previous.clear();
            self.keepers.clear();
        } else if !self.is_repeated() {
            self.diverge();
            mem::swap(&mut self.previous, &mut self.words);
            self.keepers.truncate(self.steps - self.new_keepers.len());
            self.keepers.append(&mut self.new_keepers);
        }
    }

    /// What keeps the functions of the steps loaded.
    pub(crate) fn keepers(&self) -> Vec<Keeper> {
        let repeated = self.steps - self.new_keepers.len();
        let keepers = self.keepers[..repeated].iter().chain(&self.new_keepers);
        keepers.cloned().collect()
    }

    /// The steps.
    pub(crate) fn recorded(&mut self) -> Steps<'_> {
        self.diverge();
        Steps(&self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{Extra, Step},
        Keeper, KernelCall, LaunchLog, Promise, Shape, Steps,
    };
    use crate::driver::api::{FunctionHandle, LaunchAttribute};
    use core::{ffi::c_void, marker::PhantomData, ptr};

    /// A launch as the tests describe it.
    #[derive(Clone, Debug, PartialEq)]
    struct Launch {
        function: usize,
        grid: u32,
        priority: Option<i32>,
        parameters: Vec<Vec<u8>>,
        packed: bool,
    }

    fn function<'f>(number: usize) -> FunctionHandle<'f> {
        // SAFETY: nothing uses the function.
        unsafe { FunctionHandle::new(ptr::with_exposed_provenance_mut(number)) }
    }

    /// Records the launches; returns how many of them were checked.
    fn record(log: &mut LaunchLog, launches: &[Launch]) -> usize {
        let mut checks = 0;
        log.clear();
        for launch in launches {
            let shape = Shape { grid: [launch.grid, 1, 1], block: [32, 2, 1], shared: 64, shared_given: true };
            let attributes: Vec<_> = launch
                .priority
                .map(|priority| {
                    let mut attribute = LaunchAttribute::new(8);
                    attribute.put(0, priority.to_ne_bytes());
                    attribute
                })
                .into_iter()
                .collect();
            let values = |visit: &mut dyn FnMut(&[u8])| {
                launch.parameters.iter().for_each(|value| visit(value));
            };
            let keeper = || Keeper::Caller;
            let check = || {
                checks += 1;
                Ok::<(), ()>(())
            };
            let (bytes, mut size) = (launch.parameters.concat(), 0);
            let mut extra = Extra::new(&bytes, &mut size);
            let mut pointers: Vec<*mut c_void> =
                launch.parameters.iter().map(|value| value.as_ptr().cast_mut().cast()).collect();
            let promise = Promise(PhantomData);
            let mut call = KernelCall {
                function: function(launch.function),
                params: pointers.as_mut_ptr(),
                extra: ptr::null_mut(),
            };
            if launch.packed {
                call = KernelCall { params: ptr::null_mut(), extra: extra.0.as_mut_ptr(), ..call };
            }
            let pushed = log.push(&shape, &attributes, call, values, keeper, check, promise);
            assert_eq!(pushed, Ok(()));
        }
        checks
    }

    /// The launches that would be enqueued. `sizes` are the sizes of the parameters of each.
    fn read(steps: Steps<'_>, sizes: &[Vec<usize>]) -> Vec<Launch> {
        let launches = steps.iter().zip(sizes).map(|(step, sizes)| {
            let Step::Launch(launch) = step else { panic!("only launches were recorded") };
            assert_eq!((launch.block, launch.shared), ([32, 2, 1], 64));
            let mut priority = None;
            for attribute in launch.attributes() {
                assert_eq!(attribute.id(), 8);
                let mut bytes = [0; 4];
                bytes.copy_from_slice(&attribute.bytes()[..4]);
                priority = Some(i32::from_ne_bytes(bytes));
            }
            let (packed, parameters) = launch.with_call(|call| {
                if let Some(mut rest) = call.packed() {
                    let mut parameters = Vec::new();
                    for size in sizes {
                        parameters.push(rest[..*size].to_vec());
                        rest = &rest[*size..];
                    }
                    assert!(rest.is_empty());
                    (true, parameters)
                } else {
                    let value = |(i, size): (usize, &usize)| {
                        // SAFETY: the call has a pointer to each parameter.
                        let from = unsafe { call.params.add(i) };
                        // SAFETY: the pointer is initialised.
                        let from = unsafe { *from }.cast::<u8>();
                        // SAFETY: the parameter has this size.
                        unsafe { core::slice::from_raw_parts(from, *size) }.to_vec()
                    };
                    (false, sizes.iter().enumerate().map(value).collect())
                }
            });
            Launch {
                function: launch.function().raw().addr(),
                grid: launch.grid[0],
                priority,
                // Without parameters there is no packed form.
                packed: packed || parameters.is_empty(),
                parameters,
            }
        });
        launches.collect()
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % limit
        }

        fn launch(&mut self) -> Launch {
            let parameters: Vec<_> =
                (0..self.below(4)).map(|_| vec![self.below(256) as u8; 1 + self.below(20)]).collect();
            Launch {
                function: 4096 * (1 + self.below(3)),
                grid: 1 + self.below(3) as u32,
                priority: [None, None, Some(-1), Some(0)][self.below(4)],
                packed: parameters.is_empty() || self.below(3) > 0,
                parameters,
            }
        }
    }

    #[test]
    fn the_log_returns_the_launches_and_what_changed() {
        let programs = if cfg!(miri) { 5 } else { 300 };
        for seed in 0..programs {
            let mut random = Random(seed);
            let mut log = LaunchLog::default();
            let mut launches: Vec<_> = (0..=random.below(8)).map(|_| random.launch()).collect();
            let mut before: Option<Vec<Launch>> = None;
            for run in 0..10 {
                let checks = record(&mut log, &launches);
                let is_equal = before.as_ref() == Some(&launches);
                let plain = launches.iter().all(|one| one.packed && one.priority.is_none());
                if is_equal && plain {
                    assert_eq!(checks, 0, "seed {seed}, run {run}");
                }
                let changes: Option<Vec<_>> =
                    log.changes().map(|changes| changes.iter().map(|change| change.index).collect());
                let expected = before.as_ref().and_then(|before| changed(before, &launches));
                assert_eq!(changes, expected, "seed {seed}, run {run}: {before:?}, {launches:?}");
                assert_eq!(log.keepers().len(), launches.len());
                let sizes: Vec<Vec<usize>> =
                    launches.iter().map(|launch| launch.parameters.iter().map(Vec::len).collect()).collect();
                assert_eq!(read(log.recorded(), &sizes), launches, "seed {seed}, run {run}");
                let is_launched = random.below(5) > 0;
                log.remember(is_launched);
                before = is_launched.then(|| launches.clone());
                for _ in 0..random.below(3) {
                    let at = random.below(launches.len());
                    match random.below(5) {
                        0 => launches[at] = random.launch(),
                        1 => launches.insert(at, random.launch()),
                        2 if launches.len() > 1 => drop(launches.remove(at)),
                        3 => launches[at].grid += 1,
                        _ => {
                            for value in &mut launches[at].parameters {
                                value[0] = value[0].wrapping_add(1);
                            }
                        }
                    }
                }
            }
        }
    }

    /// The indices of the launches that differ; `None` if a node cannot become its new launch.
    fn changed(before: &[Launch], now: &[Launch]) -> Option<Vec<usize>> {
        if before.len() != now.len() {
            return None;
        }
        let mut all = Vec::new();
        for (index, (old, new)) in before.iter().zip(now).enumerate() {
            let words = |launch: &Launch| -> Vec<usize> {
                if launch.packed {
                    return vec![launch.parameters.concat().len()];
                }
                let sizes = launch.parameters.iter().map(Vec::len);
                sizes.map(|size| size.div_ceil(8)).collect()
            };
            let is_update = (old.function, old.priority, old.packed) == (new.function, new.priority, new.packed)
                && words(old).iter().sum::<usize>() == words(new).iter().sum::<usize>()
                && words(old).len() == words(new).len();
            if !is_update {
                return None;
            }
            if old != new {
                all.push(index);
            }
        }
        Some(all)
    }
}

//! Recorded steps as words: a [`Header`], then the attributes of a launch and its parameters.

use super::{Extra, KernelCall, Promise, recorded_function};
use crate::driver::api::{FunctionHandle, LaunchAttribute};
use core::{ffi::c_void, iter, marker::PhantomData, ptr};
use cudarc::driver::sys::CUdeviceptr;

pub(crate) enum Step<'l> {
    Launch(RecordedLaunch<'l>),
    Memory(MemoryStep<'l>),
    /// A captured graph as a child graph, by the number of its external work.
    Child(u64),
}

/// An operation on memory that the run holds or owns.
#[derive(Clone, Copy)]
pub(crate) struct MemoryStep<'l> {
    pub(in crate::driver::api) operation: MemoryOperation,
    recorded: PhantomData<&'l ()>,
}

#[derive(Clone, Copy)]
pub(in crate::driver::api) enum MemoryOperation {
    /// The size of an element is 1, 2 or 4 bytes.
    Set {
        to: CUdeviceptr,
        value: u32,
        element: u32,
        elements: usize,
    },
    Copy {
        to: CUdeviceptr,
        from: CUdeviceptr,
        bytes: usize,
    },
}

/// Its caller has promised that the kernel may run.
pub(crate) struct RecordedLaunch<'l> {
    function: FunctionHandle<'l>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    attributes: &'l [u64],
    /// Either the packed form, or each parameter with its size before it.
    parameters: &'l [u64],
    /// In bytes.
    size: usize,
    is_packed: bool,
}

/// The words of a [`LaunchAttribute`].
pub(super) const ATTRIBUTE: usize = 9;

pub(super) const PACKED: u8 = 0;
pub(super) const PARAMS: u8 = 1;
pub(super) const MEMSET: u8 = 2;
pub(super) const COPY: u8 = 3;
pub(super) const CHILD: u8 = 4;

#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    /// Whether the launch names a size of shared memory.
    pub(crate) shared_given: bool,
}

/// The first words of a step:
///
/// | word | of a launch | of a memset or a copy |
/// |---|---|---|
/// | 0 | kind, number of attributes, size of the parameters in bytes | kind |
/// | 1 | function | destination |
/// | 2, 3, 4 | grid and block | value or source; number of elements or bytes; size of an element |
/// | 5 | shared memory, whether it is named | |
#[derive(Clone, Copy)]
pub(super) struct Header([u64; Self::WORDS]);

#[inline(always)]
const fn pair(low: u32, high: u32) -> u64 {
    low as u64 | (high as u64) << 32
}

const fn halves(word: u64) -> [u32; 2] {
    [word as u32, (word >> 32) as u32]
}

impl Header {
    pub(super) const WORDS: usize = 6;

    #[inline(always)]
    pub(super) fn of_launch(
        kind: u8,
        shape: &Shape,
        function: FunctionHandle<'_>,
        attributes: usize,
        size: usize,
    ) -> Self {
        let Shape { grid, block, shared, shared_given } = *shape;
        Self([
            // There are fewer kinds of attributes than a byte can count, and at most 32764 bytes of parameters.
            pair(u32::from(kind) | (attributes as u32) << 8, size as u32),
            function.raw().expose_provenance() as u64,
            pair(grid[0], grid[1]),
            pair(grid[2], block[0]),
            pair(block[1], block[2]),
            pair(shared, shared_given.into()),
        ])
    }

    fn of_child(number: u64) -> Self {
        Self([CHILD.into(), number, 0, 0, 0, 0])
    }

    pub(super) fn of_memory(operation: MemoryOperation) -> Self {
        match operation {
            MemoryOperation::Set { to, value, element, elements } => {
                Self([MEMSET.into(), to, value.into(), elements as u64, element.into(), 0])
            }
            MemoryOperation::Copy { to, from, bytes } => Self([COPY.into(), to, from, bytes as u64, 0, 0]),
        }
    }

    #[inline(always)]
    pub(super) fn words(&self) -> &[u64; Self::WORDS] {
        &self.0
    }

    fn first_of(steps: &[u64]) -> Self {
        let mut words = [0; Self::WORDS];
        words.copy_from_slice(&steps[..Self::WORDS]);
        Self(words)
    }

    fn attributes(&self) -> usize {
        (self.0[0] as u32 >> 8) as usize
    }

    fn size(&self) -> usize {
        (self.0[0] >> 32) as usize
    }

    fn step(&self) -> usize {
        Self::WORDS + self.attributes() * ATTRIBUTE + self.size().div_ceil(8)
    }
}

/// Returns the bytes as words; the last word is filled with zeros.
#[inline(always)]
pub(super) fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_ne_bytes(*word));
    let last = (!rest.is_empty()).then(|| {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        u64::from_ne_bytes(word)
    });
    words.chain(last)
}

/// A step that differs from the previous one with its index.
#[derive(Clone, Copy)]
pub(crate) struct Change {
    pub(crate) index: usize,
    /// The place of its first word.
    pub(super) at: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Steps<'l>(pub(super) &'l [u64]);

impl Steps<'static> {
    /// Returns the words of a step that is a child graph.
    pub(crate) fn child(number: u64) -> Vec<u64> {
        Header::of_child(number).0.to_vec()
    }
}

impl<'l> Steps<'l> {
    /// Returns the steps that [`copy_to`](Self::copy_to) has stored.
    pub(crate) fn of(words: &'l [u64]) -> Self {
        Self(words)
    }

    /// Returns the promises of the callers that recorded the steps: see
    /// [`LaunchLog::promise`](super::LaunchLog::promise).
    #[expect(clippy::unused_self, reason = "it is the proof")]
    pub(crate) fn promise(self) -> Promise<'l> {
        Promise(PhantomData)
    }

    pub(crate) fn copy_to(self, words: &mut Vec<u64>) {
        words.clear();
        words.extend_from_slice(self.0);
    }

    pub(super) fn parts(self) -> impl Iterator<Item = &'l [u64]> {
        let mut rest = self.0;
        iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (step, after) = rest.split_at(Header::first_of(rest).step());
            rest = after;
            Some(step)
        })
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = Step<'l>> {
        self.parts().map(read)
    }

    pub(crate) fn at(self, change: Change) -> Option<Step<'l>> {
        Some(read(Steps(self.0.get(change.at..)?).parts().next()?))
    }

    /// Calls `found` for each step of `new` that differs. Returns whether updates of fewer than `below` nodes can
    /// change these steps to `new`: the same functions and attributes, copies and memsets in the same order.
    pub(crate) fn differences(self, new: Steps<'_>, below: usize, mut found: impl FnMut(Change)) -> bool {
        let (mut old, mut new, mut at, mut count) = (self.parts(), new.parts(), 0, 0);
        for index in 0.. {
            match (old.next(), new.next()) {
                (None, None) => break,
                (Some(old), Some(new)) => {
                    if old != new {
                        count += 1;
                        if count >= below || !is_update(old, new) {
                            return false;
                        }
                        found(Change { index, at });
                    }
                    at += new.len();
                }
                _ => return false,
            }
        }
        count < below
    }
}

/// Returns the header and the parameters of the step at a place, if, as only the header shows, it has no attributes and
/// `size` bytes of parameters.
#[inline(always)]
pub(super) fn step_at(steps: &[u64], at: usize, size: usize) -> Option<(&[u64], &[u64])> {
    let end = at + Header::WORDS + size.div_ceil(8);
    Some(steps.get(at..end)?.split_at(Header::WORDS))
}

/// Zero if the words are the same.
#[inline(always)]
pub(super) fn differences(old: &[u64], new: impl IntoIterator<Item = u64>) -> u64 {
    let both = old.iter().zip(new);
    both.fold(0, |sum, (old, new)| sum | (old ^ new))
}

/// Returns whether an update of a node makes `new` of `old`, which differ: two launches of one function with the same
/// attributes, two copies, or two memsets.
pub(super) fn is_update(old: &[u64], new: &[u64]) -> bool {
    let header = Header::first_of(old);
    if matches!(header.0[0] as u8, MEMSET | COPY | CHILD) {
        return old[0] == new[0] && old[0] as u8 != CHILD;
    }
    let attributes = Header::WORDS..Header::WORDS + header.attributes() * ATTRIBUTE;
    old[..2] == new[..2] && old[attributes.clone()] == new[attributes]
}

/// Appends a launch with the packed list of [`RecordedLaunch`]'s parameters, each with its size before it.
pub(in crate::driver::api) fn push_captured_launch(
    words: &mut Vec<u64>,
    shape: &Shape,
    function: FunctionHandle<'_>,
    attributes: &[LaunchAttribute<'_>],
    parameters: &[u8],
) {
    let header = Header::of_launch(PARAMS, shape, function, attributes.len(), parameters.len());
    push_launch(words, &header, attributes, parameters);
}

pub(super) fn push_launch(
    words: &mut Vec<u64>,
    header: &Header,
    attributes: &[LaunchAttribute<'_>],
    parameters: &[u8],
) {
    words.extend_from_slice(header.words());
    for attribute in attributes {
        words.extend(self::words(&attribute.to_bytes()));
    }
    let (whole, rest) = parameters.as_chunks::<8>();
    words.extend(whole.iter().map(|word| u64::from_ne_bytes(*word)));
    if !rest.is_empty() {
        words.extend(self::words(rest));
    }
}

/// Appends a parameter to a list with the size before each.
pub(in crate::driver::api) fn push_parameter(parameters: &mut Vec<u8>, value: &[u8]) {
    parameters.extend_from_slice(&(value.len() as u64).to_ne_bytes());
    parameters.extend_from_slice(value);
    parameters.resize(parameters.len().next_multiple_of(8), 0);
}

pub(in crate::driver::api) fn push_captured_memory(words: &mut Vec<u64>, operation: MemoryOperation) {
    words.extend_from_slice(Header::of_memory(operation).words());
}

fn read(step: &[u64]) -> Step<'_> {
    let header = Header::first_of(step);
    let [first, to, second, third, fourth, fifth] = header.0;
    let memory = |operation| Step::Memory(MemoryStep { operation, recorded: PhantomData });
    match first as u8 {
        CHILD => return Step::Child(to),
        MEMSET => {
            let (value, element, elements) = (second as u32, fourth as u32, third as usize);
            return memory(MemoryOperation::Set { to, value, element, elements });
        }
        COPY => return memory(MemoryOperation::Copy { to, from: second, bytes: third as usize }),
        _ => {}
    }
    let ([grid_x, grid_y], [grid_z, block_x]) = (halves(second), halves(third));
    let [block_y, block_z] = halves(fourth);
    let (attributes, parameters) = step[Header::WORDS..].split_at(header.attributes() * ATTRIBUTE);
    Step::Launch(RecordedLaunch {
        function: recorded_function(to),
        grid: [grid_x, grid_y, grid_z],
        block: [block_x, block_y, block_z],
        shared: fifth as u32,
        attributes,
        parameters,
        size: header.size(),
        is_packed: first as u8 == PACKED,
    })
}

impl<'l> RecordedLaunch<'l> {
    pub(crate) fn function(&self) -> FunctionHandle<'l> {
        self.function
    }

    pub(crate) fn attributes(&self) -> impl Iterator<Item = LaunchAttribute<'l>> {
        let attributes = self.attributes.chunks_exact(ATTRIBUTE);
        attributes.map(|words| LaunchAttribute::from_bytes(bytemuck::cast_slice(words)))
    }

    #[expect(clippy::unused_self, reason = "it is the proof")]
    pub(crate) fn promise(&self) -> Promise<'l> {
        // `push` has received it.
        Promise(PhantomData)
    }

    pub(crate) fn with_call<R>(&self, then: impl FnOnce(KernelCall<'_>) -> R) -> R {
        let function = self.function;
        if self.is_packed && self.size > 0 {
            let mut size = 0;
            let mut extra = Extra::new(&bytemuck::cast_slice(self.parameters)[..self.size], &mut size);
            return then(KernelCall { function, params: ptr::null_mut(), extra: extra.0.as_mut_ptr() });
        }
        let (mut pointers, mut rest) = (Vec::new(), self.parameters);
        while let Some((size, after)) = rest.split_first() {
            pointers.push(after.as_ptr().cast_mut().cast::<c_void>());
            rest = &after[(*size as usize).div_ceil(8)..];
        }
        then(KernelCall { function, params: pointers.as_mut_ptr(), extra: ptr::null_mut() })
    }
}

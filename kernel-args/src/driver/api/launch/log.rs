//! The launches of one run of a sequence, as bytes: compared with the launches of the previous run, and enqueued later.

use super::{Extra, KernelCall, Promise, recorded_function};
use crate::driver::api::{FunctionHandle, Handle, LaunchAttribute, LaunchConfig};
use core::{any::Any, ffi::c_void, iter, marker::PhantomData, mem, ptr};
use cudarc::driver::{
    CudaFunction,
    sys::{CUdeviceptr, CUfunc_st},
};
use std::{sync::Arc, vec::Vec};

/// Steps in the order in which they were recorded. A step is a header of [`HEADER`] bytes, then the attributes of a launch, then its
/// parameters, each with a size that is a multiple of 8 bytes.
#[derive(Default)]
pub(crate) struct LaunchLog {
    bytes: Vec<u8>,
    steps: usize,
    /// For each step, the function and what keeps it loaded. The entries after `steps` are from an earlier run.
    functions: Vec<Kept>,
}

/// What keeps a function loaded while a log contains a launch of it.
#[derive(Clone)]
pub(crate) enum Keeper {
    Function(#[expect(dead_code, reason = "held, not read")] Arc<dyn Any + Send + Sync>),
    Cudarc(#[expect(dead_code, reason = "held, not read")] CudaFunction),
    /// A raw function, which the caller of `launch` keeps loaded; or a step that is not a launch.
    Caller,
}

#[derive(Clone)]
struct Kept {
    function: Handle<CUfunc_st>,
    keeper: Keeper,
}

/// One step.
pub(crate) enum Step<'l> {
    Launch(RecordedLaunch<'l>),
    Memory(MemoryStep<'l>),
}

/// An operation on the memory of held slices.
#[derive(Clone, Copy)]
pub(crate) struct MemoryStep<'l> {
    pub(in crate::driver::api) operation: MemoryOperation,
    pub(in crate::driver::api) to: CUdeviceptr,
    /// In bytes.
    pub(in crate::driver::api) width: usize,
    recorded: PhantomData<&'l ()>,
}

#[derive(Clone, Copy)]
pub(in crate::driver::api) enum MemoryOperation {
    /// Sets all bytes.
    Set(u8),
    CopyFrom(CUdeviceptr),
}

/// A launch whose caller has promised that the kernel may run.
pub(crate) struct RecordedLaunch<'l> {
    function: FunctionHandle<'l>,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    attributes: &'l [u8],
    /// Either the packed form, or each parameter with its size before it.
    parameters: &'l [u8],
    is_packed: bool,
}

/// The call of a recorded launch, in either form.
pub(crate) enum RecordedCall<'c> {
    Packed(KernelCall<'c, true>),
    Params(KernelCall<'c, false>),
}

const HEADER: usize = 48;
const ATTRIBUTE: usize = 72;

const PACKED: u8 = 0;
const PARAMS: u8 = 1;
const MEMSET: u8 = 2;
const COPY: u8 = 3;

/// The header of a step: its kind, the number of its attributes, the size of its parameters without padding, and numbers.
#[derive(Clone, Copy)]
struct Header {
    kind: u8,
    attributes: u8,
    size: u32,
    /// The function, or the destination.
    first: u64,
    numbers: [u32; 8],
}

impl Header {
    #[inline(always)]
    fn to_bytes(self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        bytes[0] = self.kind;
        bytes[1] = self.attributes;
        bytes[4..8].copy_from_slice(&self.size.to_ne_bytes());
        bytes[8..16].copy_from_slice(&self.first.to_ne_bytes());
        for (place, number) in bytes[16..].chunks_exact_mut(4).zip(self.numbers) {
            place.copy_from_slice(&number.to_ne_bytes());
        }
        bytes
    }

    fn of(bytes: &[u8]) -> Self {
        let number = |at: usize| {
            let mut number = [0; 4];
            number.copy_from_slice(&bytes[at..at + 4]);
            u32::from_ne_bytes(number)
        };
        let mut first = [0; 8];
        first.copy_from_slice(&bytes[8..16]);
        let mut numbers = [0; 8];
        for (i, entry) in numbers.iter_mut().enumerate() {
            *entry = number(16 + 4 * i);
        }
        Self {
            kind: bytes[0],
            attributes: bytes[1],
            size: number(4),
            first: u64::from_ne_bytes(first),
            numbers,
        }
    }

    /// The bytes of the whole step.
    fn step_size(self) -> usize {
        HEADER + usize::from(self.attributes) * ATTRIBUTE + (self.size as usize).next_multiple_of(8)
    }
}

impl LaunchLog {
    /// Adds a launch. `values` calls its argument with the bytes of each parameter, in order. `keeper` is called if the previous run
    /// had a different function here.
    #[inline(always)]
    pub(crate) fn push<const IS_PACKED: bool>(
        &mut self,
        config: &LaunchConfig<'_>,
        attributes: &[LaunchAttribute<'_>],
        call: KernelCall<'_, IS_PACKED>,
        values: impl FnOnce(&mut dyn FnMut(&[u8])),
        keeper: impl FnOnce() -> Keeper,
        _: Promise<'_>,
    ) {
        let function = call.function();
        if let Some(parameters) = call.packed() {
            self.begin(
                PACKED,
                config,
                attributes,
                function,
                parameters.len(),
                keeper,
            );
            self.bytes.extend_from_slice(parameters);
            self.end(parameters.len());
        } else {
            let mut parameters = Vec::new();
            values(&mut |value| {
                parameters.extend_from_slice(&(value.len() as u64).to_ne_bytes());
                parameters.extend_from_slice(value);
                parameters.resize(parameters.len().next_multiple_of(8), 0);
            });
            self.begin(
                PARAMS,
                config,
                attributes,
                function,
                parameters.len(),
                keeper,
            );
            self.bytes.extend_from_slice(&parameters);
        }
    }

    #[inline(always)]
    fn begin(
        &mut self,
        kind: u8,
        config: &LaunchConfig<'_>,
        attributes: &[LaunchAttribute<'_>],
        function: FunctionHandle<'_>,
        size: usize,
        keeper: impl FnOnce() -> Keeper,
    ) {
        let LaunchConfig {
            grid,
            block,
            shared,
            ..
        } = *config;
        let header = Header {
            kind,
            // There are fewer kinds of attributes than a byte can count, and at most 32764 bytes of parameters.
            attributes: attributes.len() as u8,
            size: size as u32,
            first: function.raw().expose_provenance() as u64,
            numbers: [
                grid[0], grid[1], grid[2], block[0], block[1], block[2], shared, 0,
            ],
        };
        self.bytes.reserve(header.step_size());
        self.bytes.extend_from_slice(&header.to_bytes());
        for attribute in attributes {
            self.bytes.extend_from_slice(&attribute.to_bytes());
        }
        let function = Handle::new(function.raw());
        self.keep(function, keeper);
        self.steps += 1;
    }

    /// Stores what keeps the function of the next step loaded, unless it is already stored.
    #[inline(always)]
    fn keep(&mut self, function: Handle<CUfunc_st>, keeper: impl FnOnce() -> Keeper) {
        let stored = self.functions.get(self.steps);
        // Nothing keeps the handle of a raw function from being used for a different function.
        let is_stored = stored.is_some_and(|kept| {
            kept.function == function && !matches!(kept.keeper, Keeper::Caller)
        });
        if !is_stored {
            self.store(Kept {
                function,
                keeper: keeper(),
            });
        }
    }

    #[cold]
    fn store(&mut self, kept: Kept) {
        match self.functions.get_mut(self.steps) {
            Some(entry) => *entry = kept,
            None => self.functions.push(kept),
        }
    }

    #[inline(always)]
    fn end(&mut self, size: usize) {
        let padding = size.wrapping_neg() % 8;
        if padding > 0 {
            self.bytes.extend_from_slice(&[0; 8][..padding]);
        }
    }

    pub(crate) fn push_memset(&mut self, to: CUdeviceptr, byte: u8, width: usize) {
        self.push_memory(MEMSET, to, byte.into(), width);
    }

    pub(crate) fn push_copy(&mut self, to: CUdeviceptr, from: CUdeviceptr, width: usize) {
        self.push_memory(COPY, to, from, width);
    }

    fn push_memory(&mut self, kind: u8, first: u64, second: u64, width: usize) {
        let width = width as u64;
        let header = Header {
            kind,
            attributes: 0,
            size: 0,
            first,
            numbers: [
                second as u32,
                (second >> 32) as u32,
                width as u32,
                (width >> 32) as u32,
                0,
                0,
                0,
                0,
            ],
        };
        self.bytes.extend_from_slice(&header.to_bytes());
        self.keep(Handle::new(ptr::null_mut()), || Keeper::Caller);
        self.steps += 1;
    }

    /// Empties the log, and keeps its storage. What keeps the functions loaded stays until other functions replace it.
    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.steps = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.steps
    }

    /// The promises of the callers of all launches; `None` without steps.
    pub(crate) fn promise(&self) -> Option<Promise<'_>> {
        (self.steps > 0).then_some(Promise(PhantomData))
    }

    /// Whether all steps are equal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }

    /// What keeps the functions of the steps loaded.
    pub(crate) fn keepers(&self) -> Vec<Keeper> {
        let functions = &self.functions[..self.steps];
        functions.iter().map(|kept| kept.keeper.clone()).collect()
    }

    /// Exchanges the steps with `other`, but not what keeps their functions loaded.
    pub(crate) fn swap_steps(&mut self, other: &mut Self) {
        mem::swap(&mut self.bytes, &mut other.bytes);
        mem::swap(&mut self.steps, &mut other.steps);
    }

    /// The steps as bytes.
    fn parts(&self) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.bytes[..];
        iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (step, after) = rest.split_at(Header::of(rest).step_size());
            rest = after;
            Some(step)
        })
    }

    pub(crate) fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.parts().map(read)
    }

    /// Calls `changed` with the index of each step whose node must be updated to become the step of `new`. Returns whether the nodes
    /// can become these steps: the same functions and attributes in the same order, and the same copies.
    pub(crate) fn differences(&self, new: &Self, mut changed: impl FnMut(usize)) -> bool {
        if self.steps != new.steps {
            return false;
        }
        for (index, (old, new)) in self.parts().zip(new.parts()).enumerate() {
            if old == new {
                continue;
            }
            if !is_update(old, new) {
                return false;
            }
            changed(index);
        }
        true
    }
}

/// Whether an update of a node changes the step `old` to the step `new`.
fn is_update(old: &[u8], new: &[u8]) -> bool {
    let (from, to) = (Header::of(old), Header::of(new));
    let attributes = HEADER + usize::from(from.attributes) * ATTRIBUTE;
    let is_launch = matches!(from.kind, PACKED | PARAMS);
    is_launch
        && from.kind == to.kind
        && from.first == to.first
        && from.attributes == to.attributes
        && old[HEADER..attributes] == new[HEADER..attributes]
}

fn read(step: &[u8]) -> Step<'_> {
    let header = Header::of(step);
    let numbers = header.numbers;
    let wide = |i: usize| u64::from(numbers[i]) | u64::from(numbers[i + 1]) << 32;
    match header.kind {
        MEMSET | COPY => Step::Memory(MemoryStep {
            operation: match header.kind {
                MEMSET => MemoryOperation::Set(numbers[0] as u8),
                _ => MemoryOperation::CopyFrom(wide(0)),
            },
            to: header.first,
            width: wide(2) as usize,
            recorded: PhantomData,
        }),
        kind => {
            let (attributes, parameters) =
                step[HEADER..].split_at(usize::from(header.attributes) * ATTRIBUTE);
            Step::Launch(RecordedLaunch {
                function: recorded_function(header.first),
                grid: [numbers[0], numbers[1], numbers[2]],
                block: [numbers[3], numbers[4], numbers[5]],
                shared: numbers[6],
                attributes,
                parameters: &parameters[..header.size as usize],
                is_packed: kind == PACKED,
            })
        }
    }
}

impl<'l> RecordedLaunch<'l> {
    pub(crate) fn function(&self) -> FunctionHandle<'l> {
        self.function
    }

    /// The attributes of the launch.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = LaunchAttribute<'l>> {
        self.attributes
            .chunks_exact(ATTRIBUTE)
            .map(LaunchAttribute::from_bytes)
    }

    /// The promise of the launch's caller.
    pub(crate) fn promise(&self) -> Promise<'l> {
        // `push` has received it.
        Promise(PhantomData)
    }

    /// Calls `then` with the function and its parameters.
    pub(crate) fn with_call<R>(&self, then: impl FnOnce(RecordedCall<'_>) -> R) -> R {
        let function = self.function;
        if self.is_packed {
            let mut size = 0;
            let mut extra = Extra::new(self.parameters, &mut size);
            return then(RecordedCall::Packed(KernelCall {
                function,
                parameters: extra.0.as_mut_ptr(),
            }));
        }
        let (mut pointers, mut rest) = (Vec::new(), self.parameters);
        while let Some((size, after)) = rest.split_first_chunk::<8>() {
            let size = u64::from_ne_bytes(*size) as usize;
            pointers.push(after.as_ptr().cast_mut().cast::<c_void>());
            rest = &after[size.next_multiple_of(8)..];
        }
        then(RecordedCall::Params(KernelCall {
            function,
            parameters: pointers.as_mut_ptr(),
        }))
    }
}

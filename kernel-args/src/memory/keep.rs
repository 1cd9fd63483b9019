//! Values that a run of a sequence owns, and where their memory is.

use super::{ContextName, DeviceMemory, RunMemory};
use core::{mem, ops::Range};
use cudarc::driver::{CudaSlice, DevicePtr, DeviceSlice, SyncOnDrop, UnifiedSlice, sys::CUdeviceptr};
use std::sync::Arc;

/// A value that a run of a sequence can own: [`Run::keep`](crate::sequence::Run::keep) takes it. It reports its memory,
/// which launches of the run can then use.
///
/// ```
/// use cudarc::driver::CudaSlice;
/// use kernel_args::sequence::{Keep, KeptMemory};
///
/// struct Storage {
///     values: CudaSlice<f32>,
///     scales: Option<CudaSlice<f32>>,
/// }
///
/// impl Keep for Storage {
///     fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
///         memory.add(&self.values);
///         self.scales.memory(memory);
///     }
/// }
/// ```
// A safe implementation cannot report memory that the value does not keep allocated: it works for each lifetime `'v`,
// also for one that ends when the value is dropped. So all slices that it reports are borrowed for as long as nothing
// uses the value exclusively. A kept value is in a `Box`, and is only borrowed shared until it is dropped.
#[diagnostic::on_unimplemented(
    message = "a run cannot keep `{Self}`",
    label = "this type does not report its memory",
    note = "implement `Keep` for it, or keep the slice, the `Arc`, or a tuple of them"
)]
pub trait Keep: Send + 'static {
    /// Calls [`KeptMemory::add`] for each slice in the value.
    ///
    /// It is called when the value is kept, then before steps of a run are enqueued, and at the end of a run. The run
    /// is an error if a slice of the first call is not part of a later one.
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>);
}

/// What a kept value calls with each of its slices.
pub struct KeptMemory<'v> {
    known: &'v RunMemory,
    /// The memory of the value, and the context of memory of a different context.
    ranges: Vec<Range<CUdeviceptr>>,
    other_context: Option<ContextName>,
    /// While the run is enqueued: the guards that record the use of the memory.
    guards: Option<Vec<SyncOnDrop<'v>>>,
}

impl<'v> KeptMemory<'v> {
    /// The value contains `slice`: a [`CudaSlice`], a [`UnifiedSlice`], or a slice of a pool.
    pub fn add<T>(&mut self, slice: &'v impl DeviceMemory<T, Slice: 'v>) {
        let (known, slice) = (self.known, slice.slice());
        let context = slice.stream().context();
        if context.cu_ctx() != known.stream().context().cu_ctx() {
            self.other_context = Some(ContextName::of(context));
            return;
        }
        let used_on = if self.guards.is_some() { known.stream() } else { known.reader() };
        let (begin, guard) = slice.device_ptr(used_on);
        match &mut self.guards {
            Some(guards) => guards.push(guard),
            // The use is recorded when the run is enqueued.
            None => mem::forget(guard),
        }
        self.ranges.push(begin..begin + slice.num_bytes() as CUdeviceptr);
    }
}

/// A value that a run owns, or every run of a sequence.
pub(crate) struct Kept {
    value: Box<dyn Keep>,
    /// The memory that launches can use because the value has reported it.
    memory: Vec<Range<CUdeviceptr>>,
}

impl Kept {
    pub(crate) fn new(value: impl Keep) -> Self {
        Self { value: Box::new(value), memory: Vec::new() }
    }

    /// Launches can use the memory of the value until a run is enqueued, or in every run. The error is the context of
    /// memory of a different context; then nothing was added.
    pub(crate) fn own(&mut self, known: &RunMemory, always: bool) -> Result<(), ContextName> {
        let mut memory = KeptMemory { known, ranges: Vec::new(), other_context: None, guards: None };
        self.value.memory(&mut memory);
        let KeptMemory { ranges, other_context, .. } = memory;
        if let Some(other_context) = other_context {
            return Err(other_context);
        }
        for range in &ranges {
            known.own(range.clone(), always);
        }
        self.memory = ranges;
        Ok(())
    }
}

/// The stream waits for the earlier uses of the memory of the values. Adds the guards that record its use.
///
/// `false` if a value does not report memory that it has reported when it was kept: then the use of this memory would
/// not be recorded. All of it is still allocated, so a slice with the same address and length is the same slice, or a
/// view of it, with the same events.
pub(crate) fn enter_kept<'v>(
    values: impl Iterator<Item = &'v Kept>,
    known: &'v RunMemory,
    guards: &mut Vec<SyncOnDrop<'v>>,
) -> bool {
    let mut memory = KeptMemory { known, ranges: Vec::new(), other_context: None, guards: Some(mem::take(guards)) };
    let mut are_same = true;
    for kept in values {
        memory.ranges.clear();
        kept.value.memory(&mut memory);
        let is_reported = |own: &Range<CUdeviceptr>| own.is_empty() || memory.ranges.contains(own);
        are_same &= memory.ranges == kept.memory || kept.memory.iter().all(is_reported);
    }
    *guards = memory.guards.unwrap_or_default();
    are_same
}

macro_rules! slices {
    ($($slice:ident),*) => {$(
        impl<T: 'static> Keep for $slice<T> {
            fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
                memory.add(self);
            }
        }
    )*};
}

slices!(CudaSlice, UnifiedSlice);

impl<K: Keep + Sync + ?Sized> Keep for Arc<K> {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        (**self).memory(memory);
    }
}

impl<K: Keep + ?Sized> Keep for Box<K> {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        (**self).memory(memory);
    }
}

macro_rules! elements {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Keep for $ty {
            fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
                for value in self.iter() {
                    value.memory(memory);
                }
            }
        }
    )*};
}

elements! {
    [K: Keep] Option<K>;
    [K: Keep] Vec<K>;
    [K: Keep, const N: usize] [K; N];
}

macro_rules! tuples {
    ($first:ident $($value:ident)*) => {
        #[allow(non_snake_case, reason = "the names of the types")]
        impl<$first: Keep, $($value: Keep),*> Keep for ($first, $($value,)*) {
            fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
                let ($first, $($value,)*) = self;
                $first.memory(memory);
                $($value.memory(memory);)*
            }
        }

        tuples!($($value)*);
    };
    () => {};
}

tuples!(A B C D E F G H);

//! Values that a run of a sequence owns, and where their memory is.

use super::{ContextName, DeviceMemory, RunMemory};
use core::{mem, ops::Range};
use cudarc::driver::{CudaSlice, DevicePtr, DeviceSlice, SyncOnDrop, UnifiedSlice, sys::CUdeviceptr};
use std::{boxed::Box, sync::Arc, vec::Vec};

/// A value that a run of a sequence can own: [`Run::keep`](crate::sequence::Run::keep) takes it. It reports its memory, which launches of the run can
/// then use.
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
// A safe implementation cannot report memory that the value does not keep allocated: it works for each lifetime `'v`, also for one that ends when the
// value is dropped. So all slices that it reports are borrowed for as long as nothing uses the value exclusively. A kept value is in a `Box`, and is
// only borrowed shared until it is dropped.
#[diagnostic::on_unimplemented(
    message = "a run cannot keep `{Self}`",
    label = "this type does not report its memory",
    note = "implement `Keep` for it, or keep the slice, the `Arc`, or a tuple of them"
)]
pub trait Keep: Send + 'static {
    /// Calls [`KeptMemory::add`] for each slice in the value.
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>);
}

/// What a kept value calls with each of its slices.
pub struct KeptMemory<'v> {
    known: &'v RunMemory,
    /// While the value is kept: its memory, and the context of memory of a different context.
    ranges: Vec<Range<CUdeviceptr>>,
    foreign: Option<ContextName>,
    /// While the run is enqueued: the guards that record the use of the memory.
    guards: Option<Vec<SyncOnDrop<'v>>>,
}

impl<'v> KeptMemory<'v> {
    /// The value contains `slice`: a [`CudaSlice`], a [`UnifiedSlice`], or a slice of a pool.
    pub fn add<T>(&mut self, slice: &'v impl DeviceMemory<T, Slice: 'v>) {
        let (known, slice) = (self.known, slice.slice());
        let context = slice.stream().context();
        if context.cu_ctx() != known.stream().context().cu_ctx() {
            self.foreign = Some(ContextName::of(context));
        } else if let Some(guards) = &mut self.guards {
            guards.push(slice.device_ptr(known.stream()).1);
        } else {
            let (begin, guard) = slice.device_ptr(known.reader());
            // The use is recorded when the run is enqueued.
            mem::forget(guard);
            self.ranges.push(begin..begin + slice.num_bytes() as CUdeviceptr);
        }
    }
}

/// Adds the memory of a value that is kept until a run is enqueued, or every run. The error is the context of memory of a different context; then
/// nothing was added.
pub(crate) fn keep(value: &dyn Keep, known: &RunMemory, always: bool) -> Result<(), ContextName> {
    let mut memory = KeptMemory { known, ranges: Vec::new(), foreign: None, guards: None };
    value.memory(&mut memory);
    if let Some(foreign) = memory.foreign {
        return Err(foreign);
    }
    memory.ranges.into_iter().for_each(|range| known.own(range, always));
    Ok(())
}

/// The stream waits for the earlier uses of the memory of the values. Adds the guards that record its use.
pub(crate) fn enter_kept<'v>(
    values: impl Iterator<Item = &'v dyn Keep>,
    known: &'v RunMemory,
    guards: &mut Vec<SyncOnDrop<'v>>,
) {
    let mut memory = KeptMemory { known, ranges: Vec::new(), foreign: None, guards: Some(mem::take(guards)) };
    values.for_each(|value| value.memory(&mut memory));
    *guards = memory.guards.unwrap_or_default();
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

impl<K: Keep> Keep for Option<K> {
    fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
        if let Some(value) = self {
            value.memory(memory);
        }
    }
}

macro_rules! elements {
    ($([$($generics:tt)*] $ty:ty;)*) => {$(
        impl<$($generics)*> Keep for $ty {
            fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
                for value in self {
                    value.memory(memory);
                }
            }
        }
    )*};
}

elements! {
    [K: Keep] Vec<K>;
    [K: Keep, const N: usize] [K; N];
}

macro_rules! tuples {
    ($($value:ident)*) => {
        tuples!(@ $($value)*);
    };
    (@ $first:ident $($value:ident)*) => {
        #[allow(non_snake_case, reason = "the names of the types")]
        impl<$first: Keep, $($value: Keep),*> Keep for ($first, $($value,)*) {
            fn memory<'v>(&'v self, memory: &mut KeptMemory<'v>) {
                let ($first, $($value,)*) = self;
                $first.memory(memory);
                $($value.memory(memory);)*
            }
        }

        tuples!(@ $($value)*);
    };
    (@) => {};
}

tuples!(A B C D E F G H);

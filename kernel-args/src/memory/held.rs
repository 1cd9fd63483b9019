//! Slices that a run of a sequence holds.
//!
//! A run of a sequence starts when its closure has returned, and its slices must still be allocated. Deferred frees
//! would need cudarc's cooperation, so the slices are borrowed for a lifetime that outlives the closure, as with scoped
//! threads. An exclusive borrow becomes a `Held`, which can be borrowed again and again. Exclusive access in the type
//! system is not enough: safe code can free the slice with `mem::replace`. So the address and the length of a step are
//! read from one object at one time (`HeldMemory`), and must be memory of a held slice with the same type of elements;
//! the object must be at a held place, or a view of it. When the closure has returned, all memory that was held must be
//! at held places of its type, otherwise the run is refused. Addresses are read with the stream of `reader` in
//! `run_memory`.

use super::{After, Enter, EnteredSlice, HeldSlice, RunMemory};
use core::{
    any::TypeId,
    marker::PhantomData,
    mem::{self, ManuallyDrop},
    ops::{Deref, DerefMut},
    panic::Location,
    ptr,
};
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaViewMut, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop, UnifiedSlice,
    sys::CUdeviceptr,
};
use std::sync::Arc;

mod sealed {
    pub trait Sealed {}
}

/// Memory that a sequence can hold: `&CudaSlice<T>` and `&mut CudaSlice<T>`, and the same for `UnifiedSlice<T>` and
/// `&mut CudaViewMut<T>`. [`Recorder::hold`](crate::sequence::Recorder::hold) takes it.
#[diagnostic::on_unimplemented(
    message = "a sequence cannot hold `{Self}`",
    label = "not a reference to a slice of cudarc",
    note = "pass `&slice` if the kernels read the memory, `&mut slice` if they write it; for a view, hold its slice: `let x = s.hold(&x)?;`, \
            then `x.slice(..)`"
)]
pub trait Hold<'s>: sealed::Sealed {
    /// What the launches use: `&CudaSlice<T>`, or [`Held`] for an exclusive borrow.
    type Held;

    #[doc(hidden)]
    fn context(&self) -> &Arc<CudaContext>;

    /// The slice waits for its earlier uses on the stream of the run.
    #[doc(hidden)]
    #[track_caller]
    fn hold(self, known: &RunMemory) -> Self::Held;
}

#[track_caller]
fn push<T: 'static, M>(
    known: &RunMemory,
    place: *mut M,
    owner: *const Arc<CudaStream>,
    (address, bytes): (CUdeviceptr, usize),
    enter: Enter,
    is_shared: bool,
) {
    known.hold(HeldSlice {
        place: place.cast(),
        size: size_of::<M>(),
        enter,
        is_shared,
        owner,
        element: TypeId::of::<T>(),
        address,
        bytes,
        held_at: Location::caller(),
    });
}

/// Each held slice waits for its earlier uses on the stream. Adds the guards that record the use of the slices. The
/// closure of the run is over, so no [`Held`] is used any more.
///
/// It is an error, with the place where the slice was held, if memory that was held is no longer the memory of a slice
/// at a held place of the same type.
pub(crate) fn enter_held<'s>(
    known: &'s RunMemory,
    guards: &mut Vec<SyncOnDrop<'s>>,
) -> Result<(), &'static Location<'static>> {
    let stream = known.stream();
    let (mut missing, mut other) = (Vec::new(), Vec::new());
    for slice in (0..).map_while(|index| known.get(index)) {
        // SAFETY: `hold` has borrowed the slice for `'s`, exclusively or shared as this function needs it. A `Held` of
        // an exclusive borrow, and what a program has derived from one that it leaks, is used only in the closure,
        // because of its lifetime. No guard and no slice in the list refers to a place that is held exclusively: see
        // `RunMemory::hold`.
        let entered = unsafe { (slice.enter)(slice.place, stream) };
        guards.push(match entered.after {
            After::Nothing => SyncOnDrop::Record(None),
            // SAFETY: the event is part of the slice, which is borrowed for `'s`. An exclusive slice is in the list
            // once, so it is not entered again before the guard is dropped.
            After::Record(event) => SyncOnDrop::Record(Some((unsafe { &*event }, stream))),
            After::Synchronize => SyncOnDrop::Sync(Some(stream)),
        });
        if (entered.address, entered.bytes) != (slice.address, slice.bytes) {
            other.push((slice.element, entered.address, entered.bytes));
            missing.push(slice);
        }
    }
    other.sort_unstable();
    missing.retain(|slice| other.binary_search(&(slice.element, slice.address, slice.bytes)).is_err());
    missing.first().map_or(Ok(()), |slice| Err(slice.held_at))
}

/// A slice that a run of a [`Sequence`](crate::sequence::Sequence) holds exclusively. It derefs to the slice: launches
/// read it as `&y`, and write it as `&mut y`.
pub struct Held<'s, S> {
    slice: *mut S,
    borrowed: PhantomData<&'s mut S>,
}

impl<S> Deref for Held<'_, S> {
    type Target = S;

    #[inline]
    fn deref(&self) -> &S {
        // SAFETY: the pointer is from an exclusive borrow for `'s`, which only this value uses until the run is over.
        unsafe { &*self.slice }
    }
}

impl<S> DerefMut for Held<'_, S> {
    #[inline]
    fn deref_mut(&mut self) -> &mut S {
        // SAFETY: the pointer is from an exclusive borrow for `'s`, which only this value uses until the run is over.
        unsafe { &mut *self.slice }
    }
}

/// Returns the guard without its lifetime. It is not dropped.
fn after(guard: SyncOnDrop<'_>) -> After {
    match *ManuallyDrop::new(guard) {
        SyncOnDrop::Record(Some((event, _))) => After::Record(event),
        SyncOnDrop::Sync(Some(_)) => After::Synchronize,
        _ => After::Nothing,
    }
}

/// # Safety
/// [`Enter`](crate::memory::Enter).
unsafe fn read<T, M: DevicePtr<T>>(place: *mut (), stream: &CudaStream) -> EnteredSlice {
    // SAFETY: the caller guarantees that the slice is at its place, and that nothing uses it exclusively.
    let slice = unsafe { &*place.cast::<M>() };
    let (address, guard) = slice.device_ptr(stream);
    EnteredSlice { address, bytes: slice.num_bytes(), after: after(guard) }
}

/// # Safety
/// [`Enter`](crate::memory::Enter).
unsafe fn write<T, M: DevicePtrMut<T>>(place: *mut (), stream: &CudaStream) -> EnteredSlice {
    // SAFETY: the caller guarantees that the slice is at its place, and that nothing else uses it.
    let slice = unsafe { &mut *place.cast::<M>() };
    let bytes = slice.num_bytes();
    let (address, guard) = slice.device_ptr_mut(stream);
    EnteredSlice { address, bytes, after: after(guard) }
}

macro_rules! hold {
    (shared: $([$($life:lifetime)*] $memory:ty;)*) => {$(
        impl<$($life,)* T> sealed::Sealed for &$memory {}

        impl<'s, $($life,)* T: 'static> Hold<'s> for &'s $memory {
            type Held = Self;

            fn context(&self) -> &Arc<CudaContext> {
                self.stream().context()
            }

            fn hold(self, known: &RunMemory) -> Self {
                let (address, guard) = self.device_ptr(known.stream());
                mem::forget(guard);
                let place = ptr::from_ref(self).cast_mut();
                let memory = (address, self.num_bytes());
                push::<T, _>(known, place, self.stream(), memory, read::<T, $memory>, true);
                self
            }
        }
    )*};
    (exclusive: $([$($life:lifetime)*] $memory:ty;)*) => {$(
        impl<$($life,)* T> sealed::Sealed for &mut $memory {}

        impl<'s, $($life,)* T: 'static> Hold<'s> for &'s mut $memory {
            type Held = Held<'s, $memory>;

            fn context(&self) -> &Arc<CudaContext> {
                self.stream().context()
            }

            fn hold(self, known: &RunMemory) -> Self::Held {
                let (address, guard) = self.device_ptr_mut(known.stream());
                mem::forget(guard);
                let (owner, bytes): (*const _, _) = (self.stream(), self.num_bytes());
                let slice = ptr::from_mut(self);
                push::<T, _>(known, slice, owner, (address, bytes), write::<T, $memory>, false);
                Held { slice, borrowed: PhantomData }
            }
        }
    )*};
}

hold! { shared: [] CudaSlice<T>; [] UnifiedSlice<T>; }
hold! { exclusive: [] CudaSlice<T>; [] UnifiedSlice<T>; ['v] CudaViewMut<'v, T>; }

/// Does not compile for other types.
pub(super) const fn can_be_sent<S: Send + Sync>() {}

/// Any thread can use what a [`HeldSlice`] borrows. A view has an address and a length, but no value of its element
/// type.
const _: () = {
    can_be_sent::<CudaSlice<*mut ()>>();
    can_be_sent::<UnifiedSlice<*mut ()>>();
    can_be_sent::<CudaViewMut<'_, u8>>();
};

#[cfg(test)]
mod tests;

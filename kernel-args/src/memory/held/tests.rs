//! What a program can do with held borrows, with slices that need no driver: Miri runs these tests.

use super::{Held, Hold, enter_held, push, read, sealed, write};
use crate::memory::RunMemory;
use core::{
    array,
    marker::PhantomData,
    mem::{self, MaybeUninit},
    panic::Location,
    ptr,
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaStream, DevicePtr, DevicePtrMut, DeviceSlice, SyncOnDrop, sys::CUdeviceptr,
};
use std::sync::Arc;

const LENGTH: usize = 16;

/// Like cudarc's slice, it contains its stream and its event, to which views refer.
struct Slice<T> {
    address: CUdeviceptr,
    event: MaybeUninit<CudaEvent>,
    stream: Arc<CudaStream>,
    elements: PhantomData<T>,
}

struct ViewMut<'a, T> {
    address: CUdeviceptr,
    length: usize,
    event: &'a MaybeUninit<CudaEvent>,
    stream: &'a Arc<CudaStream>,
    elements: PhantomData<&'a mut [T]>,
}

hold! { shared: [] Slice<T>; }
hold! { exclusive: [] Slice<T>; ['v] ViewMut<'v, T>; }

/// Returns a stream of which only the address is used.
fn stream() -> Arc<CudaStream> {
    let stream = Arc::new(MaybeUninit::<CudaStream>::uninit());
    // One more owner, which is leaked: the stream is never dropped.
    mem::forget(stream.clone());
    // SAFETY: `MaybeUninit<T>` has the layout of `T`, and no code reads or drops the stream.
    unsafe { mem::transmute(stream) }
}

fn guard<'a>(event: &'a MaybeUninit<CudaEvent>, stream: &'a CudaStream) -> SyncOnDrop<'a> {
    // SAFETY: it is initialised memory of an event, of which `run` reads a byte. The guard is not dropped.
    SyncOnDrop::Record(Some((unsafe { &*event.as_ptr() }, stream)))
}

impl<T> Slice<T> {
    fn new(address: CUdeviceptr) -> Self {
        Self { address, event: MaybeUninit::zeroed(), stream: stream(), elements: PhantomData }
    }

    fn slice_mut(&mut self, from: usize) -> ViewMut<'_, T> {
        ViewMut {
            address: self.address + (from * size_of::<T>()) as CUdeviceptr,
            length: LENGTH - from,
            event: &self.event,
            stream: &self.stream,
            elements: PhantomData,
        }
    }

    #[expect(clippy::unused_self, reason = "a view has a length of its own")]
    fn length(&self) -> usize {
        LENGTH
    }

    fn event(&self) -> &MaybeUninit<CudaEvent> {
        &self.event
    }
}

impl<T> ViewMut<'_, T> {
    fn length(&self) -> usize {
        self.length
    }

    fn event(&self) -> &MaybeUninit<CudaEvent> {
        self.event
    }
}

macro_rules! memory {
    ($([$($life:lifetime)*] $memory:ty;)*) => {$(
        impl<$($life,)* T> DeviceSlice<T> for $memory {
            fn len(&self) -> usize {
                self.length()
            }

            fn stream(&self) -> &Arc<CudaStream> {
                &self.stream
            }
        }

        impl<$($life,)* T> DevicePtr<T> for $memory {
            fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
                (self.address, guard(self.event(), stream))
            }
        }

        impl<$($life,)* T> DevicePtrMut<T> for $memory {
            fn device_ptr_mut<'a>(&'a mut self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
                (self.address, guard(self.event(), stream))
            }
        }
    )*};
}

memory! { [] Slice<T>; ['v] ViewMut<'v, T>; }

/// The lifetimes of a run: as in [`Sequence::run`](crate::sequence::Sequence::run), nothing that is held leaves the
/// closure.
type Lifetimes<'s, 'env> = PhantomData<&'s mut &'env ()>;

/// A run that holds slices, and then uses all of them, as an enqueued run does. Returns how many it used, or
/// where the slice was held whose memory user code has replaced.
fn run<'env>(
    slices: &RunMemory,
    record: impl for<'s> FnOnce(Run<'s>, Lifetimes<'s, 'env>),
) -> Result<usize, &'static Location<'static>> {
    record(Run(slices), PhantomData);
    let mut guards = Vec::new();
    let entered = enter_held(slices, &mut guards);
    let count = guards.len();
    for guard in guards {
        if let SyncOnDrop::Record(Some((event, _))) = &guard {
            // SAFETY: the first byte of the event, which is initialised memory.
            assert_eq!(unsafe { ptr::from_ref(*event).cast::<u8>().read() }, 0);
        }
        // Its drop would call the driver.
        mem::forget(guard);
    }
    drop(slices.clear());
    entered.map(|()| count)
}

#[derive(Clone, Copy)]
struct Run<'s>(&'s RunMemory);

impl<'s> Run<'s> {
    #[track_caller]
    fn hold<H: Hold<'s>>(self, slice: H) -> H::Held {
        slice.hold(self.0)
    }

    /// A launch uses the memory. Returns whether it is held.
    fn uses<T>(self, memory: &impl DevicePtr<T>) -> bool {
        self.0.within(|| self.0.memory(memory, 0).is_ok())
    }
}

fn slices() -> RunMemory {
    RunMemory::without_driver(stream())
}

fn leak<'a, T>(value: T) -> &'a mut T {
    Box::leak(Box::new(value))
}

#[test]
fn held_slices_are_used_as_often_as_they_are_held() {
    let (slices, x, mut y, mut z) =
        (slices(), Slice::<f32>::new(1 << 10), Slice::<f32>::new(2 << 10), Slice::<u8>::new(3 << 10));
    let mut view = z.slice_mut(4);
    let used = run(&slices, |s, _| {
        let (x, again, y, mut view) = (s.hold(&x), s.hold(&x), s.hold(&mut y), s.hold(&mut view));
        assert!(s.uses(x) && s.uses(again) && s.uses(&*y) && s.uses(&*view));
        assert!(!s.uses(&Slice::<f32>::new(4 << 10)));
        view.length -= 1;
        assert!(s.uses(&*view), "a shorter view of held memory");
        view.length += 1;
    });
    assert_eq!(used, Ok(4));
    // The slices are free again.
    y.address += 1;
    z.address += 1;
}

#[test]
fn exchanged_slices_are_held_and_replaced_slices_are_not() {
    let (slices, mut x, mut y) = (slices(), Slice::<f32>::new(1 << 10), Slice::<f32>::new(2 << 10));
    let used = run(&slices, |s, _| {
        let (mut x, mut y) = (s.hold(&mut x), s.hold(&mut y));
        mem::swap(&mut *x, &mut *y);
        assert!(s.uses(&*x) && s.uses(&*y));
    });
    assert_eq!((used, x.address, y.address), (Ok(2), 2 << 10, 1 << 10));
    let replaced = run(&slices, |s, _| {
        let (mut x, y) = (s.hold(&mut x), s.hold(&mut y));
        drop(mem::replace(&mut *x, Slice::new(3 << 10)));
        assert!(!s.uses(&*x) && s.uses(&*y));
    });
    assert!(replaced.is_err());
    assert_eq!(run(&slices, |_, _| {}), Ok(0), "a run forgets the slices");
}

#[test]
fn moved_borrows_refer_to_the_same_slice() {
    let (slices, mut all) =
        (slices(), array::from_fn::<_, 4, _>(|at| Slice::<f32>::new((at as CUdeviceptr + 1) << 10)));
    let used = run(&slices, |s, _| {
        let mut held: Vec<_> = all.iter_mut().map(|slice| s.hold(slice)).collect();
        held.rotate_left(1);
        let (first, rest) = held.split_first_mut().expect("it has four");
        mem::swap(&mut **first, &mut *rest[2]);
        held.truncate(3);
        assert!(held.iter().all(|slice| s.uses(&**slice)));
    });
    assert_eq!(used, Ok(4), "also without its `Held`, a slice is held until the run is over");
}

#[test]
fn a_leaked_borrow_adds_no_second_use_of_its_slice() {
    let (slices, mut y) = (slices(), Slice::<f32>::new(1 << 10));
    let used = run(&slices, |s, _| {
        let leaked = leak(s.hold(&mut y));
        let again = leak(s.hold(&mut **leaked));
        let shared = s.hold(&**again);
        assert!(s.uses(shared));
    });
    assert_eq!(used, Ok(1));
    let used = run(&slices, |s, _| {
        let leaked = leak(s.hold(&mut y));
        let view = leak(leaked.slice_mut(8));
        let mut held = s.hold(view);
        assert!(s.uses(&*held));
        held.length = 4;
        assert!(s.uses(&*held));
    });
    assert_eq!(used, Ok(1));
    let mut view = y.slice_mut(2);
    let used = run(&slices, |s, _| {
        let leaked = leak(s.hold(&mut view));
        let again = s.hold(&mut **leaked);
        assert!(s.uses(&*again));
    });
    assert_eq!(used, Ok(1));
}

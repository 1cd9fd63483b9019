//! Handles of the driver: as numbers, of what is alive, and of what is destroyed when it is dropped.

use super::Api;
use core::{
    cmp::Ordering,
    ffi::c_char,
    fmt,
    hash::{Hash, Hasher},
    marker::PhantomData,
    ptr::{self, NonNull},
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaStream,
    sys::{CUctx_st, CUevent_st, CUfunc_st, CUstream_st},
};
use std::ffi::CStr;

/// A handle of the driver as a number, whatever has become of the object. It can be compared and kept, no more: what a call with
/// it requires, the type or the contract of that call says.
#[repr(transparent)]
pub(crate) struct Handle<T>(*mut T);

// SAFETY: this crate never dereferences the pointer, and `raw` gives out a raw pointer, whose use is unsafe code that has its own
// proof (Rust Reference, "Behavior considered undefined": only accesses through a pointer are). To copy it, compare it and drop it on
// several threads are operations on a number.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: a shared `Handle` gives the same number on every thread; nothing changes it through a shared reference.
unsafe impl<T> Sync for Handle<T> {}

impl<T> Handle<T> {
    #[inline(always)]
    pub(crate) const fn new(raw: *mut T) -> Self {
        Self(raw)
    }

    #[inline(always)]
    pub(crate) const fn raw(self) -> *mut T {
        self.0
    }
}

impl<T> Clone for Handle<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<T> {}

impl<T> PartialEq for Handle<T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for Handle<T> {}

impl<T> PartialOrd for Handle<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Handle<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.cmp(&other.0)
    }
}

impl<T> Hash for Handle<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T> fmt::Debug for Handle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The handle of an object that is alive for `'a`: that it exists is the proof. It stays on its thread; what may be shared is a
/// reference to what it was taken of.
#[repr(transparent)]
pub(crate) struct Alive<'a, T>(*mut T, PhantomData<&'a ()>);

pub(crate) type ContextHandle<'a> = Alive<'a, CUctx_st>;
pub(crate) type EventHandle<'a> = Alive<'a, CUevent_st>;
pub(crate) type FunctionHandle<'a> = Alive<'a, CUfunc_st>;
pub(crate) type StreamHandle<'a> = Alive<'a, CUstream_st>;

impl<T> Alive<'_, T> {
    /// # Safety
    /// `raw` is the handle of an object that is alive as long as the lifetime that the caller chooses.
    #[inline(always)]
    pub(crate) const unsafe fn new(raw: *mut T) -> Self {
        Self(raw, PhantomData)
    }

    #[inline(always)]
    pub(crate) const fn raw(self) -> *mut T {
        self.0
    }
}

impl<T> Clone for Alive<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Alive<'_, T> {}

impl StreamHandle<'_> {
    /// The default stream of the context that is current: CUDA Driver API, "Stream synchronization behavior".
    pub(crate) const DEFAULT: Self = Self(ptr::null_mut(), PhantomData);
}

/// cudarc's objects, each of which destroys the driver's no earlier than in its own drop, and does not give it away before. A
/// context can be reset under them by calls that cudarc does not have (`cuDevicePrimaryCtxReset`), which are unsafe themselves; what
/// this crate does then is described where it asks for that: [`ContextState`](super::ContextState).
macro_rules! kept_by_cudarc {
    ($($theirs:ty, $raw:ident => $handle:ident;)*) => {$(
        impl<'a> From<&'a $theirs> for $handle<'a> {
            #[inline(always)]
            fn from(theirs: &'a $theirs) -> Self {
                // SAFETY: cudarc's object is borrowed for `'a`, and keeps the driver's alive as described above.
                unsafe { Self::new(theirs.$raw()) }
            }
        }
    )*};
}

kept_by_cudarc! {
    CudaContext, cu_ctx => ContextHandle;
    CudaEvent, cu_event => EventHandle;
    CudaFunction, cu_function => FunctionHandle;
    CudaStream, cu_stream => StreamHandle;
}

/// What the driver destroys by one call.
pub(super) trait Destroyed: Sized {
    /// `()`; `Cell<()>` for objects that one thread may use at a time.
    type Sharing;

    /// The call; `None` where the driver is too old to have made the object.
    fn destroy(api: &Api) -> Option<unsafe extern "C" fn(*mut Self) -> super::Status>;
}

/// An object of the driver that nothing else destroys; it is destroyed with this.
pub(super) struct Owned<T: Destroyed> {
    pub(super) api: &'static Api,
    handle: Handle<T>,
    sharing: PhantomData<T::Sharing>,
}

impl<T: Destroyed> Owned<T> {
    /// # Safety
    /// `raw` is the handle of an object that is alive, and that nothing but this destroys.
    pub(super) unsafe fn new(api: &'static Api, raw: *mut T) -> Self {
        Self {
            api,
            handle: Handle::new(raw),
            sharing: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn alive(&self) -> Alive<'_, T> {
        // SAFETY: the object is alive until this is dropped, which the borrow excludes.
        unsafe { Alive::new(self.handle.raw()) }
    }
}

impl<T: Destroyed> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(destroy) = T::destroy(self.api) {
            // `Drop` cannot report an error, so it is discarded.
            // SAFETY: the object is alive, this is the only one to destroy it, and every `Alive` of it was a borrow of this.
            unsafe { destroy(self.handle.raw()) };
        }
    }
}

/// A text that ends with NUL and lives for `'a`, as C passes it: `const char*`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Text<'a>(NonNull<c_char>, PhantomData<&'a CStr>);

impl<'a> From<&'a CStr> for Text<'a> {
    fn from(text: &'a CStr) -> Self {
        Self(NonNull::from(text).cast(), PhantomData)
    }
}

impl<'a> Text<'a> {
    pub(crate) fn to_c_str(self) -> &'a CStr {
        // SAFETY: the text ends with NUL and lives for `'a`: it is a `CStr`, or the driver has written it to a place for such a text.
        unsafe { CStr::from_ptr(self.0.as_ptr()) }
    }
}

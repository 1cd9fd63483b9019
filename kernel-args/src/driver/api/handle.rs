//! Handles of the driver: plain numbers, handles of live objects, and handles that own an object.

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

/// A handle of the driver as a number. The object can be destroyed. Code can compare and keep the handle; a call that
/// takes it states its requirements in its types or its safety section.
#[repr(transparent)]
pub(crate) struct Handle<T>(*mut T);

// SAFETY: this crate never dereferences the pointer. `raw` returns a raw pointer, and code that dereferences it is
// unsafe and has its own proof (Rust Reference, "Behavior considered undefined": only accesses through a pointer are).
// Several threads can copy, compare and drop the handle, because these are operations on a number.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: a shared `Handle` returns the same number on every thread; nothing changes it through a shared reference.
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

/// The handle of an object that is alive for `'a`: a value of this type is the proof. It is not `Send`; threads share a
/// reference to the owner instead.
#[repr(transparent)]
pub(crate) struct Alive<'a, T>(*mut T, PhantomData<&'a ()>);

pub(crate) type ContextHandle<'a> = Alive<'a, CUctx_st>;
pub(crate) type EventHandle<'a> = Alive<'a, CUevent_st>;
pub(crate) type FunctionHandle<'a> = Alive<'a, CUfunc_st>;
pub(crate) type StreamHandle<'a> = Alive<'a, CUstream_st>;

impl<T> Alive<'_, T> {
    /// # Safety
    /// `raw` is the handle of an object that is alive for the lifetime that the caller chooses.
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
    /// The default stream of the current context: CUDA Driver API, "Stream synchronization behavior".
    pub(crate) const DEFAULT: Self = Self(ptr::null_mut(), PhantomData);
}

/// cudarc's objects. Each one keeps the driver's object alive until its own drop, and never gives it away. A context
/// can still be reset by calls that cudarc does not have (`cuDevicePrimaryCtxReset`); these calls are unsafe.
/// [`ContextState`](super::ContextState) documents how this crate detects a reset.
macro_rules! kept_by_cudarc {
    ($($theirs:ty, $raw:ident => $handle:ident;)*) => {$(
        impl<'a> From<&'a $theirs> for $handle<'a> {
            #[inline(always)]
            fn from(theirs: &'a $theirs) -> Self {
                // SAFETY: cudarc's object is borrowed for `'a`, and keeps the driver's object alive until its own drop.
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

/// An object of the driver that a single call destroys.
pub(super) trait Destroyed: Sized {
    /// `()`; `Cell<()>` for objects that one thread may use at a time.
    type Sharing;

    /// The call that destroys the object; `None` if the driver is too old to have created it.
    fn destroy(api: &Api) -> Option<unsafe extern "C" fn(*mut Self) -> super::Status>;
}

/// A driver object with a single owner. Drop destroys it.
pub(super) struct Owned<T: Destroyed> {
    pub(super) api: &'static Api,
    handle: Handle<T>,
    sharing: PhantomData<T::Sharing>,
}

impl<T: Destroyed> Owned<T> {
    /// # Safety
    /// `raw` is the handle of a live object, and only this value destroys it.
    pub(super) unsafe fn new(api: &'static Api, raw: *mut T) -> Self {
        Self {
            api,
            handle: Handle::new(raw),
            sharing: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn alive(&self) -> Alive<'_, T> {
        // SAFETY: the object is alive until this is dropped, which the borrow prevents.
        unsafe { Alive::new(self.handle.raw()) }
    }
}

impl<T: Destroyed> Drop for Owned<T> {
    fn drop(&mut self) {
        if let Some(destroy) = T::destroy(self.api) {
            // `Drop` cannot report an error, so it is discarded.
            // SAFETY: the object is alive, only this value destroys it, and every `Alive` of it was a borrow of this
            // value.
            unsafe { destroy(self.handle.raw()) };
        }
    }
}

/// A string that ends with NUL and is alive for `'a`, as C passes it: `const char*`.
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
        // SAFETY: the string ends with NUL and is alive for `'a`: it is a `CStr`, or the driver has written it as such
        // a string.
        unsafe { CStr::from_ptr(self.0.as_ptr()) }
    }
}

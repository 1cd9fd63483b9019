//! Handles of the driver.

use super::{Api, CallError, GreenObject, Status, entry_points::required, out};
use core::{
    ffi::c_char,
    marker::PhantomData,
    ptr::{self, NonNull},
};
#[cfg(feature = "observe")]
use core::{
    ffi::c_void,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};
use cudarc::driver::{
    CudaContext, CudaEvent, CudaFunction, CudaStream,
    sys::{CUctx_st, CUevent_st, CUfunc_st, CUlinkState_st, CUstream_st},
};
use std::ffi::CStr;
#[cfg(feature = "graphs")]
use {
    core::cell::Cell,
    cudarc::driver::sys::{CUgraph_st, CUgraphExec_st, CUgraphNode_st},
};

/// A handle of the driver as a number. The object can be destroyed.
#[repr(transparent)]
pub(crate) struct Handle<T>(*mut T);

// SAFETY: this crate never dereferences the pointer, and code that dereferences the result of `raw` is unsafe (Rust
// Reference, "Behavior considered undefined"). All other operations are operations on a number.
unsafe impl<T> Send for Handle<T> {}
// SAFETY: a shared `Handle` is a number that nothing changes.
unsafe impl<T> Sync for Handle<T> {}

impl<T> Handle<T> {
    #[inline(always)]
    pub(crate) const fn new(raw: *mut T) -> Self {
        Self(raw)
    }

    #[inline(always)]
    pub(crate) const fn raw(&self) -> *mut T {
        self.0
    }
}

/// The handle of an object that is alive for `'a`: a value of this type is the proof. Threads share a reference to the
/// owner instead.
#[repr(transparent)]
pub(crate) struct Alive<'a, T>(*mut T, PhantomData<&'a ()>);

pub(crate) type ContextHandle<'a> = Alive<'a, CUctx_st>;
pub(crate) type EventHandle<'a> = Alive<'a, CUevent_st>;
pub(crate) type FunctionHandle<'a> = Alive<'a, CUfunc_st>;
pub(crate) type StreamHandle<'a> = Alive<'a, CUstream_st>;
#[cfg(feature = "graphs")]
pub(super) type ExecHandle<'a> = Alive<'a, CUgraphExec_st>;
#[cfg(feature = "graphs")]
pub(super) type GraphHandle<'a> = Alive<'a, CUgraph_st>;
#[cfg(feature = "graphs")]
pub(super) type NodeHandle<'a> = Alive<'a, CUgraphNode_st>;

impl<T> Alive<'_, T> {
    /// # Safety
    /// `raw` is the handle of an object that is alive for `'_`.
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

/// cudarc's objects keep the driver's object alive until their own drop.
macro_rules! kept_by_cudarc {
    ($($theirs:ty, $raw:ident => $handle:ident;)*) => {$(
        impl<'a> From<&'a $theirs> for $handle<'a> {
            #[inline(always)]
            fn from(theirs: &'a $theirs) -> Self {
                // SAFETY: cudarc's object, which keeps the driver's object alive, is borrowed for `'a`.
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

pub(super) trait Destroyed: Sized {
    /// `()`; `Cell<()>` for objects that one thread may use at a time.
    type Sharing;

    /// Returns the call that destroys the object; `None` if the driver is too old to have created it.
    fn destroy(api: &Api) -> Option<unsafe extern "C" fn(*mut Self) -> Status>;
}

pub(super) struct Owned<T: Destroyed> {
    pub(super) api: &'static Api,
    handle: Handle<T>,
    sharing: PhantomData<T::Sharing>,
}

impl<T: Destroyed> Owned<T> {
    /// # Safety
    /// `raw` is the handle of a live object, and only this value destroys it.
    pub(super) unsafe fn new(api: &'static Api, raw: *mut T) -> Self {
        Self { api, handle: Handle::new(raw), sharing: PhantomData }
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
            // SAFETY: the object is alive, only this value destroys it, and every `Alive` of it was a borrow of this
            // value.
            unsafe { destroy(self.handle.raw()) };
        }
    }
}

macro_rules! destroyed {
    ($($(#[$meta:meta])* $object:ty, $sharing:ty, $api:ident => $destroy:expr;)*) => {$(
        $(#[$meta])*
        impl Destroyed for $object {
            type Sharing = $sharing;

            fn destroy($api: &Api) -> Option<unsafe extern "C" fn(*mut Self) -> Status> {
                $destroy
            }
        }
    )*};
}

// CUDA Driver API, "Graph object thread safety": no two calls may access one graph at the same time.
destroyed! {
    CUevent_st, (), api => api.cuEventDestroy_v2;
    CUstream_st, (), api => api.cuStreamDestroy_v2;
    GreenObject, (), api => api.cuGreenCtxDestroy;
    CUlinkState_st, (), api => Some(api.cuLinkDestroy);
    #[cfg(feature = "graphs")]
    CUgraph_st, Cell<()>, api => api.cuGraphDestroy;
    #[cfg(feature = "graphs")]
    CUgraphExec_st, Cell<()>, api => api.cuGraphExecDestroy;
}

pub(crate) struct Event(Owned<CUevent_st>);

impl Event {
    /// Records a new event after the work on `stream`, and makes the stream's context current.
    pub(crate) fn record(api: &'static Api, stream: &CudaStream) -> Result<Self, CallError> {
        const DISABLE_TIMING: u32 = 2;
        required!(api, cuEventRecord)?;
        required!(api, cuEventSynchronize)?;
        required!(api, cuEventDestroy_v2)?;
        api.cuCtxSetCurrent((&**stream.context()).into())?;
        let event = out(|event| api.cuEventCreate(event, DISABLE_TIMING))?;
        // SAFETY: the call has created the event, and only this value owns it.
        let event = Self(unsafe { Owned::new(api, event) });
        api.cuEventRecord(event.0.alive(), stream.into())?;
        Ok(event)
    }

    pub(crate) fn finish(&self) -> Result<(), CallError> {
        self.0.api.cuEventSynchronize(self.0.alive())
    }

    /// `false` if the driver does not report it.
    pub(crate) fn is_complete(&self) -> bool {
        self.0.api.cuEventQuery(self.0.alive()).is_ok()
    }
}

/// C's `const char*` for a string that ends with NUL and is alive for `'a`.
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
        // SAFETY: it is a `CStr`, or a string that the driver has written, and alive for `'a`.
        unsafe { CStr::from_ptr(self.0.as_ptr()) }
    }
}

/// At least a page of the system: Linux for AArch64 can have pages of 64 KiB.
#[cfg(feature = "observe")]
#[cfg_attr(not(target_arch = "aarch64"), repr(align(4096)))]
#[cfg_attr(target_arch = "aarch64", repr(align(65536)))]
struct Page([AtomicU32; PAGE]);

#[cfg(feature = "observe")]
const PAGE: usize = if cfg!(target_arch = "aarch64") { 65536 } else { 4096 } / size_of::<AtomicU32>();

/// Words that the GPU writes and the host reads, also after a fault. They are never freed, because a stream can write
/// them later. They are memory of user code: memory of the driver ends with its context. Two registrations cannot
/// share a page.
#[cfg(feature = "observe")]
pub(crate) struct Markers {
    pages: &'static [Page],
    device: u64,
}

#[cfg(feature = "observe")]
impl Markers {
    /// `len` words that are 0, which the GPU of the current context can write.
    pub(crate) fn new(api: &Api, len: usize) -> Result<Self, CallError> {
        /// `CU_MEMHOSTREGISTER_PORTABLE` and `CU_MEMHOSTREGISTER_DEVICEMAP`.
        const FLAGS: u32 = 1 | 2;
        let page = |_| Page([const { AtomicU32::new(0) }; PAGE]);
        let pages = Vec::leak((0..len.div_ceil(PAGE).max(1)).map(page).collect());
        let (size, host) = (size_of_val(pages), ptr::from_mut(pages).cast::<c_void>());
        // SAFETY: `cuMemHostRegister`: the memory has `size` bytes, and is never freed.
        unsafe { api.cuMemHostRegister_v2(host, size, FLAGS) }?;
        // SAFETY: `cuMemHostGetDevicePointer`: the memory was registered with `CU_MEMHOSTREGISTER_DEVICEMAP`.
        let device = out(|device| unsafe { api.cuMemHostGetDevicePointer_v2(device, host, 0) })?;
        Ok(Self { pages, device })
    }

    /// Writes a word after the work that is in the stream now: `cuStreamWriteValue32`.
    pub(crate) fn write(&self, api: &Api, stream: StreamHandle<'_>, index: usize, value: u32) -> Result<(), CallError> {
        let index = index % (self.pages.len() * PAGE);
        let at = self.device + (index * size_of::<u32>()) as u64;
        // SAFETY: `cuStreamWriteValue32`: the word is inside the memory, aligned to 4, and never freed.
        unsafe { api.cuStreamWriteValue32_v2(stream.raw(), at, value, 0) }
    }

    pub(crate) fn read(&self, index: usize) -> u32 {
        self.pages[index / PAGE % self.pages.len()].0[index % PAGE].load(Relaxed)
    }
}

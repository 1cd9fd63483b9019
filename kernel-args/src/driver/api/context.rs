//! Contexts, green contexts, and devices.

use super::{
    Alive, Api, CallError, ContextHandle, context_state::is_active, entry_points::required, handle::Owned,
    jit_arrays::text, out,
};
use core::{
    ffi::{c_int, c_uint, c_void},
    ptr,
};
use cudarc::driver::{
    CudaContext, CudaStream,
    sys::{CUcontext, CUdevice, CUstream_st},
};
use kernel_args_abi::Sm;
use std::sync::Arc;

/// cudarc's `bind_to_thread`, which also reports the error of an earlier call of cudarc in this context.
pub(crate) fn make_current(context: &CudaContext) -> Result<(), CallError> {
    context.bind_to_thread().map_err(CallError::context)
}

impl Api {
    /// Returns whether work on the stream becomes part of a graph instead of running, or would without an error in the
    /// capture. The context of the stream must be current.
    pub(crate) fn is_capturing(&self, stream: &CudaStream) -> Result<bool, CallError> {
        Ok(out(|status| self.cuStreamIsCapturing(stream.into(), status))? != 0)
    }

    /// Null if no context is current.
    pub(crate) fn current(&self) -> Result<CUcontext, CallError> {
        out(|context| self.cuCtxGetCurrent(context))
    }

    /// The new context is current.
    pub(crate) fn create_context(
        &self,
        ordinal: usize,
        device: CUdevice,
        flags: c_uint,
    ) -> Result<Arc<CudaContext>, CallError> {
        let destroy = required!(self, cuCtxDestroy_v2)?;
        let created = out(|created| {
            if self.cuCtxCreate_v4.is_some() {
                self.cuCtxCreate_v4(created, Null::NULL, flags, device)
            } else if self.cuCtxCreate_v3.is_some() {
                self.cuCtxCreate_v3(created, Null::NULL, 0, flags, device)
            } else {
                self.cuCtxCreate_v2(created, flags, device)
            }
        })?;
        // SAFETY: the context was just created for this device, and nothing else owns it.
        let context = unsafe { CudaContext::from_raw_context(ordinal, device, created) };
        context.map_err(|error| {
            // If cudarc owned the context when it failed, it has destroyed it.
            if self.current().is_ok_and(|current| current == created) {
                // SAFETY: the context is current, so cudarc has not destroyed it; nothing else has its handle.
                unsafe { destroy(created) };
            }
            CallError::cudarc("cuDeviceGetAttribute, cuCtxGetCurrent or cuCtxSetCurrent", error)
        })
    }

    /// `context`, if it is the active primary context of a device.
    #[cold]
    pub(crate) fn primary(&self, context: CUcontext) -> Option<ContextHandle<'static>> {
        let release = self.cuDevicePrimaryCtxRelease_v2?;
        let count = out(|count| self.cuDeviceGetCount(count)).unwrap_or(0);
        let is_primary = |device: c_int| {
            // Only retaining the primary context returns its handle, and creates it if it is not active.
            is_active(self, device) == Some(true)
                && out(|primary| self.cuDevicePrimaryCtxRetain(primary, device)).is_ok_and(|primary| {
                    // SAFETY: the call releases what was just retained, and nothing more.
                    unsafe { release(device) };
                    primary == context
                })
        };
        (0..count).any(is_primary).then(|| {
            // SAFETY: CUDA Driver API, "Primary Context Management": the driver owns a primary context, whose handle is
            // valid until the process ends: after a release or a reset, calls return an error.
            unsafe { Alive::new(context) }
        })
    }

    pub(crate) fn device_name(&self, device: CUdevice) -> Result<String, CallError> {
        const LENGTH: c_int = 256;
        let mut name = [0; LENGTH as usize];
        // SAFETY: `cuDeviceGetName` writes at most `LENGTH` bytes, including the NUL.
        unsafe { self.cuDeviceGetName(name.as_mut_ptr().cast(), LENGTH, device) }?;
        Ok(text(&name))
    }

    pub(crate) fn sm(&self, device: CUdevice) -> Result<Sm, CallError> {
        /// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
        const COMPUTE_CAPABILITY: [c_uint; 2] = [75, 76];
        let mut sm = 0;
        for number in COMPUTE_CAPABILITY {
            sm = sm * 10 + out(|part| self.cuDeviceGetAttribute(part, number, device))?;
        }
        Ok(Sm(u16::try_from(sm).unwrap_or(0)))
    }

    /// Lets the kernels of a device read and write the pool of the device `memory`.
    pub(crate) fn share_pool(&self, memory: CUdevice, kernels: CUdevice) -> Result<(), CallError> {
        /// `CU_MEM_LOCATION_TYPE_DEVICE`.
        const DEVICE: c_uint = 1;
        /// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`.
        const READ_WRITE: c_uint = 3;
        let pool = out(|pool| self.cuDeviceGetMemPool(pool, memory))?;
        let access = PoolAccess { location: DEVICE, device: kernels, flags: READ_WRITE };
        // SAFETY: `cuMemPoolSetAccess`: the previous call returned the pool, and the array has one descriptor.
        unsafe { self.cuMemPoolSetAccess(pool, &access, 1) }
    }

    /// Returns the number of groups (1 or 0), a group of at least `smallest` multiprocessors, and the remaining ones.
    pub(crate) fn split(
        &self,
        all: &DeviceResource,
        smallest: u32,
    ) -> Result<(u32, DeviceResource, DeviceResource), CallError> {
        let (mut part, mut rest) = (DeviceResource::EMPTY, DeviceResource::EMPTY);
        let mut groups = 1;
        // SAFETY: `cuDevSmResourceSplitByCount` writes at most 1 group. `part` and `rest` have room for the resource of
        // any driver version.
        unsafe { self.cuDevSmResourceSplitByCount(&mut part, &mut groups, all, &mut rest, 0, smallest) }?;
        Ok((groups, part, rest))
    }
}

pub(crate) struct Green(Owned<GreenObject>);

impl Green {
    pub(crate) fn new(api: &'static Api, device: CUdevice, resource: &mut DeviceResource) -> Result<Self, CallError> {
        /// `CU_GREEN_CTX_DEFAULT_STREAM`, which the driver requires.
        const DEFAULT_STREAM: u32 = 1;
        required!(api, cuGreenCtxDestroy)?;
        // SAFETY: `cuDevResourceGenerateDesc` reads one resource, as the last argument specifies.
        let descriptor = out(|descriptor| unsafe { api.cuDevResourceGenerateDesc(descriptor, resource, 1) })?;
        // SAFETY: `cuGreenCtxCreate` takes the descriptor that was just generated.
        let green = out(|green| unsafe { api.cuGreenCtxCreate(green, descriptor, device, DEFAULT_STREAM) })?;
        // SAFETY: the call has created the green context, and only this value owns it.
        Ok(Self(unsafe { Owned::new(api, green) }))
    }

    /// Creates a stream of the green context. `context` is the primary context from which it was created.
    pub(crate) fn new_stream(&self, context: &Arc<CudaContext>) -> Result<OwnStream, CallError> {
        /// `CU_STREAM_NON_BLOCKING`, which the driver requires.
        const NON_BLOCKING: u32 = 1;
        let api = self.0.api;
        required!(api, cuStreamDestroy_v2)?;
        make_current(context)?;
        let handle = out(|stream| api.cuGreenCtxStreamCreate(stream, self.0.alive(), NON_BLOCKING, 0))?;
        Ok(OwnStream {
            // SAFETY: the call has created the stream, and only this value owns it.
            _stream: unsafe { Owned::new(api, handle) },
            // SAFETY: CUDA Driver API, "Green Contexts": a stream of a green context is a stream of its primary
            // context. `OwnStream` lends the wrapper only while it owns the stream.
            wrapper: unsafe { context.wrap_borrowed_stream(handle) },
        })
    }
}

/// A stream that cudarc did not create. Drop destroys it.
pub(crate) struct OwnStream {
    _stream: Owned<CUstream_st>,
    wrapper: Arc<CudaStream>,
}

impl OwnStream {
    pub(crate) fn as_cudarc(&self) -> &CudaStream {
        &self.wrapper
    }
}

/// `CUmemAccessDesc`.
#[repr(C)]
pub(crate) struct PoolAccess {
    /// `CUmemLocationType`.
    location: c_uint,
    device: c_int,
    flags: c_uint,
}

/// `CUdevResource`: 144 bytes up to CUDA 13.0, 152 bytes from 13.1. This type has room for both, and must be passed
/// alone: in an array, its size would have to equal the driver's.
#[repr(C, align(8))]
pub(crate) struct DeviceResource {
    pub(crate) kind: c_uint,
    pub(crate) internal: [u8; 92],
    /// `CUdevSmResource::smCount`.
    pub(crate) sm_count: c_uint,
    pub(crate) rest: [u8; 412],
}

impl DeviceResource {
    /// `CU_DEV_RESOURCE_TYPE_SM`.
    pub(crate) const SM: c_uint = 1;

    pub(crate) const EMPTY: Self = Self { kind: 0, internal: [0; 92], sm_count: 0, rest: [0; 412] };
}

const _: () = assert!(size_of::<DeviceResource>() == 512);

#[repr(C)]
pub(crate) struct GreenObject {
    opaque: [u8; 0],
}

/// A null pointer for an optional argument.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Null(*mut c_void);

impl Null {
    pub(crate) const NULL: Self = Self(ptr::null_mut());
}

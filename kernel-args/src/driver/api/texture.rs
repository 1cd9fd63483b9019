//! Arrays, texture objects and surface objects, and copies between arrays and device memory.

use super::{
    Api, CallError, ContextState, Handle, Null, Status, api,
    copies::{self, CopyPlace},
    entry_points::required,
    make_current, out,
};
use crate::memory::{ObjectUses, Tracked};
use core::ffi::c_uint;
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop,
    sys::{
        CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_RESOURCE_DESC_st__bindgen_ty_1 as Resource,
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_1 as OfArray,
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 as Linear,
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 as Pitch2D,
        CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_5 as Reserved, CUDA_TEXTURE_DESC, CUarray_format, CUarray_st,
        CUdeviceptr, CUresourcetype,
    },
};
use std::{mem, sync::Arc};

/// The type and the number of channels.
pub(crate) type ChannelFormat = (CUarray_format, c_uint);

fn resource(kind: CUresourcetype, fill: impl FnOnce(&mut Resource)) -> CUDA_RESOURCE_DESC {
    let mut res = Resource { reserved: Reserved { reserved: [0; 32] } };
    fill(&mut res);
    CUDA_RESOURCE_DESC { resType: kind, res, flags: 0 }
}

#[derive(Clone, Copy)]
pub(crate) enum LinearShape {
    Row {
        bytes: usize,
    },
    /// Width and height in texels, the pitch in bytes.
    Rows {
        width: usize,
        height: usize,
        pitch: usize,
    },
}

impl LinearShape {
    fn resource(self, address: CUdeviceptr, (format, channels): ChannelFormat) -> CUDA_RESOURCE_DESC {
        match self {
            Self::Row { bytes } => resource(CUresourcetype::CU_RESOURCE_TYPE_LINEAR, |res| {
                res.linear = Linear { devPtr: address, format, numChannels: channels, sizeInBytes: bytes };
            }),
            Self::Rows { width, height, pitch } => resource(CUresourcetype::CU_RESOURCE_TYPE_PITCH2D, |res| {
                res.pitch2D =
                    Pitch2D { devPtr: address, format, numChannels: channels, width, height, pitchInBytes: pitch };
            }),
        }
    }
}

struct ObjectState {
    api: &'static Api,
    context: Arc<CudaContext>,
    state: ContextState,
    uses: ObjectUses,
}

impl ObjectState {
    /// Makes the context current.
    fn new(context: &Arc<CudaContext>) -> Result<Self, CallError> {
        make_current(context)?;
        let (api, context) = (api()?, context.clone());
        Ok(Self { api, state: ContextState::of(api, &context), context, uses: ObjectUses::default() })
    }

    /// Calls `destroy` in the context when all uses have finished. A reset of the context has destroyed the object.
    ///
    /// `false` if the driver does not report the end of the uses: the object stays allocated, because `Drop` cannot
    /// report an error.
    fn destroy(&self, destroy: impl FnOnce()) -> bool {
        let Self { api, context, state, uses } = self;
        if state.is_over(api, context) {
            return true;
        }
        let finished = api.cuCtxSetCurrent((&**context).into()).and_then(|()| match uses.events() {
            Some(mut events) => events.try_for_each(|event| api.cuEventSynchronize(event.into())),
            None => api.cuCtxSynchronize(),
        });
        if finished.is_ok() {
            destroy();
        }
        finished.is_ok()
    }
}

pub(crate) struct ArrayMemory {
    uses: ObjectState,
    array: Handle<CUarray_st>,
    /// In bytes, rows and slices.
    extent: [usize; 3],
}

impl ArrayMemory {
    /// `cuArray3DCreate`. A texel has `texel` bytes.
    pub(crate) fn new(
        context: &Arc<CudaContext>,
        descriptor: &CUDA_ARRAY3D_DESCRIPTOR,
        texel: usize,
    ) -> Result<Self, CallError> {
        let uses = ObjectState::new(context)?;
        required!(uses.api, cuArrayDestroy)?;
        let array = out(|array| uses.api.cuArray3DCreate_v2(array, descriptor))?;
        let extent = [descriptor.Width * texel, descriptor.Height.max(1), descriptor.Depth.max(1)];
        Ok(Self { uses, array: Handle::new(array), extent })
    }

    /// Copies all texels, in the order of the stream.
    ///
    /// # Panics
    /// If the memory has another size.
    pub(crate) fn copy_from<T>(&self, stream: &CudaStream, from: &CudaView<'_, T>) -> Result<(), CallError> {
        assert_eq!(from.len() * size_of::<T>(), self.bytes(), "a copy of another size");
        let (address, read) = from.device_ptr(stream);
        let guards = [read, self.enter(stream, true)];
        self.copy(stream, CopyPlace::Array(self.array.raw()), CopyPlace::Device(address), guards)
    }

    pub(crate) fn copy_to<T>(&self, stream: &CudaStream, to: &mut CudaViewMut<'_, T>) -> Result<(), CallError> {
        assert_eq!(to.len() * size_of::<T>(), self.bytes(), "a copy of another size");
        let (address, written) = to.device_ptr_mut(stream);
        let guards = [written, self.enter(stream, false)];
        self.copy(stream, CopyPlace::Device(address), CopyPlace::Array(self.array.raw()), guards)
    }

    fn bytes(&self) -> usize {
        self.extent.iter().product()
    }

    /// `to` and `from` are this array, and memory of [`bytes`](Self::bytes) bytes; the guards are of both.
    fn copy(
        &self,
        stream: &CudaStream,
        to: CopyPlace,
        from: CopyPlace,
        guards: [SyncOnDrop<'_>; 2],
    ) -> Result<(), CallError> {
        let context = stream.context();
        let stored = |call| context.check_err().map_err(|error| CallError::cudarc(call, error));
        stored("cuCtxGetCurrent, cuCtxSetCurrent, cuEventCreate or cuStreamWaitEvent")?;
        make_current(context)?;
        let parameters = copies::copy(to, from, self.extent);
        // SAFETY: `cuMemcpy3DAsync`: the array is alive and consists of `extent`, the memory of the same rows and
        // slices without gaps, as the two callers have asserted. Both stay allocated until the copy has finished:
        // cudarc's slice and this array record the copy as a use, and are not freed before the end of their uses.
        let copied = unsafe { self.uses.api.cuMemcpy3DAsync_v2(&parameters, stream.cu_stream()) };
        drop(guards);
        copied.and(stored("cuCtxGetCurrent, cuCtxSetCurrent or cuEventRecord"))
    }
}

impl Tracked for ArrayMemory {
    fn context(&self) -> &Arc<CudaContext> {
        &self.uses.context
    }

    fn memory(&self) -> (CUdeviceptr, usize) {
        (self.array.raw().addr() as CUdeviceptr, 1)
    }

    fn enter<'t>(&'t self, stream: &'t CudaStream, writes: bool) -> SyncOnDrop<'t> {
        self.uses.uses.enter(stream, writes)
    }
}

impl Drop for ArrayMemory {
    fn drop(&mut self) {
        self.uses.destroy(|| {
            // SAFETY: `cuArrayDestroy`: the array is alive, and nothing else destroys it. Objects of this array hold
            // this value, so they are destroyed. `ObjectState::destroy` has waited for all copies and launches, each of
            // which was recorded.
            let _ = unsafe { self.uses.api.cuArrayDestroy(self.array.raw()) };
        });
    }
}

trait SliceMemory: Send + Sync {
    /// `stream` waits for the writes that cudarc has recorded.
    fn wait(&self, stream: &CudaStream);
}

impl<T: Send + Sync> SliceMemory for CudaSlice<T> {
    fn wait(&self, stream: &CudaStream) {
        let (_, guard) = self.device_ptr(stream);
        // The texture records the read, and holds the slice, so nothing else has exclusive access to it.
        mem::forget(guard);
    }
}

enum Texels {
    Array(Arc<ArrayMemory>),
    Slice { slice: Arc<dyn SliceMemory>, uses: ObjectState, address: CUdeviceptr, bytes: usize },
}

impl Texels {
    fn uses(&self) -> &ObjectState {
        match self {
            Self::Array(array) => &array.uses,
            Self::Slice { uses, .. } => uses,
        }
    }

    /// Makes the context current.
    fn of_array(array: &Arc<ArrayMemory>) -> Result<(Self, CUDA_RESOURCE_DESC), CallError> {
        make_current(array.context())?;
        let resource = resource(CUresourcetype::CU_RESOURCE_TYPE_ARRAY, |res| {
            res.array = OfArray { hArray: array.array.raw() };
        });
        Ok((Self::Array(array.clone()), resource))
    }
}

/// `CUtexObject` or `CUsurfObject`. It retains what it refers to.
pub(crate) struct ObjectMemory {
    object: u64,
    texels: Texels,
    destroy: unsafe extern "C" fn(u64) -> Status,
}

impl ObjectMemory {
    pub(crate) fn texture(array: &Arc<ArrayMemory>, sampler: &CUDA_TEXTURE_DESC) -> Result<Self, CallError> {
        let (texels, resource) = Texels::of_array(array)?;
        Self::new_texture(texels, &resource, sampler)
    }

    /// # Panics
    /// If the memory does not contain the shape.
    pub(crate) fn texture_of_memory<T: Send + Sync + 'static>(
        memory: &Arc<CudaSlice<T>>,
        format: ChannelFormat,
        shape: LinearShape,
        sampler: &CUDA_TEXTURE_DESC,
    ) -> Result<Self, CallError> {
        let needed = match shape {
            LinearShape::Row { bytes } => bytes,
            LinearShape::Rows { height, pitch, .. } => pitch * height,
        };
        assert!(needed <= memory.num_bytes(), "a texture of more than its memory");
        let uses = ObjectState::new(memory.context())?;
        let (address, guard) = memory.device_ptr(memory.stream());
        // Nothing is read yet.
        mem::forget(guard);
        let texels = Texels::Slice { slice: memory.clone(), uses, address, bytes: needed };
        Self::new_texture(texels, &shape.resource(address, format), sampler)
    }

    fn new_texture(
        texels: Texels,
        resource: &CUDA_RESOURCE_DESC,
        sampler: &CUDA_TEXTURE_DESC,
    ) -> Result<Self, CallError> {
        let api = texels.uses().api;
        let destroy = required!(api, cuTexObjectDestroy)?;
        // SAFETY: `cuTexObjectCreate`: the descriptors have their documented layouts and are only read. `texels`, which
        // the object holds, holds the resource. A resource view is not required.
        let object = out(|object| unsafe { api.cuTexObjectCreate(object, resource, sampler, Null::NULL) })?;
        Ok(Self { object, texels, destroy })
    }

    pub(crate) fn surface(array: &Arc<ArrayMemory>) -> Result<Self, CallError> {
        let (texels, resource) = Texels::of_array(array)?;
        let api = array.uses.api;
        let destroy = required!(api, cuSurfObjectDestroy)?;
        // SAFETY: `cuSurfObjectCreate`: the descriptor has its documented layout, is only read, and names an array that
        // the object retains. An array without `CUDA_ARRAY3D_SURFACE_LDST` is an error.
        let object = out(|object| unsafe { api.cuSurfObjectCreate(object, &resource) })?;
        Ok(Self { object, texels, destroy })
    }

    #[inline]
    pub(crate) fn object(&self) -> u64 {
        self.object
    }
}

impl Tracked for ObjectMemory {
    fn context(&self) -> &Arc<CudaContext> {
        &self.texels.uses().context
    }

    fn memory(&self) -> (CUdeviceptr, usize) {
        match &self.texels {
            Texels::Array(array) => array.memory(),
            Texels::Slice { address, bytes, .. } => (*address, *bytes),
        }
    }

    fn enter<'t>(&'t self, stream: &'t CudaStream, writes: bool) -> SyncOnDrop<'t> {
        if let Texels::Slice { slice, .. } = &self.texels {
            slice.wait(stream);
        }
        self.texels.uses().uses.enter(stream, writes)
    }
}

impl Drop for ObjectMemory {
    fn drop(&mut self) {
        let has_finished = self.texels.uses().destroy(|| {
            // SAFETY: `cuTexObjectDestroy` and `cuSurfObjectDestroy`: `destroy` is the function of the object's kind,
            // the object is alive, and nothing else destroys it. `ObjectState::destroy` has waited for all launches
            // that were given this value, each of which was recorded.
            unsafe { (self.destroy)(self.object) };
        });
        // cudarc does not know the uses of its memory.
        if let (false, Texels::Slice { slice, .. }) = (has_finished, &self.texels) {
            mem::forget(slice.clone());
        }
    }
}

//! Arrays, texture objects and surface objects, and copies between arrays and device memory.

use super::{
    Alive, Api, CallError, ContextState, Handle, Null, Status, api,
    copies::{self, Memory},
    entry_points::required,
};
use crate::marshal::{ObjectUses, Tracked};
use core::{
    ffi::{c_int, c_uint},
    ptr,
};
use cudarc::driver::{
    CudaContext, CudaSlice, CudaStream, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop,
    sys::{CUarray_st, CUdeviceptr},
};
use std::{mem, sync::Arc};

/// `CUarray_format` as a number, and the number of channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct ChannelFormat {
    pub(crate) format: c_uint,
    pub(crate) channels: c_uint,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ArrayDescriptor {
    /// Width, height, depth or number of layers; 0 for a dimension that the array does not have.
    pub(crate) size: [usize; 3],
    pub(crate) format: ChannelFormat,
    pub(crate) flags: c_uint,
}

impl ArrayDescriptor {
    /// `CUDA_ARRAY3D_LAYERED`.
    pub(crate) const LAYERED: c_uint = 1;
    /// `CUDA_ARRAY3D_SURFACE_LDST`.
    pub(crate) const SURFACES: c_uint = 2;
}

/// `CUDA_RESOURCE_DESC`. The fields of its union are 64-bit numbers, or two 32-bit numbers.
#[repr(C)]
pub(crate) struct Resource {
    kind: c_uint,
    fields: [u64; 16],
    flags: c_uint,
}

const _: () = assert!(size_of::<Resource>() == 144);

impl Resource {
    fn new<const N: usize>(kind: c_uint, fields: [u64; N]) -> Self {
        let mut all = [0; 16];
        all[..N].copy_from_slice(&fields);
        Self { kind, fields: all, flags: 0 }
    }

    fn array(array: Alive<'_, CUarray_st>) -> Self {
        Self::new(0, [array.raw().addr() as u64])
    }

    /// `CUDA_RESOURCE_DESC::res.linear` and `pitch2D`.
    fn memory(address: CUdeviceptr, format: ChannelFormat, shape: LinearShape) -> Self {
        let pair = [format.format.to_ne_bytes(), format.channels.to_ne_bytes()];
        let format = u64::from_ne_bytes(bytemuck::cast(pair));
        match shape {
            LinearShape::Row { bytes } => Self::new(2, [address, format, bytes as u64]),
            LinearShape::Rows { width, height, pitch } => {
                Self::new(3, [address, format, width as u64, height as u64, pitch as u64])
            }
        }
    }
}

/// Memory that is not in an array.
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

/// `CUDA_TEXTURE_DESC`.
#[repr(C)]
pub(crate) struct Sampler {
    pub(crate) address: [c_uint; 3],
    pub(crate) filter: c_uint,
    pub(crate) flags: c_uint,
    pub(crate) anisotropy: c_uint,
    pub(crate) mipmap_filter: c_uint,
    pub(crate) mipmap_bias_and_range: [f32; 3],
    pub(crate) border: [f32; 4],
    pub(crate) reserved: [c_int; 12],
}

const _: () = assert!(size_of::<Sampler>() == 104);

/// Where an object was created.
struct Place {
    api: &'static Api,
    context: Arc<CudaContext>,
    state: ContextState,
}

impl Place {
    /// Makes the context current.
    fn new(context: &Arc<CudaContext>) -> Result<Self, CallError> {
        context.bind_to_thread().map_err(CallError::context)?;
        let api = api()?;
        Ok(Self { api, context: context.clone(), state: ContextState::of(api, context) })
    }

    /// Calls `destroy` in the context when all `uses` have finished. A reset of the context has destroyed the object.
    ///
    /// Returns `false` if the driver does not report the end of the uses. Then the object stays allocated: `Drop` cannot report an error.
    fn destroy(&self, uses: &ObjectUses, destroy: impl FnOnce()) -> bool {
        let Self { api, context, state } = self;
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

/// An array: `CUarray`.
pub(crate) struct ArrayMemory {
    place: Place,
    array: Handle<CUarray_st>,
    uses: ObjectUses,
    /// In bytes, rows and slices.
    extent: [usize; 3],
}

impl ArrayMemory {
    /// `cuArray3DCreate`. A texel has `texel` bytes.
    pub(crate) fn new(
        context: &Arc<CudaContext>,
        descriptor: &ArrayDescriptor,
        texel: usize,
    ) -> Result<Self, CallError> {
        let place = Place::new(context)?;
        required!(place.api, cuArrayDestroy)?;
        let mut array = ptr::null_mut();
        place.api.cuArray3DCreate_v2(&mut array, descriptor)?;
        let [width, height, depth] = descriptor.size;
        let extent = [width * texel, height.max(1), depth.max(1)];
        Ok(Self { place, array: Handle::new(array), uses: ObjectUses::default(), extent })
    }

    fn alive(&self) -> Alive<'_, CUarray_st> {
        // SAFETY: `cuArray3DCreate` returned the handle, and only the drop of this value destroys the array.
        unsafe { Alive::new(self.array.raw()) }
    }

    /// Copies all texels from memory with the same number of bytes, in the order of the stream.
    ///
    /// # Panics
    /// If the memory has another size.
    pub(crate) fn copy_from<T>(&self, stream: &CudaStream, from: &CudaView<'_, T>) -> Result<(), CallError> {
        assert_eq!(from.len() * size_of::<T>(), self.bytes(), "a copy of another size");
        let (address, read) = from.device_ptr(stream);
        let guards = [read, self.uses.enter(stream, true)];
        self.copy(stream, Memory::Array(self.array.raw()), Memory::Device(address), guards)
    }

    /// Copies all texels to memory with the same number of bytes, in the order of the stream.
    ///
    /// # Panics
    /// If the memory has another size.
    pub(crate) fn copy_to<T>(&self, stream: &CudaStream, to: &mut CudaViewMut<'_, T>) -> Result<(), CallError> {
        assert_eq!(to.len() * size_of::<T>(), self.bytes(), "a copy of another size");
        let (address, written) = to.device_ptr_mut(stream);
        let guards = [written, self.uses.enter(stream, false)];
        self.copy(stream, Memory::Device(address), Memory::Array(self.array.raw()), guards)
    }

    fn bytes(&self) -> usize {
        self.extent.iter().product()
    }

    /// `to` and `from` are this array, and memory of [`bytes`](Self::bytes) bytes. The guards are of both.
    fn copy(
        &self,
        stream: &CudaStream,
        to: Memory,
        from: Memory,
        guards: [SyncOnDrop<'_>; 2],
    ) -> Result<(), CallError> {
        let api = self.place.api;
        let context = stream.context();
        let stored = |call| context.check_err().map_err(|error| CallError::cudarc(call, error));
        stored("cuCtxGetCurrent, cuCtxSetCurrent, cuEventCreate or cuStreamWaitEvent")?;
        context.bind_to_thread().map_err(CallError::context)?;
        let parameters = copies::copy(to, from, self.extent);
        // SAFETY: CUDA Driver API, "Memory Management", `cuMemcpy3DAsync`: the array is alive and consists of `extent`. The memory consists
        // of the same rows and slices without gaps, as the two callers have asserted. Both stay allocated until the copy has finished:
        // cudarc's slice and this array record the copy as a use, and are not freed before the end of their uses.
        let copied = unsafe { api.cuMemcpy3DAsync_v2(&parameters, stream.cu_stream()) };
        drop(guards);
        copied.and(stored("cuCtxGetCurrent, cuCtxSetCurrent or cuEventRecord"))
    }
}

impl Tracked for ArrayMemory {
    fn context(&self) -> &Arc<CudaContext> {
        &self.place.context
    }

    fn memory(&self) -> (CUdeviceptr, usize) {
        (self.array.raw().addr() as CUdeviceptr, 1)
    }

    fn enter<'t>(&'t self, stream: &'t CudaStream, writes: bool) -> SyncOnDrop<'t> {
        self.uses.enter(stream, writes)
    }
}

impl Drop for ArrayMemory {
    fn drop(&mut self) {
        if let Some(destroy) = self.place.api.cuArrayDestroy {
            self.place.destroy(&self.uses, || {
                // SAFETY: CUDA Driver API, "Memory Management", `cuArrayDestroy`: the array is alive, and nothing else destroys it.
                // Objects of this array hold this value, so they are destroyed. All copies and launches have finished: each was
                // recorded, and `Place::destroy` has waited for them.
                unsafe { destroy(self.array.raw()) };
            });
        }
    }
}

/// Memory of cudarc that a texture retains.
trait SliceMemory: Send + Sync {
    /// `stream` waits for the writes that cudarc has recorded.
    fn wait(&self, stream: &CudaStream);
}

impl<T: Send + Sync> SliceMemory for CudaSlice<T> {
    fn wait(&self, stream: &CudaStream) {
        let (_, guard) = self.device_ptr(stream);
        // The texture records the read. While it holds the slice, nothing else can be given exclusive access to the slice.
        mem::forget(guard);
    }
}

/// What an object refers to.
enum Source {
    Array(Arc<ArrayMemory>),
    Memory { memory: Arc<dyn SliceMemory>, place: Place, uses: ObjectUses, address: CUdeviceptr, bytes: usize },
}

impl Source {
    fn place(&self) -> &Place {
        match self {
            Self::Array(array) => &array.place,
            Self::Memory { place, .. } => place,
        }
    }

    fn uses(&self) -> &ObjectUses {
        match self {
            Self::Array(array) => &array.uses,
            Self::Memory { uses, .. } => uses,
        }
    }

    fn resource(array: &ArrayMemory) -> Result<Resource, CallError> {
        array.place.context.bind_to_thread().map_err(CallError::context)?;
        Ok(Resource::array(array.alive()))
    }
}

type DestroyObject = unsafe extern "C" fn(u64) -> Status;

/// A texture object or a surface object: `CUtexObject`, `CUsurfObject`. It retains what it refers to.
pub(crate) struct ObjectMemory {
    object: u64,
    source: Source,
    destroy: DestroyObject,
}

impl ObjectMemory {
    /// A texture object of an array: `cuTexObjectCreate`.
    pub(crate) fn texture(array: &Arc<ArrayMemory>, sampler: &Sampler) -> Result<Self, CallError> {
        let resource = Source::resource(array)?;
        Self::new_texture(Source::Array(array.clone()), &resource, sampler)
    }

    /// A texture object of memory that contains this shape.
    ///
    /// # Panics
    /// If it does not contain the shape.
    pub(crate) fn texture_of_memory<T: Send + Sync + 'static>(
        memory: &Arc<CudaSlice<T>>,
        format: ChannelFormat,
        shape: LinearShape,
        sampler: &Sampler,
    ) -> Result<Self, CallError> {
        let needed = match shape {
            LinearShape::Row { bytes } => bytes,
            LinearShape::Rows { height, pitch, .. } => pitch * height,
        };
        assert!(needed <= memory.num_bytes(), "a texture of more than its memory");
        let place = Place::new(memory.context())?;
        let stream = memory.stream();
        let (address, guard) = memory.device_ptr(stream);
        // Nothing is read yet.
        mem::forget(guard);
        let source =
            Source::Memory { memory: memory.clone(), place, uses: ObjectUses::default(), address, bytes: needed };
        Self::new_texture(source, &Resource::memory(address, format, shape), sampler)
    }

    fn new_texture(source: Source, resource: &Resource, sampler: &Sampler) -> Result<Self, CallError> {
        let api = source.place().api;
        let (create, destroy) = (required!(api, cuTexObjectCreate)?, required!(api, cuTexObjectDestroy)?);
        let mut object = 0;
        // SAFETY: CUDA Driver API, "Texture Object Management", `cuTexObjectCreate`: the descriptors have their documented layouts and are
        // only read. The resource is alive: `source` holds it, and the object with `source`. A resource view is not required.
        unsafe { create(&mut object, resource, sampler, Null::NULL) }.check("cuTexObjectCreate")?;
        Ok(Self { object, source, destroy })
    }

    /// A surface object of an array: `cuSurfObjectCreate`.
    pub(crate) fn surface(array: &Arc<ArrayMemory>) -> Result<Self, CallError> {
        let resource = Source::resource(array)?;
        let api = array.place.api;
        let (create, destroy) = (required!(api, cuSurfObjectCreate)?, required!(api, cuSurfObjectDestroy)?);
        let mut object = 0;
        // SAFETY: CUDA Driver API, "Surface Object Management", `cuSurfObjectCreate`: the descriptor has its documented layout, is only
        // read, and names an array that is alive and that the object retains. An array without `CUDA_ARRAY3D_SURFACE_LDST` is an error.
        unsafe { create(&mut object, &resource) }.check("cuSurfObjectCreate")?;
        Ok(Self { object, source: Source::Array(array.clone()), destroy })
    }

    /// The object as a number.
    #[inline]
    pub(crate) fn object(&self) -> u64 {
        self.object
    }
}

impl Tracked for ObjectMemory {
    fn context(&self) -> &Arc<CudaContext> {
        &self.source.place().context
    }

    fn memory(&self) -> (CUdeviceptr, usize) {
        match &self.source {
            Source::Array(array) => array.memory(),
            Source::Memory { address, bytes, .. } => (*address, *bytes),
        }
    }

    fn enter<'t>(&'t self, stream: &'t CudaStream, writes: bool) -> SyncOnDrop<'t> {
        if let Source::Memory { memory, .. } = &self.source {
            memory.wait(stream);
        }
        self.source.uses().enter(stream, writes)
    }
}

impl Drop for ObjectMemory {
    fn drop(&mut self) {
        let has_finished = self.source.place().destroy(self.source.uses(), || {
            // SAFETY: CUDA Driver API, "Texture Object Management", `cuTexObjectDestroy`, and "Surface Object Management",
            // `cuSurfObjectDestroy`: `destroy` is the function of the object's kind, the object is alive, and nothing else destroys it.
            // All launches that were given this value have finished: each was recorded, and `Place::destroy` has waited for them.
            unsafe { (self.destroy)(self.object) };
        });
        // cudarc does not know the uses of its memory.
        if let (false, Source::Memory { memory, .. }) = (has_finished, &self.source) {
            mem::forget(memory.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;
    use cudarc::driver::sys::{CUDA_ARRAY3D_DESCRIPTOR, CUDA_RESOURCE_DESC, CUDA_TEXTURE_DESC};

    #[test]
    fn the_descriptors_are_those_of_cudarc() {
        type Shape = CUDA_ARRAY3D_DESCRIPTOR;
        type Theirs = CUDA_TEXTURE_DESC;
        let pairs = [
            (size_of::<ArrayDescriptor>(), size_of::<Shape>()),
            (offset_of!(ArrayDescriptor, size), offset_of!(Shape, Width)),
            (offset_of!(ArrayDescriptor, format), offset_of!(Shape, Format)),
            (offset_of!(ChannelFormat, channels) + 24, offset_of!(Shape, NumChannels)),
            (offset_of!(ArrayDescriptor, flags), offset_of!(Shape, Flags)),
            (size_of::<Resource>(), size_of::<CUDA_RESOURCE_DESC>()),
            (offset_of!(Resource, fields), offset_of!(CUDA_RESOURCE_DESC, res)),
            (offset_of!(Resource, flags), offset_of!(CUDA_RESOURCE_DESC, flags)),
            (size_of::<Sampler>(), size_of::<Theirs>()),
            (offset_of!(Sampler, filter), offset_of!(Theirs, filterMode)),
            (offset_of!(Sampler, flags), offset_of!(Theirs, flags)),
            (offset_of!(Sampler, mipmap_bias_and_range), offset_of!(Theirs, mipmapLevelBias)),
            (offset_of!(Sampler, border), offset_of!(Theirs, borderColor)),
            (offset_of!(Sampler, reserved), offset_of!(Theirs, reserved)),
        ];
        for (i, (ours, theirs)) in pairs.into_iter().enumerate() {
            assert_eq!(ours, theirs, "pair {i}");
        }
    }

    /// Each field has 8 bytes, except the format.
    #[test]
    fn the_resources_are_those_of_cudarc() {
        use cudarc::driver::sys::{
            CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_3 as Linear,
            CUDA_RESOURCE_DESC_st__bindgen_ty_1__bindgen_ty_4 as Pitch2D,
        };
        let format = ChannelFormat { format: 0x20, channels: 2 };
        let row = Resource::memory(0x200, format, LinearShape::Row { bytes: 77 });
        assert_eq!((row.kind, &row.fields[..3]), (2, &[0x200, 0x2_0000_0020, 77][..]));
        assert_eq!((offset_of!(Linear, format), offset_of!(Linear, numChannels)), (8, 12));
        assert_eq!(offset_of!(Linear, sizeInBytes), 16);
        let rows = Resource::memory(0x200, format, LinearShape::Rows { width: 5, height: 6, pitch: 64 });
        assert_eq!((rows.kind, &rows.fields[..5]), (3, &[0x200, 0x2_0000_0020, 5, 6, 64][..]));
        assert_eq!((offset_of!(Pitch2D, format), offset_of!(Pitch2D, numChannels)), (8, 12));
        assert_eq!((offset_of!(Pitch2D, width), offset_of!(Pitch2D, height)), (16, 24));
        assert_eq!(offset_of!(Pitch2D, pitchInBytes), 32);
    }
}

//! Textures and surfaces.

use super::{
    Array, ReadMode, Texel, TextureOptions,
    limits::{self, LINEAR_1D, LINEAR_2D, TEXTURE_ALIGNMENT, TEXTURE_PITCH_ALIGNMENT},
};
use crate::{
    device::{SurfaceObject, TextureObject},
    driver::{
        api::{LinearShape, ObjectMemory},
        error::{Error, TextureError},
        query::attribute_of,
    },
    marshal::{Guard, KernelArg, LaunchStream},
    memory::Tracked,
};
use core::fmt;
use cudarc::driver::{CudaContext, CudaSlice, DevicePtr, sys::CUDA_TEXTURE_DESC};
use std::{mem, sync::Arc};

/// Texels that kernels read through the texture units: `cudaTextureObject_t`.
///
/// Clones are the same texture.
///
/// [`textures`](crate::guide::textures#order-and-lifetime) documents what it retains, and how a field is tracked.
///
/// ```no_run
/// use kernel_args::{KernelArgs, texture::{Array, FilterMode, Texture, TextureOptions}};
///
/// /// `__global__ void resize(cudaTextureObject_t image, int width)`
/// #[derive(KernelArgs)]
/// struct Resize<'a> { image: &'a Texture, width: i32 }
///
/// # let ctx = kernel_args::context(0)?;
/// let image = Array::<f32>::new(&ctx, [640, 480])?;
/// let image = Texture::new(&image, &TextureOptions::new().filter(FilterMode::Linear))?;
/// let args = Resize { image: &image, width: 320 };
/// # drop(args); Ok::<(), kernel_args::Error>(())
/// ```
#[derive(Clone)]
pub struct Texture(Arc<ObjectMemory>);

impl Texture {
    /// Creates a texture of an array.
    ///
    /// # Errors
    /// [`Error::Texture`] if the options contradict each other or the texels; the errors of the driver.
    pub fn new<T: Texel>(array: &Array<T>, options: &TextureOptions) -> Result<Self, Error> {
        let sampler = options.sampler(T::FORMAT, array.shape().coordinates())?;
        Ok(Self(Arc::new(ObjectMemory::texture(&array.memory, &sampler)?)))
    }

    /// Returns a texture of all elements of a slice. Kernels read it with `tex1Dfetch`, at integer coordinates.
    ///
    /// # Errors
    /// [`Error::Texture`] if the read mode does not fit the texels, or the GPU does not support so many; the errors of
    /// the driver.
    pub fn linear<T: Texel>(memory: &Arc<CudaSlice<T>>, read: ReadMode) -> Result<Self, Error> {
        let sampler = TextureOptions::new().read(read).sampler(T::FORMAT, 1)?;
        let device = memory.context().cu_device();
        limits::check(device, LINEAR_1D, [("length", memory.len())], || "a texture of a slice".into())?;
        of_memory(memory, LinearShape::Row { bytes: memory.num_bytes() }, &sampler)
    }

    /// Returns a 2D texture of `[width, height]` texels of a slice. A row begins `pitch` elements after the previous
    /// one.
    ///
    /// On all GPUs up to now, the pitch in bytes must be a multiple of 32. The slice needs `pitch * height` elements.
    ///
    /// # Errors
    /// [`Error::Texture`] if the slice is too short, its rows are not aligned, or as for [`new`](Self::new).
    pub fn pitched<T: Texel>(
        memory: &Arc<CudaSlice<T>>,
        [width, height]: [usize; 2],
        pitch: usize,
        options: &TextureOptions,
    ) -> Result<Self, Error> {
        let sampler = options.sampler(T::FORMAT, 2)?;
        let device = memory.context().cu_device();
        let pitch_bytes = pitch.saturating_mul(size_of::<T>());
        let dimensions = [("width", width), ("height", height), ("pitch in bytes", pitch_bytes)];
        limits::check(device, LINEAR_2D, dimensions, || "a 2D texture of a slice".into())?;
        let alignment = attribute_of(device, TEXTURE_PITCH_ALIGNMENT)? as usize;
        if !pitch_bytes.is_multiple_of(alignment.max(1)) {
            let bytes = pitch_bytes.next_multiple_of(alignment);
            return Err(wrong(
                format!(
                    "a row begins every {pitch_bytes} bytes, but this GPU needs a multiple of {alignment} bytes (width {width}, pitch {pitch})"
                ),
                format!("allocate rows of {} elements, and pass this pitch", bytes / size_of::<T>()),
            ));
        }
        if pitch < width {
            return Err(wrong(
                format!("the width is {width}, but the pitch is only {pitch} elements"),
                "pass the number of elements from the beginning of a row to the beginning of the next row".into(),
            ));
        }
        if pitch * height > memory.len() {
            return Err(wrong(
                format!(
                    "{height} rows of {pitch} elements are {} elements, but the slice has {}",
                    pitch * height,
                    memory.len()
                ),
                "allocate a slice of `pitch * height` elements".into(),
            ));
        }
        of_memory(memory, LinearShape::Rows { width, height, pitch: pitch_bytes }, &sampler)
    }
}

object!(Texture, TextureObject, "texture", false, [&Texture, Texture]);

fn wrong(problem: String, help: String) -> Error {
    Error::Texture(TextureError::Memory { problem, help })
}

/// Checks the alignment, which cudarc's allocations always have.
fn of_memory<T: Texel>(
    memory: &Arc<CudaSlice<T>>,
    shape: LinearShape,
    sampler: &CUDA_TEXTURE_DESC,
) -> Result<Texture, Error> {
    let alignment = attribute_of(memory.context().cu_device(), TEXTURE_ALIGNMENT)? as usize;
    let (address, guard) = memory.device_ptr(memory.stream());
    mem::forget(guard);
    if !(address as usize).is_multiple_of(alignment.max(1)) {
        return Err(wrong(
            format!("it begins at {address:#x}, but this GPU needs a multiple of {alignment} bytes"),
            "pass a slice that cudarc has allocated, or copy the texels into an `Array`".into(),
        ));
    }
    Ok(Texture(Arc::new(ObjectMemory::texture_of_memory(memory, T::FORMAT.raw(), shape, sampler)?)))
}

/// The texels of an array that kernels read and write: `cudaSurfaceObject_t`. The x coordinate of `surf2Dread` and
/// `surf2Dwrite` is in bytes.
///
/// Clones are the same surface. It is retained and tracked like a [`Texture`], as memory that is written.
///
/// ```no_run
/// use kernel_args::texture::{Array, Surface};
///
/// # let ctx = kernel_args::context(0)?;
/// let image = Array::<[u8; 4]>::for_surfaces(&ctx, [640, 480])?;
/// let surface = Surface::new(&image)?;
/// # drop(surface); Ok::<(), kernel_args::Error>(())
/// ```
#[derive(Clone)]
pub struct Surface(Arc<ObjectMemory>);

impl Surface {
    /// Creates a surface of an array that [`Array::for_surfaces`] has created.
    ///
    /// # Errors
    /// [`Error::Texture`] for any other array; the errors of the driver.
    pub fn new<T: Texel>(array: &Array<T>) -> Result<Self, Error> {
        if !array.has_surfaces {
            return Err(Error::Texture(TextureError::NotForSurfaces));
        }
        Ok(Self(Arc::new(ObjectMemory::surface(&array.memory)?)))
    }
}

object!(Surface, SurfaceObject, "surface", true, [&Surface, &mut Surface, Surface]);

//! Arrays: memory in the layout of textures.

use super::{Texel, limits};
use crate::{
    driver::{
        api::{ArrayMemory, ChannelFormat},
        context::uncaptured,
        error::{ContextError, Error, TextureError},
    },
    memory::Tracked,
};
use core::{fmt, marker::PhantomData, slice};
use cudarc::driver::{
    CudaContext, CudaStream, CudaView, CudaViewMut,
    sys::{CUDA_ARRAY3D_DESCRIPTOR, CUstreamCaptureStatus},
};
use std::sync::Arc;

/// The dimensions of an [`Array`], in texels. Texel `(x, y, z)` is element `(z * height + y) * width + x` of a copy;
/// layers are the last dimension. `From` makes one of a width, of `[width, height]` and of `[width, height, depth]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArrayShape {
    /// `tex1D`: the width.
    OneD(usize),
    /// `tex2D`: width and height.
    TwoD([usize; 2]),
    /// `tex3D`: width, height and depth.
    ThreeD([usize; 3]),
    /// `tex1DLayered`: width and number of layers.
    Layered1D([usize; 2]),
    /// `tex2DLayered`: width, height and number of layers.
    Layered2D([usize; 3]),
}

macro_rules! shapes {
    ($($size:ty => $shape:ident;)*) => {$(
        impl From<$size> for ArrayShape {
            fn from(size: $size) -> Self {
                Self::$shape(size)
            }
        }
    )*};
}

shapes! { usize => OneD; [usize; 2] => TwoD; [usize; 3] => ThreeD; }

impl ArrayShape {
    /// Returns the number of texels; `usize::MAX` if it is larger.
    #[must_use]
    pub fn texels(self) -> usize {
        self.parts().3.iter().fold(1, |texels, size| texels.saturating_mul(*size))
    }

    /// Returns what it is, its limits for textures and surfaces, the number of dimensions that have coordinates, and
    /// all sizes.
    fn parts(&self) -> (&'static str, [u32; 2], usize, &[usize]) {
        match self {
            Self::OneD(width) => ("a 1D array", limits::ARRAY_1D, 1, slice::from_ref(width)),
            Self::TwoD(size) => ("a 2D array", limits::ARRAY_2D, 2, size),
            Self::ThreeD(size) => ("a 3D array", limits::ARRAY_3D, 3, size),
            Self::Layered1D(size) => ("a layered 1D array", limits::LAYERED_1D, 1, size),
            Self::Layered2D(size) => ("a layered 2D array", limits::LAYERED_2D, 2, size),
        }
    }

    pub(super) fn coordinates(self) -> usize {
        self.parts().2
    }

    fn dimensions(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let (_, _, coordinates, sizes) = self.parts();
        let names = ["width", "height", "depth"].into_iter().take(coordinates);
        names.chain(["number of layers"]).zip(sizes.iter().copied())
    }

    /// The layers are the depth.
    fn descriptor(&self, (format, channels): ChannelFormat, has_surfaces: bool) -> CUDA_ARRAY3D_DESCRIPTOR {
        const LAYERED: u32 = 1;
        const SURFACE_LDST: u32 = 2;
        let (_, _, coordinates, sizes) = self.parts();
        let (mut size, (dimensions, layers)) = ([0; 3], sizes.split_at(coordinates));
        size[..coordinates].copy_from_slice(dimensions);
        let mut flags = if has_surfaces { SURFACE_LDST } else { 0 };
        if let Some(layers) = layers.first() {
            size[2] = *layers;
            flags |= LAYERED;
        }
        let [width, height, depth] = size;
        CUDA_ARRAY3D_DESCRIPTOR {
            Width: width,
            Height: height,
            Depth: depth,
            Format: format,
            NumChannels: channels,
            Flags: flags,
        }
    }
}

display!(ArrayShape, |this, f| {
    let (kind, _, _, sizes) = this.parts();
    let kind = kind.trim_start_matches("a ");
    let sizes: Vec<_> = sizes.iter().map(ToString::to_string).collect();
    write!(f, "{kind} of {} texels", sizes.join(" × "))
});

/// Memory of a GPU in the layout of textures, with texels of type `T`: `CUarray`.
///
/// Kernels read it as a [`Texture`](super::Texture), and read and write it as a [`Surface`](super::Surface). Clones
/// refer to the same memory.
///
/// Copies are enqueued on a stream. [`textures`](crate::guide::textures#order-and-lifetime) documents their order.
///
/// ```no_run
/// use kernel_args::texture::Array;
///
/// let ctx = kernel_args::context(0)?;
/// let stream = ctx.default_stream();
/// let image = Array::<[u8; 4]>::new(&ctx, [640, 480])?;
/// image.write(&stream, &vec![[255, 128, 0, 255]; 640 * 480])?;    // row by row
/// let texels: Vec<[u8; 4]> = image.read(&stream)?;
/// # Ok::<(), kernel_args::Error>(())
/// ```
pub struct Array<T> {
    pub(super) memory: Arc<ArrayMemory>,
    shape: ArrayShape,
    pub(super) has_surfaces: bool,
    texels: PhantomData<fn(T) -> T>,
}

impl<T> Array<T> {
    /// Creates an array for textures, whose texels are not initialized. `shape` is an [`ArrayShape`], or a width,
    /// `[width, height]` or `[width, height, depth]`.
    ///
    /// # Errors
    /// [`Error::Texture`] if the GPU does not support the size; the errors of the driver, such as too little memory.
    pub fn new(context: &Arc<CudaContext>, shape: impl Into<ArrayShape>) -> Result<Self, Error>
    where
        T: Texel,
    {
        Self::create(context, shape.into(), false)
    }

    /// Returns an array for textures and surfaces.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn for_surfaces(context: &Arc<CudaContext>, shape: impl Into<ArrayShape>) -> Result<Self, Error>
    where
        T: Texel,
    {
        Self::create(context, shape.into(), true)
    }

    /// Returns the dimensions.
    #[must_use]
    pub fn shape(&self) -> ArrayShape {
        self.shape
    }

    /// Returns the context of the array.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        self.memory.context()
    }
}

impl<T: Texel> Array<T> {
    fn create(context: &Arc<CudaContext>, shape: ArrayShape, has_surfaces: bool) -> Result<Self, Error> {
        let (device, (kind, [texture, surface], ..)) = (context.cu_device(), shape.parts());
        limits::check(device, texture, shape.dimensions(), || kind.into())?;
        if has_surfaces {
            limits::check(device, surface, shape.dimensions(), || format!("{kind} for surfaces"))?;
        }
        let memory = ArrayMemory::new(context, &shape.descriptor(T::FORMAT.raw(), has_surfaces), size_of::<T>())?;
        Ok(Self { memory: Arc::new(memory), shape, has_surfaces, texels: PhantomData })
    }

    /// Overwrites all texels, in the order of `stream`. The texels are copied to a temporary slice first.
    ///
    /// # Errors
    /// [`Error::Texture`] if the array does not have this number of texels, or the stream is being captured;
    /// [`Error::Context`] for a stream of a different context; the errors of the driver.
    pub fn write(&self, stream: &Arc<CudaStream>, texels: &[T]) -> Result<(), Error> {
        self.check(stream, texels.len())?;
        let cudarc = |error| Error::cudarc("cuMemAllocAsync, cuEventCreate or cuMemcpyHtoDAsync", error);
        let texels = stream.clone_htod(texels).map_err(cudarc)?;
        self.copy_from(stream, &texels.as_view())
    }

    /// Returns all texels, after the work in the stream. The texels are copied to a temporary slice first.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub fn read(&self, stream: &Arc<CudaStream>) -> Result<Vec<T>, Error> {
        self.check(stream, self.shape.texels())?;
        let cudarc =
            |error| Error::cudarc("cuMemAllocAsync, cuEventCreate, cuMemsetD8Async or cuMemcpyDtoHAsync", error);
        let mut texels = stream.alloc_zeros::<T>(self.shape.texels()).map_err(cudarc)?;
        self.copy_to(stream, &mut texels.as_view_mut())?;
        let read = uncaptured(stream, || stream.clone_dtoh(&texels).map_err(cudarc))?;
        read.ok_or(Error::Texture(TextureError::Capturing))
    }

    /// Overwrites all texels, in the order of `stream`: `array.copy_from(&stream, &slice.as_view())`.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub fn copy_from(&self, stream: &CudaStream, texels: &CudaView<'_, T>) -> Result<(), Error> {
        self.check(stream, texels.len())?;
        Ok(self.memory.copy_from(stream, texels)?)
    }

    /// Copies all texels, in the order of `stream`: `array.copy_to(&stream, &mut slice.as_view_mut())`.
    ///
    /// # Errors
    /// As for [`write`](Self::write).
    pub fn copy_to(&self, stream: &CudaStream, texels: &mut CudaViewMut<'_, T>) -> Result<(), Error> {
        self.check(stream, texels.len())?;
        Ok(self.memory.copy_to(stream, texels)?)
    }

    fn check(&self, stream: &CudaStream, len: usize) -> Result<(), Error> {
        ContextError::check_stream(self.memory.context(), stream.context())?;
        if len != self.shape.texels() {
            return Err(Error::Texture(TextureError::Length {
                array: self.shape.to_string(),
                array_len: self.shape.texels(),
                slice_len: len,
            }));
        }
        let status = stream.capture_status();
        let call = "cuCtxGetCurrent, cuCtxSetCurrent or cuStreamIsCapturing";
        let status = status.map_err(|error| Error::cudarc(call, error))?;
        if status != CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_NONE {
            return Err(Error::Texture(TextureError::Capturing));
        }
        Ok(())
    }
}

impl<T> Clone for Array<T> {
    fn clone(&self) -> Self {
        Self { memory: self.memory.clone(), ..*self }
    }
}

impl<T: Texel> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({} of {})", self.shape, T::FORMAT)
    }
}

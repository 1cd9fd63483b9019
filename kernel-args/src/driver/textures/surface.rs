//! Surfaces.

use super::{Array, Texel};
use crate::{
    device::SurfaceObject,
    driver::{
        api::ObjectMemory,
        error::{Error, TextureError},
    },
    marshal::{Guard, KernelArg, LaunchStream, Tracked},
};
use core::fmt;
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// The texels of an array that kernels read and write: `cudaSurfaceObject_t`. The x coordinate of `surf2Dread` and `surf2Dwrite` is in bytes.
///
/// It retains its array. Clones are the same surface, which is destroyed when no clone exists, after the launches that use it have finished:
/// the last drop waits for them.
///
/// As a field, `&Surface` is tracked like a slice that is written. A `Surface` as a field is retained by the nodes of a graph.
///
/// ```no_run
/// use kernel_args::{KernelArgs, texture::{Array, Surface, Texture, TextureOptions}};
///
/// /// `__global__ void blur(cudaTextureObject_t from, cudaSurfaceObject_t to)`
/// #[derive(KernelArgs)]
/// struct Blur<'a> { from: &'a Texture, to: &'a Surface }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// let (a, b) = (Array::<[u8; 4]>::new(&ctx, [640, 480])?, Array::<[u8; 4]>::for_surfaces(&ctx, [640, 480])?);
/// let (from, to) = (Texture::new(&a, &TextureOptions::new())?, Surface::new(&b)?);
/// let args = Blur { from: &from, to: &to };
/// # drop(args); Ok(()) }
/// ```
#[derive(Clone)]
pub struct Surface(Arc<ObjectMemory>);

impl Surface {
    /// A surface of an array that [`Array::for_surfaces`] has created.
    ///
    /// # Errors
    /// [`Error::Texture`] for any other array; the errors of the driver.
    pub fn new<T: Texel>(array: &Array<T>) -> Result<Self, Error> {
        if !array.has_surfaces {
            return Err(Error::Texture(TextureError::NotForSurfaces));
        }
        Ok(Self(Arc::new(ObjectMemory::surface(&array.memory)?)))
    }

    /// The surface object as a number, for structs that kernels take by value and for tables in device memory. It is valid as long as
    /// this surface exists. Its use is not tracked.
    #[must_use]
    pub fn object(&self) -> SurfaceObject {
        SurfaceObject(self.0.object())
    }

    /// The context of the surface.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        self.0.context()
    }
}

macro_rules! arguments {
    ($($ty:ty;)*) => {$(
        impl KernelArg for $ty {
            type Device = SurfaceObject;

            #[inline]
            fn check_context(&self, stream: &LaunchStream<'_>) {
                stream.check_context(self.context());
            }

            #[inline]
            fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> (SurfaceObject, Guard<'s>) {
                (self.object(), stream.track(&self.0, true))
            }
        }
    )*};
}

arguments! { &Surface; &mut Surface; Surface; }

impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Surface({:#x})", self.0.object())
    }
}

//! Images of kernels, loaded or linked into a module.

use super::{
    config::JitOptions,
    context::sm,
    error::Error,
    image::{Description, Image, ImageBytes, describe},
    link::link,
    loaded::LoadedModule,
};
use crate::device::DevicePointerMut;
use cudarc::driver::CudaContext;
use std::{ffi::CString, fmt, slice, string::String, sync::Arc, vec::Vec};

/// A loaded module: kernels that came from one image, or from several that were linked.
///
/// It is unloaded when it and all its kernels are dropped.
pub struct Module {
    pub(super) loaded: Arc<LoadedModule>,
    pub(super) kernels: Vec<Description>,
    /// Why `kernels` may lack some of the images' kernels.
    pub(super) unread: Option<String>,
    log: String,
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("entries", &self.entries().collect::<Vec<_>>())
            .field("unread", &self.unread)
            .finish_non_exhaustive()
    }
}

impl Module {
    /// Loads an image: the driver compiles PTX for the context's GPU.
    ///
    /// # Errors
    /// [`Error::Image`] where the file cannot be read, [`Error::Load`] with the compiler's log where the driver
    /// rejects the image.
    pub fn load<'i>(
        ctx: &Arc<CudaContext>,
        image: impl Into<Image<'i>>,
    ) -> Result<Arc<Self>, Error> {
        Self::load_with(ctx, image, &JitOptions::new())
    }

    /// Loads an image with options for the driver's compiler: `cuModuleLoadDataEx`.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_with<'i>(
        ctx: &Arc<CudaContext>,
        image: impl Into<Image<'i>>,
        options: &JitOptions,
    ) -> Result<Arc<Self>, Error> {
        let image = ImageBytes::read(image.into())?;
        let mut options = options.to_driver();
        let loaded = LoadedModule::load(ctx, &image, &mut options)?;
        Self::new(loaded, slice::from_ref(&image), options.info_log())
    }

    /// Links several images into one module: a kernel in one may call a device function in another, if both
    /// were compiled with relocatable device code (`-rdc=true`). `cuLinkCreate`, `cuLinkAddData`, `cuLinkComplete`.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn link<'i>(
        ctx: &Arc<CudaContext>,
        images: impl IntoIterator<Item = Image<'i>>,
        options: &JitOptions,
    ) -> Result<Arc<Self>, Error> {
        let images = images
            .into_iter()
            .map(ImageBytes::read)
            .collect::<Result<Vec<_>, _>>()?;
        let (cubin, log) = link(ctx, &images, options)?;
        // The options went to the linker; a cubin needs none.
        let loaded = LoadedModule::load(ctx, &cubin, &mut JitOptions::new().to_driver())?;
        Self::new(loaded, &images, log)
    }

    /// `images` describe the kernels of `loaded`.
    fn new(loaded: LoadedModule, images: &[ImageBytes], log: String) -> Result<Arc<Self>, Error> {
        let sm = sm(&loaded.context)?;
        let (mut kernels, mut unread) = (Vec::new(), None);
        for image in images {
            match describe(&image.bytes, Some(sm)) {
                Ok(described) => kernels.extend(described),
                Err(problem) => unread = Some(problem),
            }
        }
        Ok(Arc::new(Self {
            loaded: Arc::new(loaded),
            kernels,
            unread,
            log,
        }))
    }

    /// The log of the driver's compiler or linker; with [`JitOptions::verbose`] the registers and memory of each
    /// kernel.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.log
    }

    /// The symbols of the kernels that the images hold, as far as they could be read.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| kernel.symbol.as_str())
    }

    /// The address and the size in bytes of the global variable `name` (`__device__`, `__constant__`), which lives as
    /// long as the module.
    ///
    /// # Errors
    /// [`Error::Driver`] where the module has no variable of that name.
    pub fn global(&self, name: &str) -> Result<(DevicePointerMut<u8>, usize), Error> {
        let name = CString::new(name).unwrap_or_default();
        let (address, size) = self.loaded.global(&name)?;
        Ok((DevicePointerMut::from_raw(address), size))
    }
}

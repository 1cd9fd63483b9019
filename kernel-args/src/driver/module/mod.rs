//! Modules: loaded or linked images of kernels.
//!
//! | to change | open |
//! |---|---|
//! | a global variable | `global.rs`, `global_copies.rs`, `global_type.rs`; how it is compared: `variable.rs` of `kernel-args-abi` |

mod cache;
mod family;
mod find;
mod global;
mod global_copies;
mod global_type;
mod kernel;
mod kernel_info;

pub use global::{Global, GlobalInfo, GlobalSpace};
pub use global_copies::PendingRead;
pub use global_type::GlobalType;
pub use kernel::Kernel;

#[cfg(feature = "nvrtc")]
use crate::driver::compile::CompileOptions;
#[cfg(feature = "observe")]
use crate::driver::observe::{self, Event, LoadEvent};
use crate::driver::{
    api,
    config::JitOptions,
    context::sm,
    error::Error,
    image::{
        Description, Image, ImageBytes, ImageContents, IntoImage, VariableDescription, check, explained, link, load,
    },
};
use cache::KernelCache;
use cudarc::driver::{CudaContext, CudaModule};
use std::{slice, sync::Arc, time::Duration};

/// A loaded module: the kernels of one image, or of several linked images. It is unloaded when it and all its kernels
/// are dropped.
///
/// ```no_run
/// use kernel_args::Module;
///
/// # let ctx = kernel_args::context(0)?;
/// let module = Module::load(&ctx, std::path::Path::new("kernels.ptx"))?;
/// println!("{}", module.log());
/// # Ok::<(), kernel_args::Error>(())
/// ```
pub struct Module {
    pub(crate) loaded: LoadedModule,
    pub(crate) kernels: Vec<Arc<Description>>,
    pub(crate) variables: Vec<VariableDescription>,
    /// Name expressions of sources that were compiled at run time, with their symbols.
    pub(crate) names: Vec<(String, String)>,
    /// Why `kernels` may lack some kernels of the images.
    pub(crate) unread: Option<String>,
    #[cfg(feature = "observe")]
    pub(crate) image_name: Option<Arc<str>>,
    /// What the driver has loaded, if it is kept for recordings.
    #[cfg(feature = "record")]
    pub(crate) image: Option<Arc<Vec<u8>>>,
    log: String,
    wall_time: Option<Duration>,
    pub(crate) cache: KernelCache,
    /// By the names of families.
    families: KernelCache,
}

pub(crate) enum LoadedModule {
    Own(Arc<api::Module>),
    Cudarc(Arc<CudaContext>, Arc<CudaModule>),
}

impl LoadedModule {
    fn context(&self) -> &Arc<CudaContext> {
        match self {
            Self::Own(module) => module.context(),
            Self::Cudarc(context, _) => context,
        }
    }
}

debug!(Module, this => entries: this.entries().collect::<Vec<_>>(), unread: this.unread);

impl Module {
    /// Loads an image: the driver compiles PTX for the context's GPU.
    ///
    /// # Errors
    /// [`Error::Load`] if the file cannot be read, or if the driver rejects the image (with the compiler's log). An
    /// image without code for this GPU and this driver is rejected before the driver is called.
    pub fn load<'i>(ctx: &Arc<CudaContext>, image: impl IntoImage<'i>) -> Result<Arc<Self>, Error> {
        Self::load_with(ctx, image, &JitOptions::new())
    }

    /// Loads an image with options for the driver's compiler: `cuModuleLoadDataEx`.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load).
    pub fn load_with<'i>(
        ctx: &Arc<CudaContext>,
        image: impl IntoImage<'i>,
        options: &JitOptions,
    ) -> Result<Arc<Self>, Error> {
        let image = ImageBytes::read(image.into_image())?;
        let images = slice::from_ref(&image);
        check(ctx, images, options)?;
        let mut driver = options.to_driver();
        let loaded = observed(ctx, images, || {
            load(ctx, &image, &mut driver).map_err(|error| explained(error, ctx, images, options))
        })?;
        let loaded = LoadedModule::Own(Arc::new(loaded));
        Self::new(loaded, &image, images, driver.info_log(), driver.wall_time())
    }

    /// Compiles CUDA C++ with NVRTC for the context's GPU, and loads it.
    /// [`compile`](crate::guide::compile) has an example.
    ///
    /// [`log`](Self::log) contains NVRTC's warnings. For the other results, or for options of the driver's compiler,
    /// call [`CompileOptions::compile`] and [`load_with`](Self::load_with).
    ///
    /// # Errors
    /// [`Error::Compile`] if NVRTC is not found or does not compile the source; its log refers to the lines of the
    /// source. Otherwise as for [`load`](Self::load).
    #[cfg(feature = "nvrtc")]
    pub fn compile(ctx: &Arc<CudaContext>, source: &str, options: &CompileOptions) -> Result<Arc<Self>, Error> {
        let source = options.compile(ctx, source)?;
        let mut module = Self::load(ctx, &source)?;
        if let Some(module) = Arc::get_mut(&mut module).filter(|module| module.log.is_empty()) {
            module.log = source.log().into();
        }
        Ok(module)
    }

    /// Returns the method without its feature: the error of a call names the feature.
    #[cfg(not(feature = "nvrtc"))]
    #[doc(hidden)]
    pub fn compile<S: crate::__private::CompilesWithNvrtc>(
        _: &Arc<CudaContext>,
        _: S,
        _: impl Sized,
    ) -> Result<Arc<Self>, Error> {
        unreachable!("no type implements the trait")
    }

    /// Returns a module that cudarc loaded in `ctx` from `image`. Its kernels are verified as if this crate had loaded
    /// it. cudarc and this crate use the same functions and `__device__` variables.
    ///
    /// Every requested kernel is compared with the driver's function, by the sizes and offsets of its parameters
    /// (driver 12.4 and newer); if they differ, the image is rejected. A kernel with the same name and sizes, but
    /// different types or code, is not detected. A context other than `ctx` is rejected when a kernel is requested: the
    /// driver does not report the context of a module.
    ///
    /// # Errors
    /// [`Error::Load`] if `image` is not an image or its file cannot be read.
    pub fn from_cudarc<'i>(
        ctx: &Arc<CudaContext>,
        module: Arc<CudaModule>,
        image: impl IntoImage<'i>,
    ) -> Result<Arc<Self>, Error> {
        let image = ImageBytes::read(image.into_image())?;
        let loaded = LoadedModule::Cudarc(ctx.clone(), module);
        Self::new(loaded, &image, slice::from_ref(&image), String::new(), None)
    }

    /// Loads an image with cudarc. [`Function::to_cudarc`](crate::Function::to_cudarc) then returns cudarc's
    /// `CudaFunction` of each kernel, for code that still launches with cudarc's builder. Both use the same
    /// `__device__` variables. The driver's compiler writes no log here.
    ///
    /// # Errors
    /// As for [`load`](Self::load), but an image that the driver rejects is [`Error::Driver`].
    #[cfg(feature = "nvrtc")]
    pub fn load_with_cudarc<'i>(ctx: &Arc<CudaContext>, image: impl IntoImage<'i>) -> Result<Arc<Self>, Error> {
        let image = ImageBytes::read(image.into_image())?;
        check(ctx, slice::from_ref(&image), &JitOptions::new())?;
        let bytes = cudarc::nvrtc::Ptx::from_binary(image.image.bytes().to_vec());
        let module = observed(ctx, slice::from_ref(&image), || {
            ctx.load_module(bytes).map_err(|error| Error::cudarc("cuModuleLoadData", error))
        })?;
        let loaded = LoadedModule::Cudarc(ctx.clone(), module);
        Self::new(loaded, &image, slice::from_ref(&image), String::new(), None)
    }

    /// cudarc's module; `None` if this crate loaded the module, because cudarc cannot wrap it: see
    /// [`from_cudarc`](Self::from_cudarc) and `load_with_cudarc`.
    #[must_use]
    pub fn cudarc(&self) -> Option<&Arc<CudaModule>> {
        match &self.loaded {
            LoadedModule::Own(_) => None,
            LoadedModule::Cudarc(_, module) => Some(module),
        }
    }

    /// Links several images into one module: `cuLinkCreate`, `cuLinkAddData`, `cuLinkComplete`. A kernel in one image
    /// can call a device function in another image, if both were compiled with relocatable device code (`-rdc=true`).
    ///
    /// # Errors
    /// The errors of [`load`](Self::load).
    pub fn link<'i>(
        ctx: &Arc<CudaContext>,
        images: impl IntoIterator<Item = Image<'i>>,
        options: &JitOptions,
    ) -> Result<Arc<Self>, Error> {
        let images = images.into_iter().map(ImageBytes::read).collect::<Result<Vec<_>, _>>()?;
        check(ctx, &images, options)?;
        // A cubin needs no options.
        let none = &mut JitOptions::new().to_driver();
        let (loaded, linked) = observed(ctx, &images, || {
            let linked = link(ctx, &images, options);
            let loaded = linked.and_then(|linked| Ok((load(ctx, &linked.cubin, none)?, linked)));
            loaded.map_err(|error| explained(error, ctx, &images, options))
        })?;
        let loaded = LoadedModule::Own(Arc::new(loaded));
        Self::new(loaded, &linked.cubin, &images, linked.log, linked.wall_time)
    }

    /// `image` is what the driver has loaded; `images` describe its kernels.
    fn new(
        loaded: LoadedModule,
        image: &ImageBytes,
        images: &[ImageBytes],
        log: String,
        wall_time: Option<Duration>,
    ) -> Result<Arc<Self>, Error> {
        #[cfg(not(feature = "record"))]
        let _ = image;
        let sm = sm(loaded.context())?;
        let (mut kernels, mut variables, mut unread) = (Vec::new(), Vec::new(), None);
        for image in images {
            match image.contents_for(sm) {
                Ok(ImageContents { kernels: found, variables: declared }) => {
                    kernels.extend(found.into_iter().map(Arc::new));
                    variables.extend(declared);
                }
                Err(problem) => unread = Some(problem.to_string()),
            }
        }
        Ok(Arc::new(Self {
            loaded,
            names: images.iter().flat_map(|image| image.names.clone()).collect(),
            kernels,
            variables,
            unread,
            #[cfg(feature = "observe")]
            image_name: images.iter().find_map(|image| image.name.clone()),
            #[cfg(feature = "record")]
            image: observe::keeps_images().then(|| image.image.shared()),
            log,
            wall_time,
            cache: KernelCache::new(),
            families: KernelCache::new(),
        }))
    }

    /// Returns the log of the driver's compiler or linker; with [`JitOptions::verbose`] it contains the registers and
    /// memory of each kernel. It is empty if the driver has the result of the same PTX and options in its cache on disk
    /// (`CUDA_CACHE_DISABLE=1` disables the cache).
    #[must_use]
    pub fn log(&self) -> &str {
        &self.log
    }

    /// Returns the run time of the driver's compiler and linker, if [`JitOptions::wall_time`] was set.
    #[must_use]
    pub fn wall_time(&self) -> Option<Duration> {
        self.wall_time
    }

    /// Returns the symbols of the kernels in the images, if they could be read.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.kernels.iter().map(|kernel| &*kernel.symbol)
    }
}

fn observed<R>(
    context: &Arc<CudaContext>,
    images: &[ImageBytes],
    load: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    #[cfg(feature = "observe")]
    if observe::is_active() {
        let bytes: Vec<_> = images.iter().map(|image| image.image.bytes()).collect();
        let event = LoadEvent { context, name: images.iter().find_map(|image| image.name.as_deref()), images: &bytes };
        return observe::around(&Event::ModuleLoad(&event), load);
    }
    let _ = (context, images);
    load()
}

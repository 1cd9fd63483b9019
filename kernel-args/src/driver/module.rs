//! Images of kernels, loaded or linked into a module.

use super::{
    api::{Api, api},
    error::{DriverCall, Error},
    function::{Function, Owner},
    image::{Description, describe},
    jit::{DriverOptions, JitOptions},
    kernel::Kernel,
    status::Status,
    verify,
};
use crate::{device::DevicePointerMut, marshal::KernelArgs};
use core::ptr;
use cudarc::driver::{
    CudaContext,
    sys::{CUjitInputType, CUlinkState, CUmodule, CUresult},
};
use kernel_args_abi::{image, mangled};
use std::{
    borrow::Cow,
    boxed::Box,
    ffi::{CString, c_void},
    fmt, format, fs,
    path::Path,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// A compiled kernel image: PTX text, a cubin, or a fat binary.
///
/// `&str` and `String` are PTX; `&[u8]` is any of the three; a `Path` is a file with any of them.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Image<'a> {
    /// Bytes of PTX, a cubin or a fat binary: the beginning tells which.
    Bytes(Cow<'a, [u8]>),
    /// A file with one of them.
    File(&'a Path),
}

impl<'a> From<&'a str> for Image<'a> {
    fn from(ptx: &'a str) -> Self {
        Self::Bytes(Cow::Borrowed(ptx.as_bytes()))
    }
}

impl From<String> for Image<'_> {
    fn from(ptx: String) -> Self {
        Self::Bytes(Cow::Owned(ptx.into_bytes()))
    }
}

impl<'a> From<&'a String> for Image<'a> {
    fn from(ptx: &'a String) -> Self {
        ptx.as_str().into()
    }
}

impl<'a> From<&'a [u8]> for Image<'a> {
    fn from(image: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(image))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Image<'a> {
    fn from(image: &'a [u8; N]) -> Self {
        image.as_slice().into()
    }
}

impl From<Vec<u8>> for Image<'_> {
    fn from(image: Vec<u8>) -> Self {
        Self::Bytes(Cow::Owned(image))
    }
}

impl<'a> From<&'a Vec<u8>> for Image<'a> {
    fn from(image: &'a Vec<u8>) -> Self {
        image.as_slice().into()
    }
}

impl<'a> From<&'a Path> for Image<'a> {
    fn from(file: &'a Path) -> Self {
        Self::File(file)
    }
}

/// The bytes of an image as the driver takes them: PTX ends with NUL.
struct Bytes {
    bytes: Vec<u8>,
    kind: CUjitInputType,
}

impl Bytes {
    fn read(image: Image<'_>) -> Result<Self, Error> {
        let mut bytes = match image {
            Image::Bytes(bytes) => bytes.into_owned(),
            Image::File(path) => fs::read(path).map_err(|error| {
                Error::Image(format!("cannot read {}: {error}", path.display()))
            })?,
        };
        if bytes.is_empty() {
            return Err(Error::Image(
                "the image is empty: it should be PTX, a cubin or a fat binary".into(),
            ));
        }
        // The driver is not told how long an image is: it believes the headers.
        let kind = match image::validate(&bytes).map_err(|error| Error::Image(error.to_string()))? {
            image::Kind::Cubin => CUjitInputType::CU_JIT_INPUT_CUBIN,
            image::Kind::Fatbin => CUjitInputType::CU_JIT_INPUT_FATBINARY,
            _ => {
                if let Some(nul) = bytes.iter().position(|&byte| byte == 0) {
                    bytes.truncate(nul);
                }
                bytes.push(0);
                CUjitInputType::CU_JIT_INPUT_PTX
            }
        };
        Ok(Self { bytes, kind })
    }
}

/// A loaded module: kernels that came from one image, or from several that were linked.
///
/// It is unloaded when it and all its kernels are dropped.
pub struct Module {
    api: &'static Api,
    handle: CUmodule,
    context: Arc<CudaContext>,
    kernels: Vec<Description>,
    /// Why `kernels` may lack what the images hold.
    unread: Option<String>,
    log: String,
}

// SAFETY: the driver's module handle may be used from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Module")
            .field("entries", &self.entries().collect::<Vec<_>>())
            .field("unread", &self.unread)
            .finish_non_exhaustive()
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        self.context.record_err(self.context.bind_to_thread());
        // SAFETY: the handle is this module's own; functions of it hold the module. Nobody is left to tell of an error.
        unsafe { (self.api.cuModuleUnload)(self.handle) };
    }
}

impl Module {
    /// Loads an image: PTX is compiled by the driver for the context's GPU.
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
        let image = Bytes::read(image.into())?;
        ctx.bind_to_thread().map_err(Error::current)?;
        Self::load_bytes(ctx, &image.bytes, &[&image.bytes], options.to_driver())
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
            .map(Bytes::read)
            .collect::<Result<Vec<_>, _>>()?;
        ctx.bind_to_thread().map_err(Error::current)?;
        let mut linker = Linker::new(options)?;
        for (i, image) in images.iter().enumerate() {
            linker.add(image, i)?;
        }
        let cubin = linker.complete()?;
        let sources: Vec<&[u8]> = images.iter().map(|image| image.bytes.as_slice()).collect();
        let log = linker.options.info_log();
        // The options went to the linker; a cubin needs none.
        let mut module = Self::load_bytes(ctx, &cubin, &sources, JitOptions::new().to_driver())?;
        if let Some(module) = Arc::get_mut(&mut module) {
            module.log = log;
        }
        Ok(module)
    }

    /// `image` is what the driver loads; `sources` are what tells of its kernels.
    fn load_bytes(
        ctx: &Arc<CudaContext>,
        image: &[u8],
        sources: &[&[u8]],
        mut options: DriverOptions,
    ) -> Result<Arc<Self>, Error> {
        let api = api()?;
        let mut handle = ptr::null_mut();
        // SAFETY: `image` comes from `Bytes::read`: PTX ends with NUL, and all that the headers of a cubin or fat
        // binary place lies in it (`image::validate` lists what was checked); or from the driver's own linker. The option arrays have as many entries as
        // said, and the logs that they point to outlive the call.
        let status = unsafe {
            (api.cuModuleLoadDataEx)(
                &raw mut handle,
                image.as_ptr().cast(),
                options.count(),
                options.keys(),
                options.values(),
            )
        };
        refused("cuModuleLoadDataEx", status, &options)?;
        let mut module = Self {
            api,
            handle,
            context: ctx.clone(),
            kernels: Vec::new(),
            unread: None,
            log: options.info_log(),
        };
        let sm = verify::sm(ctx)?;
        for source in sources {
            match describe(source, Some(sm)) {
                Ok(kernels) => module.kernels.extend(kernels),
                Err(problem) => module.unread = Some(problem),
            }
        }
        Ok(Arc::new(module))
    }

    /// What the driver's compiler or linker had to say; with [`JitOptions::verbose`] the registers and memory
    /// of each kernel.
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
    /// [`Error::Driver`] where the module has none of that name.
    pub fn global(&self, name: &str) -> Result<(DevicePointerMut<u8>, usize), Error> {
        self.context.bind_to_thread().map_err(Error::current)?;
        let name = CString::new(name).unwrap_or_default();
        let (mut address, mut size) = (0, 0);
        // SAFETY: the module is loaded, and the name ends with NUL.
        let status = unsafe {
            (self.api.cuModuleGetGlobal_v2)(
                &raw mut address,
                &raw mut size,
                self.handle,
                name.as_ptr(),
            )
        };
        status.check("cuModuleGetGlobal")?;
        Ok((DevicePointerMut::from_raw(address), size))
    }

    /// The kernel `entry`, verified against `A`.
    ///
    /// `entry` is a symbol, or the plain name of a C++ kernel: among overloads and template instances the one that
    /// `A` fits is taken. A demangled spelling picks one: `saxpy<float>`, `saxpy(int, float)`.
    ///
    /// # Errors
    /// [`Error::Entry`] where there is none of that name, or several fit; [`Error::Mismatch`] where `A` does not fit.
    pub fn kernel<A: KernelArgs>(self: &Arc<Self>, entry: &str) -> Result<Kernel<A>, Error> {
        let description = self.find::<A>(entry)?;
        let symbol = description.map_or(entry, |kernel| kernel.symbol.as_str());
        self.context.bind_to_thread().map_err(Error::current)?;
        let name = CString::new(symbol).map_err(|_| self.no_entry(entry, "a name holds no NUL"))?;
        let mut handle = ptr::null_mut();
        // SAFETY: the module is loaded, and the name ends with NUL.
        let status =
            unsafe { (self.api.cuModuleGetFunction)(&raw mut handle, self.handle, name.as_ptr()) };
        if status == CUresult::CUDA_ERROR_NOT_FOUND {
            return Err(self.no_entry(entry, "the module has none of that name; the nearest are"));
        }
        status.check("cuModuleGetFunction")?;
        // SAFETY: the function was just loaded from this module, which is held.
        let verification = unsafe {
            verify::verify::<A>(
                handle,
                symbol,
                &self.context,
                description,
                self.unread.as_deref(),
            )
        }?;
        let function = Function::new(
            handle,
            symbol.to_string(),
            &self.context,
            description.and_then(|kernel| kernel.required_block),
            Owner::Module(self.clone()),
        )?;
        Ok(Kernel::new(function, verification))
    }

    /// The description of the kernel that `entry` names and `A` fits; `None` where the images do not tell.
    fn find<A: KernelArgs>(&self, entry: &str) -> Result<Option<&Description>, Error> {
        let symbols = mangled::candidates(entry, self.entries());
        let named: Vec<&Description> = symbols
            .iter()
            .filter_map(|symbol| self.kernels.iter().find(|kernel| kernel.symbol == *symbol))
            .collect();
        match named.as_slice() {
            [] if self.kernels.is_empty() || self.unread.is_some() => Ok(None),
            [] => Err(self.no_entry(entry, "the module has none of that name; the nearest are")),
            [one] => Ok(Some(one)),
            several => verify::select::<A>(several)
                .map(Some)
                .map_err(|(problem, candidates)| Error::Entry {
                    wanted: entry.into(),
                    problem,
                    candidates,
                }),
        }
    }

    #[cold]
    fn no_entry(&self, entry: &str, problem: &'static str) -> Error {
        let candidates = mangled::nearest(entry, self.entries());
        Error::Entry {
            wanted: entry.into(),
            problem,
            candidates: candidates.into_iter().map(Into::into).collect(),
        }
    }
}

/// The error of a call that compiles or links, with what the log says.
fn refused(call: &'static str, status: Status, options: &DriverOptions) -> Result<(), Error> {
    if status == Status::SUCCESS {
        return Ok(());
    }
    Err(Error::Load {
        call: DriverCall { call, status },
        log: options.error_log(),
    })
}

/// The driver's linker, destroyed with this.
struct Linker {
    api: &'static Api,
    state: CUlinkState,
    options: Box<DriverOptions>,
}

impl Linker {
    fn new(options: &JitOptions) -> Result<Self, Error> {
        let api = api()?;
        let mut options = Box::new(options.to_driver());
        let mut state = ptr::null_mut();
        // SAFETY: the arrays have as many entries as said, and live as long as the linker.
        let status = unsafe {
            (api.cuLinkCreate_v2)(
                options.count(),
                options.keys(),
                options.values(),
                &raw mut state,
            )
        };
        refused("cuLinkCreate", status, &options)?;
        Ok(Self {
            api,
            state,
            options,
        })
    }

    fn add(&mut self, image: &Bytes, index: usize) -> Result<(), Error> {
        let name = CString::new(format!("image {index}")).unwrap_or_default();
        // SAFETY: the linker is alive; it reads `bytes` in this call only.
        let status = unsafe {
            (self.api.cuLinkAddData_v2)(
                self.state,
                image.kind,
                image.bytes.as_ptr().cast_mut().cast::<c_void>(),
                image.bytes.len(),
                name.as_ptr(),
                0,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        refused("cuLinkAddData", status, &self.options)
    }

    fn complete(&mut self) -> Result<Vec<u8>, Error> {
        let (mut cubin, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the linker is alive.
        let status =
            unsafe { (self.api.cuLinkComplete)(self.state, &raw mut cubin, &raw mut size) };
        refused("cuLinkComplete", status, &self.options)?;
        // SAFETY: the linker owns `size` bytes at `cubin` until it is destroyed.
        Ok(unsafe { core::slice::from_raw_parts(cubin.cast::<u8>(), size) }.to_vec())
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: the linker is alive, and what it made was copied.
        unsafe { (self.api.cuLinkDestroy)(self.state) };
    }
}

//! A kernel that was verified against a struct.

use super::{
    context::{bind_function, current_device, restored_on_error},
    error::Error,
    image::{Description, Image},
    loaded_function::{LoadedBy, LoadedFunction, function_name},
    module::Module,
    verify::{Verification, select, verify},
};
use crate::marshal::{KernelArgs, Source};
use core::{fmt, marker::PhantomData};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, sys::CUresult};
use kernel_args_abi::mangled;
use std::{
    ffi::CString,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// A loaded kernel that takes the arguments `A`, verified once.
///
/// It may be stored and launched with arguments of any lifetime: a `Kernel<Saxpy<'static>>` launches a
/// `Saxpy<'a>`. Cloning it is cheap, and it may be used from any thread.
pub struct Kernel<A: KernelArgs> {
    function: Arc<LoadedFunction>,
    verification: Arc<Verification>,
    arguments: PhantomData<fn(A::Erased)>,
}

impl<A: KernelArgs> Kernel<A> {
    fn new(function: LoadedFunction, verification: Verification) -> Self {
        Self {
            function: Arc::new(function),
            verification: Arc::new(verification),
            arguments: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn function(&self) -> &LoadedFunction {
        &self.function
    }

    /// Loads the kernel that the struct names: `#[kernel_args(kernel = saxpy::saxpy)]`, or
    /// `#[kernel_args(ptx = "…", entry = "…")]`.
    ///
    /// # Errors
    /// As [`from_image`](Self::from_image). A struct that names no kernel, or a pattern of several, does not compile here.
    pub fn load(ctx: &Arc<CudaContext>) -> Result<Self, Error> {
        let Source { image, entry } = const { Source::of::<A>() };
        Self::from_image(ctx, image, entry)
    }

    /// Loads an image (PTX text, a cubin, a fat binary, a file) and takes the kernel `entry` from it.
    ///
    /// For several kernels of one image load a [`Module`] once.
    ///
    /// # Errors
    /// As [`Module::load`] and [`Module::kernel`].
    pub fn from_image<'i>(
        ctx: &Arc<CudaContext>,
        image: impl Into<Image<'i>>,
        entry: &str,
    ) -> Result<Self, Error> {
        Module::load(ctx, image)?.kernel(entry)
    }

    /// The kernel `entry` of a module that cudarc loaded in `ctx`.
    ///
    /// cudarc does not keep the image, so only what the driver reports is verified: sizes and offsets.
    ///
    /// # Errors
    /// [`Error::Entry`] where the module has no kernel of that name; [`Error::Mismatch`] where `A` does not fit;
    /// [`Error::ForeignFunction`] where cudarc loaded the module in another context.
    pub fn from_cudarc_module(
        ctx: &Arc<CudaContext>,
        module: &Arc<CudaModule>,
        entry: &str,
    ) -> Result<Self, Error> {
        const HAS_NUL: &str = "a name cannot contain NUL";
        const NOT_FOUND: &str = "the module has no symbol of exactly that name (C++ kernels have mangled names, unless they are `extern \"C\"`)";
        let no_entry = |problem| Error::Entry {
            wanted: entry.into(),
            problem,
            candidates: Vec::new(),
        };
        if entry.contains('\0') {
            return Err(no_entry(HAS_NUL));
        }
        restored_on_error(|| {
            ctx.bind_to_thread().map_err(Error::context)?;
            let function = module.load_function(entry).map_err(|error| match error.0 {
                CUresult::CUDA_ERROR_NOT_FOUND => no_entry(NOT_FOUND),
                _ => Error::cudarc("cuModuleGetFunction", error),
            })?;
            Self::from_function(ctx, function)
        })
    }

    /// A function that cudarc loaded in `ctx`.
    ///
    /// cudarc does not keep the image, so only what the driver reports is verified: sizes and offsets.
    ///
    /// # Errors
    /// [`Error::Mismatch`] where `A` does not fit; [`Error::ForeignFunction`] where cudarc loaded the function in another
    /// context.
    pub fn from_function(ctx: &Arc<CudaContext>, function: CudaFunction) -> Result<Self, Error> {
        restored_on_error(|| {
            let handle = function.cu_function();
            let loaded_in = bind_function(&function)?;
            // SAFETY: cudarc's function keeps its module loaded.
            let name = unsafe { function_name(handle) };
            if loaded_in != ctx.cu_ctx() {
                return Err(Error::ForeignFunction {
                    kernel: name,
                    loaded_on: current_device()?,
                    given: ctx.cu_device(),
                });
            }
            // SAFETY: as above; the context is current.
            let verification = unsafe { verify::<A>(handle, &name, ctx, None, None) }?;
            // SAFETY: as above.
            let function = unsafe {
                LoadedFunction::new(handle, name, ctx, None, LoadedBy::Cudarc(function))
            }?;
            Ok(Self::new(function, verification))
        })
    }

    /// What the struct was verified against.
    #[must_use]
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// The kernel itself, if it was verified.
    ///
    /// # Errors
    /// [`Error::Unverified`] with the reason, if it was not.
    pub fn require_verified(self) -> Result<Self, Error> {
        match &*self.verification {
            Verification::Verified { .. } => Ok(self),
            Verification::Unverified(reason) => Err(Error::Unverified {
                kernel: self.function.name.clone(),
                reason: reason.to_string(),
            }),
        }
    }

    /// The kernel's symbol.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.function.name
    }

    /// The context in which it is loaded.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.function.context
    }

    /// The driver's handle, valid while this or a clone of it is alive.
    #[must_use]
    pub fn cu_function(&self) -> cudarc::driver::sys::CUfunction {
        self.function.handle()
    }
}

impl Module {
    /// The kernel `entry`, verified against `A`.
    ///
    /// `entry` is a symbol, or the unmangled name of a C++ kernel: among overloads and template instances the one that
    /// `A` fits is taken. A demangled spelling picks one: `saxpy<float>`, `saxpy(int, float)`.
    ///
    /// # Errors
    /// [`Error::Entry`] where the module has no kernel of that name, or several fit; [`Error::Mismatch`] where `A` does
    /// not fit.
    pub fn kernel<A: KernelArgs>(&self, entry: &str) -> Result<Kernel<A>, Error> {
        let description = self.find::<A>(entry)?;
        let symbol = description.map_or(entry, |kernel| kernel.symbol.as_str());
        let name =
            CString::new(symbol).map_err(|_| self.no_entry(entry, "a name cannot contain NUL"))?;
        let Some(handle) = self.loaded.function(&name)? else {
            return Err(self.no_entry(entry, NO_SUCH_KERNEL));
        };
        let context = &self.loaded.context;
        // SAFETY: the function was just loaded from this module, whose context that made current.
        let verification =
            unsafe { verify::<A>(handle, symbol, context, description, self.unread.as_deref()) }?;
        // SAFETY: the function is of this module, which is held.
        let function = unsafe {
            LoadedFunction::new(
                handle,
                symbol.to_string(),
                context,
                description.and_then(|kernel| kernel.required_block),
                LoadedBy::Module(self.loaded.clone()),
            )
        }?;
        Ok(Kernel::new(function, verification))
    }

    /// The description of the kernel that `entry` names and `A` fits; `None` where the images could not be read.
    fn find<A: KernelArgs>(&self, entry: &str) -> Result<Option<&Description>, Error> {
        let symbols = mangled::candidates(entry, self.entries());
        let named: Vec<&Description> = symbols
            .iter()
            .filter_map(|symbol| self.kernels.iter().find(|kernel| kernel.symbol == *symbol))
            .collect();
        match named.as_slice() {
            [] if self.kernels.is_empty() || self.unread.is_some() => Ok(None),
            [] => Err(self.no_entry(entry, NO_SUCH_KERNEL)),
            [one] => Ok(Some(one)),
            several => select::<A>(several)
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
            candidates: candidates.into_iter().map(String::from).collect(),
        }
    }
}

/// The nearest names follow it.
const NO_SUCH_KERNEL: &str = "the module has no kernel of that name; the nearest are";

impl<A: KernelArgs> Clone for Kernel<A> {
    fn clone(&self) -> Self {
        Self {
            function: self.function.clone(),
            verification: self.verification.clone(),
            arguments: PhantomData,
        }
    }
}

impl<A: KernelArgs> fmt::Debug for Kernel<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.function.name)
            .field("arguments", &A::NAME)
            .field("verification", &self.verification)
            .finish_non_exhaustive()
    }
}

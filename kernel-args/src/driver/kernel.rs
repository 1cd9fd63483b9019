//! A kernel that was verified against a struct.

use super::{
    error::Error,
    function::{Function, Owner},
    module::{Image, Module},
    verify::{self, Verification},
};
use crate::marshal::{KernelArgs, Source};
use core::{fmt, marker::PhantomData};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule};
use std::sync::Arc;

/// A loaded kernel that takes the arguments `A`, verified once.
///
/// It may be stored and launched with arguments of any lifetime: a `Kernel<Saxpy<'static>>` launches a
/// `Saxpy<'a>`. Cloning it is cheap, and it may be used from any thread.
pub struct Kernel<A: KernelArgs> {
    function: Arc<Function>,
    verification: Arc<Verification>,
    arguments: PhantomData<fn(A::Erased)>,
}

impl<A: KernelArgs> Kernel<A> {
    pub(super) fn new(function: Function, verification: Verification) -> Self {
        Self {
            function: Arc::new(function),
            verification: Arc::new(verification),
            arguments: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn function(&self) -> &Function {
        &self.function
    }

    /// Loads the kernel that the struct names: `#[kernel_args(ptx = "…", entry = "…")]`.
    ///
    /// # Errors
    /// As [`from_image`](Self::from_image). A struct that names no PTX does not compile here.
    pub fn load(ctx: &Arc<CudaContext>) -> Result<Self, Error> {
        let Source { ptx, entry } = const { Source::expect(A::SOURCE) };
        Self::from_image(ctx, ptx, entry)
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
    /// cudarc does not keep the image, so that only what the driver tells is verified: sizes and offsets.
    ///
    /// # Errors
    /// [`Error::Entry`] where there is none of that name; [`Error::Mismatch`] where `A` does not fit.
    pub fn from_cudarc_module(
        ctx: &Arc<CudaContext>,
        module: &Arc<CudaModule>,
        entry: &str,
    ) -> Result<Self, Error> {
        let function = module.load_function(entry).map_err(|_| Error::Entry {
            wanted: entry.into(),
            problem: "the module has no symbol of exactly that name (C++ kernels are mangled, unless `extern \"C\"`)",
            candidates: std::vec::Vec::new(),
        })?;
        Self::from_function(ctx, function)
    }

    /// A function that cudarc loaded in `ctx`.
    ///
    /// cudarc does not keep the image, so that only what the driver tells is verified: sizes and offsets.
    ///
    /// # Errors
    /// [`Error::Mismatch`] where `A` does not fit.
    pub fn from_function(ctx: &Arc<CudaContext>, function: CudaFunction) -> Result<Self, Error> {
        ctx.bind_to_thread().map_err(Error::current)?;
        let handle = function.cu_function();
        let name = verify::function_name(handle);
        // SAFETY: cudarc's function keeps its module loaded.
        let verification = unsafe { verify::verify::<A>(handle, &name, ctx, None, None) }?;
        let function = Function::new(handle, name, ctx, None, Owner::Cudarc(function))?;
        Ok(Self::new(function, verification))
    }

    /// What the struct was verified against.
    #[must_use]
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    /// The kernel, if it was verified.
    ///
    /// # Errors
    /// [`Error::Unverified`] with the reason, if it was not.
    pub fn require_verified(self) -> Result<Self, Error> {
        match &*self.verification {
            Verification::Verified { .. } => Ok(self),
            Verification::Unverified(reason) => Err(Error::Unverified {
                kernel: self.function.name.clone(),
                reason: std::format!("{reason}"),
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

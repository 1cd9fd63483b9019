//! Kernels that were verified against a struct.

use super::{Module, find::cudarc_function};
use crate::{
    driver::{
        context::restored_on_error,
        error::{Error, LoadError},
        function::{Fitting, Function, LoadedFunction, StructType, Typed, Verified},
        image::{Image, IntoImage},
        verify::{Verification, select},
    },
    marshal::{KernelArgs, NamesKernel, Source},
};
use cudarc::driver::{CudaContext, CudaFunction, CudaModule, sys::CUfunction};
use std::sync::Arc;

/// A loaded kernel that takes the arguments `A`, verified once.
///
/// You can store it and launch it with arguments of any lifetime: a `Kernel<Saxpy<'static>>` launches a `Saxpy<'a>`.
/// For the type of a field, write `'static`, not the parameter that rustc suggests. Cloning it is cheap, and any thread
/// can use it.
///
/// ```no_run
/// use kernel_args::{Kernel, KernelArgs, launch};
///
/// #[derive(KernelArgs)]
/// struct Fill { value: f32, n: u32 }
///
/// # let ctx = kernel_args::context(0)?;
/// # let ptx = "";
/// let fill = Kernel::<Fill>::from_image(&ctx, ptx, "fill")?; // compares the struct with the kernel
/// // SAFETY: the kernel accesses no memory.
/// unsafe { launch!(fill, 4, 256, Fill { value: 1.0, n: 1024 })? };
/// # Ok::<(), kernel_args::Error>(())
/// ```
pub struct Kernel<A: KernelArgs> {
    pub(super) typed: Typed<A::Erased>,
}

impl<A: KernelArgs> Kernel<A> {
    /// # Panics
    /// If the function was verified for a different struct.
    pub(super) fn from_verified(verified: &Verified) -> Self {
        let Some(typed) = verified.as_typed() else { unreachable!("a kernel was verified for a different struct") };
        Self { typed }
    }

    #[inline(always)]
    pub(crate) fn function(&self) -> &LoadedFunction {
        self.as_function().loaded()
    }

    #[inline(always)]
    pub(crate) fn fit<'f, B: KernelArgs<Erased = A::Erased>>(&'f self, args: &'f mut B) -> Fitting<'f, B> {
        self.typed.fit(args)
    }

    #[cfg(feature = "graphs")]
    pub(crate) fn keep_loaded(&self) -> Box<dyn Send + Sync> {
        Box::new(self.as_function().clone())
    }

    /// Loads the kernel that the struct names: `#[kernel_args(kernel = saxpy::saxpy)]`, or
    /// `#[kernel_args(ptx = "…", entry = "…")]`. rustc has compared the struct with this image, so only the sizes and
    /// the offsets of the loaded function are compared again. A program that loads kernels only this way contains no
    /// reader of images.
    ///
    /// A struct without a kernel, or with a pattern for several kernels, does not compile here.
    ///
    /// # Errors
    /// As for [`from_image`](Self::from_image).
    pub fn load(ctx: &Arc<CudaContext>) -> Result<Self, Error>
    where
        A: NamesKernel,
    {
        let source = const { Source::of::<A>() };
        let function = Module::load(ctx, Image::of_kernel(source))?.function(source.entry)?;
        Ok(Self { typed: function.typed_as_compiled::<A>()? })
    }

    /// Loads an image (PTX text, a cubin, a fat binary, a file) and returns its kernel `entry`. For several kernels of
    /// one image, load a [`Module`] once.
    ///
    /// # Errors
    /// The errors of [`Module::load`] and [`Module::kernel`].
    pub fn from_image<'i>(ctx: &Arc<CudaContext>, image: impl IntoImage<'i>, entry: &str) -> Result<Self, Error> {
        Module::load(ctx, image)?.kernel(entry)
    }

    /// Returns the kernel `entry` of a module that cudarc loaded in `ctx`, verified as by
    /// [`from_function`](Self::from_function).
    ///
    /// # Errors
    /// [`Error::Load`] if the module has no kernel with this name; otherwise as for
    /// [`from_function`](Self::from_function).
    pub fn from_cudarc_module(ctx: &Arc<CudaContext>, module: &Arc<CudaModule>, entry: &str) -> Result<Self, Error> {
        const HAS_NUL: &str = "a name cannot contain NUL";
        const NOT_FOUND: &str = "the module has no symbol with exactly this name (C++ kernels have mangled names, unless they are `extern \"C\"`)";
        let no_entry = |problem| LoadError::not_found(entry, problem, Vec::new());
        if entry.contains('\0') {
            return Err(no_entry(HAS_NUL));
        }
        restored_on_error(ctx, || Self::from_function(ctx, cudarc_function(module, entry, || no_entry(NOT_FOUND))?))
    }

    /// Returns a function that cudarc loaded in `ctx`. Only sizes and offsets are verified, because cudarc does not
    /// keep the image: see [`from_function_with_image`](Self::from_function_with_image).
    ///
    /// # Errors
    /// [`Error::Verify`] if `A` does not match; [`Error::Context`] if cudarc loaded it in a different context.
    pub fn from_function(ctx: &Arc<CudaContext>, function: CudaFunction) -> Result<Self, Error> {
        restored_on_error(ctx, || Function::of_cudarc(ctx, function, None, None, None)?.kernel())
    }

    /// Returns a function that cudarc loaded in `ctx` from `image`, verified like a kernel that this crate loads.
    ///
    /// # Errors
    /// The errors of [`Function::from_cudarc`], and [`Error::Verify`] if `A` does not match.
    pub fn from_function_with_image<'i>(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        image: impl IntoImage<'i>,
    ) -> Result<Self, Error> {
        restored_on_error(ctx, || Function::from_cudarc(ctx, function, image)?.kernel())
    }

    /// Returns the kernel without the type of its arguments.
    #[must_use]
    pub fn as_function(&self) -> &Function {
        self.typed.function()
    }

    /// Returns the information that the struct was verified against.
    #[must_use]
    pub fn verification(&self) -> &Verification {
        self.as_function().verification()
    }

    /// Returns the kernel itself.
    ///
    /// # Errors
    /// [`Error::Verify`] with the reason if it was not verified.
    pub fn require_verified(self) -> Result<Self, Error> {
        self.verification().require(self.name())?;
        Ok(self)
    }

    /// As [`Function::require_loaded`].
    ///
    /// # Errors
    /// As for [`Function::require_loaded`].
    pub fn require_loaded(&self) -> Result<(), Error> {
        self.as_function().require_loaded()
    }

    /// Returns the kernel's symbol.
    #[must_use]
    pub fn name(&self) -> &str {
        self.as_function().name()
    }

    /// Returns the context in which it is loaded.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        self.as_function().context()
    }

    /// Returns the driver's handle, which is valid while this kernel or a clone is alive.
    #[must_use]
    pub fn cu_function(&self) -> CUfunction {
        self.as_function().cu_function()
    }
}

impl Function {
    /// Returns the kernel with the arguments `A`, verified against the image and the driver's records.
    ///
    /// # Errors
    /// [`Error::Verify`] if `A` does not match.
    pub fn kernel<A: KernelArgs>(&self) -> Result<Kernel<A>, Error> {
        Ok(Kernel { typed: self.typed::<A>()? })
    }
}

impl Module {
    /// Returns the kernel `entry`, verified against `A`.
    ///
    /// `entry` is a symbol, or the unmangled name of a C++ kernel: of overloads and template instances, the one that
    /// matches `A`. A demangled name selects a specific kernel: `saxpy<float>`, `saxpy(int, float)`. A kernel of rustc
    /// has its path as a name: `sim::step`.
    ///
    /// You can call this at every launch: the module caches each kernel by struct and `entry`, but no error.
    /// [`lists`](crate::guide::lists#kernels-selected-by-name) has an example.
    ///
    /// # Errors
    /// [`Error::Load`] if the module has no kernel with this name, or several kernels match; [`Error::Verify`] if `A`
    /// does not match.
    #[inline]
    pub fn kernel<A: KernelArgs>(&self, entry: &str) -> Result<Kernel<A>, Error> {
        match self.cache.get_typed(entry) {
            Some(typed) => Ok(Kernel { typed }),
            None => self.find_kernel(entry),
        }
    }

    /// [`kernel`](Self::kernel) with the name in `#[kernel_args(ptx = "…", entry = "…")]`. It is verified against this
    /// module, not against the image that the struct was compared with when it was compiled. A struct without a kernel
    /// does not compile here.
    ///
    /// # Errors
    /// The errors of [`kernel`](Self::kernel).
    #[inline]
    pub fn get<A: NamesKernel>(&self) -> Result<Kernel<A>, Error> {
        self.kernel(const { Source::of::<A>() }.entry)
    }

    #[cold]
    fn find_kernel<A: KernelArgs>(&self, entry: &str) -> Result<Kernel<A>, Error> {
        Ok(Kernel::from_verified(&self.find_verified(entry, StructType::of::<A>())?))
    }

    pub(super) fn find_verified(&self, entry: &str, of: StructType) -> Result<Verified, Error> {
        let found = self.find(entry, |several| select(of.host(), entry, several))?.verified(of)?;
        Ok(self.cache.keep(entry, found).clone())
    }
}

impl<A: KernelArgs> Clone for Kernel<A> {
    fn clone(&self) -> Self {
        Self { typed: self.typed.clone() }
    }
}

debug!([A: KernelArgs] Kernel<A>, this => name: this.name(), arguments: A::NAME, verification: this.verification());

//! Loaded kernels without the type of their arguments.

mod callee;
mod contracts;
#[cfg(any(feature = "graphs", feature = "observe"))]
mod erased;
mod fitting;
mod from_cudarc;
mod hash;
mod info;
mod limits;
mod loaded;
pub(crate) mod verified;

pub(crate) use crate::memory::AppendList;
pub(crate) use callee::Callee;
#[cfg(feature = "graphs")]
pub(crate) use callee::function_name;
pub(crate) use contracts::check_contracts;
#[cfg(feature = "observe")]
pub(crate) use fitting::lengths;
pub(crate) use fitting::{Arguments, Fitting, Names, StructType, Typed, Verified};
use from_cudarc::check_description;
pub(crate) use hash::FastHasher;
pub use info::BlockSuggestion;
pub(crate) use limits::{exceeds, or_exchanged};
pub(crate) use loaded::LoadedFunction;
#[cfg(any(feature = "graphs", feature = "observe"))]
pub(crate) use {erased::ErasedArgs, fitting::AnyArguments};

#[cfg(feature = "graphs")]
use crate::memory::Addresses;
use crate::{
    driver::{
        api,
        context::make_current,
        error::{ContextError, Error, register_fields},
        image::Description,
        verify::{Host, Verification, verify},
    },
    marshal::{ArgumentType, ArgumentTypes, KernelArgs},
    memory::ContextName,
};
use core::{any::TypeId, fmt};
use cudarc::driver::{CudaContext, sys::CUfunction};
use kernel_args_abi::{Signature, param_layout::LIMIT, texts::LIST};
use std::sync::{Arc, OnceLock};

/// A loaded kernel without the type of its arguments, for programs that know the arguments only at run time.
///
/// [`kernel`](Self::kernel) converts it to a [`Kernel`](crate::Kernel), which is verified against a struct. `launch!`
/// also accepts it directly, with a struct or with a list, [`ArgList`](crate::ArgList). Each struct and each list of
/// types is verified at its first launch, also against the image; later launches reuse the result. Prefer `Kernel` if
/// the struct is known: it is verified when it is created, not at a launch.
///
/// Cloning it is cheap, and any thread can use it. The module stays loaded as long as a clone is alive.
///
/// ```no_run
/// use kernel_args::{ArgList, Module, launch};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// # let (ptx, stream) = ("", ctx.default_stream());
/// # let mut y = stream.alloc_zeros::<f32>(1024)?;
/// let fill = Module::load(&ctx, ptx)?.function("fill")?;
/// let mut args = ArgList::new();
/// args.push(1024_u32).push(&mut y);
/// // SAFETY: `y` has 1024 elements.
/// unsafe { launch!(fill, 4, 256, args)? };
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Function {
    inner: Arc<Inner>,
}

struct Inner {
    loaded: LoadedFunction,
    description: Option<Arc<Description>>,
    /// Why the image could not be read.
    unread: Option<Box<str>>,
    /// Set by the first call of [`Function::verification`].
    verification: OnceLock<Verification>,
    verified: AppendList<Fits>,
    /// Which of its parameters are addresses, if a launch has needed it.
    #[cfg(feature = "graphs")]
    addresses: OnceLock<Box<[Addresses]>>,
}

enum Fits {
    /// A struct, by its erased form.
    Struct(TypeId),
    /// A list, by its types.
    List(Box<[&'static ArgumentType]>),
}

impl Fits {
    fn is_list(&self, arguments: &ArgumentTypes) -> bool {
        let Self::List(types) = self else {
            return false;
        };
        types.len() == arguments.len()
            && types.iter().zip(arguments.iter()).all(|(verified, argument)| verified.is(argument))
    }
}

/// A function has one signature, so few structs and lists match it.
const MAX_VERIFIED: usize = 64;

impl Function {
    pub(crate) fn new(
        function: api::Function,
        name: String,
        context: &Arc<CudaContext>,
        description: Option<Arc<Description>>,
        unread: Option<&str>,
    ) -> Result<Self, Error> {
        let loaded = LoadedFunction::new(function, name, context, description.as_deref())?;
        Ok(Self {
            inner: Arc::new(Inner {
                loaded,
                description,
                unread: unread.map(Into::into),
                verification: OnceLock::new(),
                verified: AppendList::new(),
                #[cfg(feature = "graphs")]
                addresses: OnceLock::new(),
            }),
        })
    }

    #[cfg(feature = "record")]
    fn description(&self) -> Option<&Description> {
        self.inner.description.as_deref()
    }

    #[cfg(feature = "graphs")]
    fn addresses(&self) -> &[Addresses] {
        let Inner { addresses, description, .. } = &*self.inner;
        addresses.get_or_init(|| {
            let parameters = description.as_ref().map_or_else(Vec::new, |kernel| kernel.analysed());
            parameters.iter().map(Addresses::of).collect()
        })
    }

    #[cfg(feature = "graphs")]
    pub(crate) fn keeper(&self) -> api::LaunchKeeper {
        api::LaunchKeeper::Function(self.inner.clone())
    }

    #[inline(always)]
    pub(crate) fn loaded(&self) -> &LoadedFunction {
        &self.inner.loaded
    }

    /// Checks that the function is still loaded. A program can reset its context (`cudaDeviceReset`,
    /// `cuDevicePrimaryCtxReset`), which invalidates everything in the context.
    ///
    /// A launch does not check this. Until the context is created again, the driver rejects a launch, and the error
    /// explains why. Afterwards, the launch of an old function is undefined: call this method after a reset.
    ///
    /// # Errors
    /// [`Error::Context`] if the driver reports a reset of the context: it reports whether a primary context
    /// is active, and the context's id (driver 12.0 and newer).
    pub fn require_loaded(&self) -> Result<(), Error> {
        let LoadedFunction { api, function, name, context, .. } = &self.inner.loaded;
        if !function.is_over(api, context) {
            return Ok(());
        }
        Err(Error::Context(ContextError::Destroyed {
            kernel: Some(name.clone()),
            context: ContextName::of(context),
            call: None,
        }))
    }

    #[inline]
    pub(crate) fn fits<A: KernelArgs>(&self) -> Result<(), Error> {
        self.fits_struct(TypeId::of::<A::Erased>(), const { &Host::of::<A>() })
    }

    #[inline]
    fn fits_struct(&self, erased: TypeId, host: &Host<'static>) -> Result<(), Error> {
        if self.inner.verified.iter().any(|one| matches!(one, Fits::Struct(verified) if *verified == erased)) {
            return Ok(());
        }
        self.verify_struct(erased, *host)
    }

    #[cold]
    fn verify_struct(&self, erased: TypeId, host: Host<'static>) -> Result<(), Error> {
        self.verify(host, || Fits::Struct(erased))?;
        register_fields(self.name(), host.signature.parameters);
        Ok(())
    }

    fn fits_description(&self, of: StructType) -> Result<(), Error> {
        let Inner { loaded, description, .. } = &*self.inner;
        make_current(&loaded.context)?;
        if let Some(description) = description {
            check_description(description, loaded.handle(), &loaded.context)?;
        }
        self.keep_verified(Fits::Struct(of.erased()));
        register_fields(self.name(), of.host().signature.parameters);
        Ok(())
    }

    fn keep_verified(&self, fits: Fits) {
        if self.inner.verified.iter().count() < MAX_VERIFIED {
            self.inner.verified.push(fits, |_, _| false);
        }
    }

    #[inline]
    pub(crate) fn fits_list(&self, arguments: &ArgumentTypes) -> Result<(), Error> {
        if self.inner.verified.iter().any(|one| one.is_list(arguments)) {
            return Ok(());
        }
        self.verify_list(arguments)
    }

    #[cold]
    fn verify_list(&self, arguments: &ArgumentTypes) -> Result<(), Error> {
        let layout = arguments.layout();
        if layout.size() > LIMIT {
            return Err(self.inner.loaded.limit(
                format!("{} bytes of arguments", layout.size()),
                format!("a kernel takes at most {LIMIT}"),
                "pass a device pointer to the data instead",
            ));
        }
        arguments.with_parameters(|parameters| {
            let signature = Signature { name: LIST, parameters };
            self.verify(Host { signature, layout }, || Fits::List(arguments.iter().collect()))
        })
    }

    #[cold]
    fn verify(&self, host: Host<'_>, verified: impl FnOnce() -> Fits) -> Result<(), Error> {
        let Inner { loaded, description, .. } = &*self.inner;
        make_current(&loaded.context)?;
        let (handle, name, description) = (loaded.handle(), &loaded.name, description.as_deref());
        verify(host, handle, name, &loaded.context, description)?;
        self.keep_verified(verified());
        Ok(())
    }

    /// Returns the information that arguments are verified against.
    #[must_use]
    pub fn verification(&self) -> &Verification {
        let Inner { loaded, description, unread, verification, .. } = &*self.inner;
        verification.get_or_init(|| Verification::of(loaded.api, description.as_deref(), unread.as_deref()))
    }

    /// Returns the function itself if its arguments are verified.
    ///
    /// # Errors
    /// [`Error::Verify`] with the reason, if they cannot be verified.
    pub fn require_verified(self) -> Result<Self, Error> {
        self.verification().require(self.name())?;
        Ok(self)
    }

    /// Returns the kernel's symbol.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.loaded.name
    }

    /// Returns the context in which it is loaded.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.inner.loaded.context
    }

    /// Returns the driver's handle, which is valid while this function or a clone is alive.
    #[must_use]
    pub fn cu_function(&self) -> CUfunction {
        self.inner.loaded.handle().raw()
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Function")
            .field("name", &self.name())
            .field("verification", self.verification())
            .finish_non_exhaustive()
    }
}

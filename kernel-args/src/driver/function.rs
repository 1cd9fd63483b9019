//! A loaded kernel whose arguments' types are not known yet.

use super::{
    chain::Chain,
    context::{bind_function, current_device, restored_on_error, sm},
    error::{Error, Limit},
    image::{Description, Image, ImageBytes, describe},
    loaded_function::{LoadedBy, LoadedFunction, UNNAMED, function_name},
    verify::{Host, Verification, describes, verify},
};
use crate::marshal::{ArgumentType, ArgumentTypes, KernelArgs};
use core::{any::TypeId, fmt};
use cudarc::driver::{CudaContext, CudaFunction, sys::CUfunction};
use kernel_args_abi::{Signature, mangled, param_layout::LIMIT};
use std::{boxed::Box, format, string::String, sync::Arc, vec::Vec};

/// A loaded kernel without the type of its arguments: for programs that know them at run time only.
///
/// [`kernel`](Self::kernel) makes a [`Kernel`](crate::Kernel) of it, verified against a struct. `launch!` also takes it as it is,
/// with a struct or with a list, [`Arguments`](crate::Arguments): each struct and each list of types is verified at its first launch, against the
/// image as well, and then remembered. `Kernel` is preferable where the struct is known: it is verified when it is made, not at a
/// launch.
///
/// Cloning it is cheap, and it may be used from any thread. The module stays loaded as long as a clone is alive.
#[derive(Clone)]
pub struct Function {
    inner: Arc<Inner>,
}

struct Inner {
    loaded: LoadedFunction,
    description: Option<Arc<Description>>,
    verification: Verification,
    /// The structs and lists that were verified.
    verified: Chain<Verified>,
}

/// Arguments that fit a function.
enum Verified {
    /// A struct, by its erased form.
    Struct(TypeId),
    /// A list, by its types.
    List(Box<[&'static ArgumentType]>),
}

impl Verified {
    fn is_struct(&self, erased: TypeId) -> bool {
        matches!(self, Self::Struct(verified) if *verified == erased)
    }

    fn is_list(&self, arguments: &ArgumentTypes) -> bool {
        let Self::List(types) = self else {
            return false;
        };
        types.len() == arguments.len()
            && types
                .iter()
                .zip(arguments.iter())
                .all(|(verified, argument)| verified.is(argument))
    }
}

/// How many structs and lists a function remembers. A function has one signature, so there are few that fit it.
const REMEMBERED: usize = 64;

impl Function {
    /// # Safety
    /// `handle` is a function that `loaded_by` keeps loaded in `context`.
    pub(super) unsafe fn new(
        handle: CUfunction,
        name: String,
        context: &Arc<CudaContext>,
        description: Option<Arc<Description>>,
        unread: Option<&str>,
        loaded_by: LoadedBy,
    ) -> Result<Self, Error> {
        let verification = Verification::of(description.as_deref(), unread)?;
        let required_block = description
            .as_ref()
            .and_then(|kernel| kernel.required_block);
        // SAFETY: the caller's promise is the same one.
        let loaded =
            unsafe { LoadedFunction::new(handle, name, context, required_block, loaded_by) }?;
        Ok(Self {
            inner: Arc::new(Inner {
                loaded,
                description,
                verification,
                verified: Chain::new(),
            }),
        })
    }

    /// A function that cudarc loaded in `ctx` from `image`, so that arguments are verified against the image too.
    ///
    /// The function's name is looked up in the image, and every parameter's size and offset are compared with those that the driver
    /// reports (driver 12.4 and newer): another image is refused as far as that tells. Not noticed is an image with a kernel of the
    /// same name and the same sizes, but other types or other code.
    ///
    /// # Errors
    /// [`Error::Entry`] where the image has no kernel of the function's name, or the driver is older than 12.3 and does not tell the
    /// name while the image has several kernels: then use [`Module::from_cudarc`](crate::Module::from_cudarc).
    /// [`Error::Image`] where the image cannot be read, or is not the one that the function was loaded from;
    /// [`Error::ForeignFunction`] where cudarc loaded the function in another context.
    pub fn from_cudarc<'i>(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        image: impl Into<Image<'i>>,
    ) -> Result<Self, Error> {
        let image = ImageBytes::read(image.into())?;
        restored_on_error(|| {
            let name = bound_name(ctx, &function)?;
            let kernels = describe(&image.bytes, Some(sm(ctx)?)).map_err(Error::Image)?;
            let description = described(Some(&*name).filter(|name| *name != UNNAMED), kernels)?;
            let symbol = description.symbol.clone();
            let description = Some(Arc::new(description));
            // SAFETY: `bound_name` has found that the function is loaded in `ctx`, and has made that current.
            unsafe { Self::bound(ctx, function, &symbol, description, None) }
        })
    }

    /// A function that cudarc loaded in `ctx`, without its image: only what the driver reports is verified, sizes and offsets.
    pub(super) fn without_image(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
    ) -> Result<Self, Error> {
        let name = bound_name(ctx, &function)?;
        // SAFETY: as above.
        unsafe { Self::bound(ctx, function, &name, None, None) }
    }

    /// A function of cudarc with the description that is meant for it.
    pub(super) fn of_cudarc(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        symbol: &str,
        description: Option<Arc<Description>>,
        unread: Option<&str>,
    ) -> Result<Self, Error> {
        bound_name(ctx, &function)?;
        // SAFETY: as above.
        unsafe { Self::bound(ctx, function, symbol, description, unread) }
    }

    /// # Safety
    /// cudarc loaded `function` in `ctx`, which is current.
    unsafe fn bound(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        symbol: &str,
        description: Option<Arc<Description>>,
        unread: Option<&str>,
    ) -> Result<Self, Error> {
        let handle = function.cu_function();
        if let Some(description) = &description {
            // SAFETY: cudarc's function keeps its module loaded; the caller vouches for the context.
            unsafe { describes(description, handle, ctx) }?;
        }
        let loaded_by = LoadedBy::Cudarc(function);
        // SAFETY: cudarc's function, which is held, keeps its module loaded; the caller vouches for the context.
        unsafe { Self::new(handle, symbol.into(), ctx, description, unread, loaded_by) }
    }

    /// cudarc's function for the same kernel, if cudarc loaded the module: the same handle, and the same `__device__` variables.
    ///
    /// # Errors
    /// [`Error::NotCudarc`] where this crate loaded the module. cudarc has no function for a module that it did not load; a second
    /// module of the same image would have `__device__` variables of its own.
    pub fn to_cudarc(&self) -> Result<CudaFunction, Error> {
        self.inner
            .loaded
            .cudarc()
            .cloned()
            .ok_or_else(|| Error::NotCudarc {
                kernel: self.name().into(),
            })
    }

    #[inline(always)]
    pub(super) fn loaded(&self) -> &LoadedFunction {
        &self.inner.loaded
    }

    /// Verifies a struct, unless it was verified before.
    #[inline]
    pub(super) fn fits<A: KernelArgs>(&self) -> Result<(), Error> {
        let erased = TypeId::of::<A::Erased>();
        if self.inner.verified.iter().any(|one| one.is_struct(erased)) {
            return Ok(());
        }
        self.verify(const { Host::of::<A>() }, || Verified::Struct(erased))
    }

    /// Verifies a list, unless one of the same types was verified before.
    #[inline]
    pub(super) fn fits_list(&self, arguments: &ArgumentTypes) -> Result<(), Error> {
        if self.inner.verified.iter().any(|one| one.is_list(arguments)) {
            return Ok(());
        }
        self.verify_list(arguments)
    }

    #[cold]
    fn verify_list(&self, arguments: &ArgumentTypes) -> Result<(), Error> {
        let layout = arguments.layout();
        if layout.size() > LIMIT {
            return Err(Error::Limit(Box::new(Limit {
                kernel: self.name().into(),
                requested: format!("{} bytes of arguments", layout.size()),
                limit: format!("a kernel takes at most {LIMIT}"),
                help: "pass a device pointer to the data instead",
            })));
        }
        arguments.with_parameters(|parameters| {
            let signature = Signature {
                name: "Arguments",
                parameters,
            };
            self.verify(Host { signature, layout }, || {
                Verified::List(arguments.iter().collect())
            })
        })
    }

    #[cold]
    fn verify(&self, host: Host<'_>, verified: impl FnOnce() -> Verified) -> Result<(), Error> {
        let Inner {
            loaded,
            description,
            ..
        } = &*self.inner;
        loaded.context.bind_to_thread().map_err(Error::context)?;
        let (handle, name, description) = (loaded.handle(), &loaded.name, description.as_deref());
        // SAFETY: `loaded` keeps the function's module loaded, and its context is current.
        unsafe { verify(host, handle, name, &loaded.context, description) }?;
        if self.inner.verified.iter().count() < REMEMBERED {
            self.inner.verified.push(verified(), |_, _| false);
        }
        Ok(())
    }

    /// What arguments are verified against.
    #[must_use]
    pub fn verification(&self) -> &Verification {
        &self.inner.verification
    }

    /// The function itself, if its arguments are verified.
    ///
    /// # Errors
    /// [`Error::Unverified`] with the reason, if they cannot be.
    pub fn require_verified(self) -> Result<Self, Error> {
        self.inner.verification.require(self.name())?;
        Ok(self)
    }

    /// The kernel's symbol.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.loaded.name
    }

    /// The context in which it is loaded.
    #[must_use]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.inner.loaded.context
    }

    /// The driver's handle, valid while this or a clone of it is alive.
    #[must_use]
    pub fn cu_function(&self) -> CUfunction {
        self.inner.loaded.handle()
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

/// Makes the context of cudarc's function current, which must be `ctx`, and returns the function's name.
fn bound_name(ctx: &Arc<CudaContext>, function: &CudaFunction) -> Result<String, Error> {
    let loaded_in = bind_function(function)?;
    // SAFETY: cudarc's function keeps its module loaded.
    let name = unsafe { function_name(function.cu_function()) };
    if loaded_in == ctx.cu_ctx() {
        Ok(name)
    } else {
        Err(Error::ForeignFunction {
            kernel: name,
            loaded_on: current_device()?,
            given: ctx.cu_device(),
        })
    }
}

/// The description of the function that the driver calls `name`; the only one where it does not tell the name.
fn described(name: Option<&str>, mut kernels: Vec<Description>) -> Result<Description, Error> {
    let found = match kernels.as_slice() {
        [_] if name.is_none() => Some(0),
        _ => kernels
            .iter()
            .position(|kernel| Some(&*kernel.symbol) == name),
    };
    if let Some(index) = found {
        return Ok(kernels.swap_remove(index));
    }
    Err(Error::Entry {
        wanted: name.unwrap_or(UNNAMED).into(),
        problem: match name {
            Some(_) => "the image has no kernel of that name; the nearest are",
            None => {
                "this driver does not tell the name of a function, and the image has several kernels\n\
                 help: use `Module::from_cudarc` and name one of them"
            }
        },
        candidates: mangled::nearest(
            name.unwrap_or_default(),
            kernels.iter().map(|kernel| kernel.symbol.as_str()),
        )
        .into_iter()
        .map(String::from)
        .collect(),
    })
}

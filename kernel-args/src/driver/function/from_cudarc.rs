//! cudarc's functions with the image that they were loaded from.

use super::{
    Function,
    name::{UNNAMED, function_name},
};
use crate::{
    driver::{
        api::{self, FunctionHandle, api},
        context::{bind_function, named, restored_on_error, sm},
        error::{ContextError, ContextMismatch, Error, ImageError, LoadError},
        image::{Description, Image, ImageBytes, nearest},
        verify::records,
    },
    marshal::ContextName,
};
use cudarc::driver::{CudaContext, CudaFunction};
use kernel_args_abi::{Parameter, check};
use std::{
    boxed::Box,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

impl Function {
    /// A function that cudarc loaded in `ctx` from `image`, so that arguments are verified against the image too.
    ///
    /// The function's name is looked up in the image, and every parameter's size and offset are compared with those that the driver
    /// reports (driver 12.4 and newer): another image is refused as far as that tells. Not noticed is an image with a kernel of the
    /// same name and the same sizes, but other types or other code.
    ///
    /// # Errors
    /// [`Error::Load`] where the image has no kernel of the function's name, or the driver is older than 12.3 and does not tell the
    /// name while the image has several kernels: then use [`Module::from_cudarc`](crate::Module::from_cudarc).
    /// [`Error::Load`] where the image cannot be read, or is not the one that the function was loaded from;
    /// [`Error::Context`] where cudarc loaded the function in another context.
    pub fn from_cudarc<'i>(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        image: impl Into<Image<'i>>,
    ) -> Result<Self, Error> {
        let image = ImageBytes::read(image.into())?;
        restored_on_error(ctx, || {
            let name = bound_name(ctx, &function)?;
            let kernels = image
                .describe(sm(ctx)?)
                .map_err(|error| Error::Load(LoadError::Image(ImageError::Format(error))))?;
            let description = described(Some(&*name).filter(|name| *name != UNNAMED), kernels)?;
            let symbol = description.symbol.clone();
            let description = Some(Arc::new(description));
            Self::bound(ctx, function, &symbol, description, None)
        })
    }

    /// A function that cudarc loaded in `ctx`, without its image: only what the driver reports is verified, sizes and offsets.
    pub(crate) fn without_image(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
    ) -> Result<Self, Error> {
        let name = bound_name(ctx, &function)?;
        Self::bound(ctx, function, &name, None, None)
    }

    /// A function of cudarc with the description that is meant for it.
    pub(crate) fn of_cudarc(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        symbol: &str,
        description: Option<Arc<Description>>,
        unread: Option<&str>,
    ) -> Result<Self, Error> {
        bound_name(ctx, &function)?;
        Self::bound(ctx, function, symbol, description, unread)
    }

    /// A function that cudarc loaded in `ctx`, which is current.
    fn bound(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        symbol: &str,
        description: Option<Arc<Description>>,
        unread: Option<&str>,
    ) -> Result<Self, Error> {
        if let Some(description) = &description {
            describes(description, (&function).into(), ctx)?;
        }
        let function = api::Function::of_cudarc(api()?, ctx, function);
        Self::new(function, symbol.into(), ctx, description, unread)
    }

    /// cudarc's function for the same kernel, if cudarc loaded the module: the same handle, and the same `__device__` variables.
    ///
    /// # Errors
    /// [`Error::Load`] where this crate loaded the module. cudarc has no function for a module that it did not load; a second
    /// module of the same image would have `__device__` variables of its own.
    pub fn to_cudarc(&self) -> Result<CudaFunction, Error> {
        self.loaded().cudarc().cloned().ok_or_else(|| {
            Error::Load(LoadError::NotCudarc {
                kernel: self.name().into(),
            })
        })
    }
}

/// Makes the context of cudarc's function current, which must be `ctx`, and returns the function's name.
fn bound_name(ctx: &Arc<CudaContext>, function: &CudaFunction) -> Result<String, Error> {
    let loaded_in = bind_function(function)?;
    let name = function_name(function.into());
    if loaded_in == ctx.cu_ctx() {
        Ok(name)
    } else {
        Err(Error::Context(ContextError::ForeignFunction {
            kernel: name,
            contexts: Box::new(ContextMismatch::new(named(loaded_in), ContextName::of(ctx))),
        }))
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
    Err(Error::Load(LoadError::NotFound {
        wanted: name.unwrap_or(UNNAMED).into(),
        problem: match name {
            Some(_) => "the image has no kernel of that name; the nearest are",
            None => {
                "this driver does not tell the name of a function, and the image has several kernels\n\
                 help: use `Module::from_cudarc` and name one of them"
            }
        },
        candidates: nearest(name.unwrap_or_default(), &kernels)
            .into_iter()
            .map(String::from)
            .collect(),
    }))
}

/// Whether an image describes the function that the driver has, and whose context is current: the error says how they differ.
fn describes(
    description: &Description,
    function: FunctionHandle<'_>,
    context: &Arc<CudaContext>,
) -> Result<(), Error> {
    let Some(records) = records(function)? else {
        return Ok(());
    };
    let parameters = description.parameters();
    // PTX has no offsets: those of over-aligned parameters are compared where the GPU's rule is known.
    let size = records
        .last()
        .map_or(0, |last| last.offset.unwrap_or(0) + last.size);
    let base = sm(context)?.param_base(size);
    if check::fits(&parameters, &records, base) {
        return Ok(());
    }
    let sizes = |parameters: &[Parameter<'_>]| parameters.iter().map(|p| p.size).collect();
    Err(Error::Load(LoadError::Image(ImageError::OtherImage {
        kernel: description.symbol.to_string(),
        image: sizes(&parameters),
        function: sizes(&records),
    })))
}

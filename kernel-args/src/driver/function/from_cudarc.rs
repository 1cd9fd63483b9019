//! cudarc's functions, with the image from which they were loaded.

use super::{
    Function,
    callee::{UNNAMED, function_name},
};
use crate::{
    driver::{
        api::{self, FunctionHandle, api},
        context::{bind_function, named, restored_on_error, sm},
        error::{ContextError, ContextMismatch, Error, ImageError, LoadError},
        image::{Description, ImageBytes, IntoImage, nearest},
        verify::records,
    },
    memory::ContextName,
};
use cudarc::driver::{CudaContext, CudaFunction};
use kernel_args_abi::{Parameter, check};
use std::sync::Arc;

impl Function {
    /// Returns a function that cudarc loaded in `ctx` from `image`. Arguments are verified against the image and the
    /// driver's records.
    ///
    /// The image must contain a kernel with the function's name, and the size and offset of every parameter must match
    /// the driver's records (driver 12.4 and newer); otherwise the image is rejected. An image with a kernel of the
    /// same name and the same sizes, but different types or different code, is not detected.
    ///
    /// # Errors
    /// [`Error::Load`] if the image cannot be read, if it has no kernel with the function's name, or if the function
    /// was loaded from a different image; also if the image has several kernels and the driver is older than 12.3,
    /// which does not report the name: then use [`Module::from_cudarc`](crate::Module::from_cudarc). [`Error::Context`]
    /// if cudarc loaded the function in a different context.
    pub fn from_cudarc<'i>(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        image: impl IntoImage<'i>,
    ) -> Result<Self, Error> {
        let image = ImageBytes::read(image.into_image())?;
        restored_on_error(ctx, || {
            let name = bound_name(ctx, &function)?;
            let contents = image.contents_for(sm(ctx)?).map_err(|error| ImageError::Format(error).error())?;
            let description = find_description(Some(&*name).filter(|name| *name != UNNAMED), contents.kernels)?;
            let symbol = description.symbol.clone();
            Self::of_cudarc(ctx, function, Some(&symbol), Some(Arc::new(description)), None)
        })
    }

    /// Returns a function that cudarc loaded in `ctx`. Without a description, only the driver's records are verified,
    /// sizes and offsets. `symbol` is its name, if the caller knows it.
    pub(crate) fn of_cudarc(
        ctx: &Arc<CudaContext>,
        function: CudaFunction,
        symbol: Option<&str>,
        description: Option<Arc<Description>>,
        unread: Option<&str>,
    ) -> Result<Self, Error> {
        let name = bound_name(ctx, &function)?;
        if let Some(description) = &description {
            check_description(description, (&function).into(), ctx)?;
        }
        let function = api::Function::of_cudarc(api()?, ctx, function);
        Self::new(function, symbol.map_or(name, Into::into), ctx, description, unread)
    }

    /// cudarc's function for the same kernel, if cudarc loaded the module: the same handle, and the same `__device__`
    /// variables.
    ///
    /// # Errors
    /// [`Error::Load`] if this crate loaded the module. cudarc has no function for a module that it did not load,
    /// and a second module of the same image would have its own `__device__` variables.
    pub fn to_cudarc(&self) -> Result<CudaFunction, Error> {
        self.loaded()
            .function
            .cudarc()
            .cloned()
            .ok_or_else(|| Error::Load(LoadError::NotCudarc { kernel: self.name().into() }))
    }
}

/// Makes the context of a cudarc function current and returns the function's name. The context must be `ctx`.
fn bound_name(ctx: &Arc<CudaContext>, function: &CudaFunction) -> Result<String, Error> {
    let loaded_in = bind_function(function)?;
    let name = function_name(function.into());
    if loaded_in == ctx.cu_ctx() {
        Ok(name)
    } else {
        Err(Error::Context(ContextError::OtherContextFunction {
            kernel: name,
            contexts: Box::new(ContextMismatch::new(named(loaded_in), ContextName::of(ctx))),
        }))
    }
}

fn find_description(name: Option<&str>, mut kernels: Vec<Description>) -> Result<Description, Error> {
    let found = match kernels.as_slice() {
        [_] if name.is_none() => Some(0),
        _ => kernels.iter().position(|kernel| Some(&*kernel.symbol) == name),
    };
    if let Some(index) = found {
        return Ok(kernels.swap_remove(index));
    }
    let problem = match name {
        Some(_) => "the image has no kernel with this name; the nearest are",
        None => {
            "this driver does not report the name of a function, and the image has several kernels\n\
             help: use `Module::from_cudarc` and name one of them"
        }
    };
    let nearest = nearest(name.unwrap_or_default(), &kernels.iter().collect::<Vec<_>>());
    Err(LoadError::not_found(name.unwrap_or(UNNAMED), problem, nearest))
}

/// Checks that the description matches the driver's records of the function, whose context must be current.
pub(super) fn check_description(
    description: &Description,
    function: FunctionHandle<'_>,
    context: &Arc<CudaContext>,
) -> Result<(), Error> {
    let Some(records) = records(function)? else {
        return Ok(());
    };
    let parameters = description.parameters();
    // PTX has no offsets: the offsets of over-aligned parameters are compared if the GPU's rule is known.
    let size = records.last().map_or(0, |last| last.offset.unwrap_or(0) + last.size);
    let base = sm(context)?.param_base(size);
    if check::fits_records(&parameters, &records, base) {
        return Ok(());
    }
    let sizes = |parameters: &[Parameter<'_>]| parameters.iter().map(|p| p.size).collect();
    let (image, function) = (sizes(&parameters), sizes(&records));
    Err(ImageError::OtherImage { kernel: description.symbol.to_string(), image, function }.error())
}

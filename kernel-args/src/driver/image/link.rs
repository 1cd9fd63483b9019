use super::ImageBytes;
use crate::driver::{
    api::{CallError, DriverCall, DriverOptions, Linker, Module, NotLoaded, Status},
    config::JitOptions,
    context::make_current,
    error::{Error, ImageError, LoadError, LostContext, Near},
};
use cudarc::driver::CudaContext;
use std::{sync::Arc, time::Duration};

/// Loads an image; the logs are in `options` afterwards.
pub(crate) fn load(
    context: &Arc<CudaContext>,
    image: &ImageBytes,
    options: &mut DriverOptions,
) -> Result<Module, Error> {
    Module::load(context, &image.image, options).map_err(|error| match error {
        NotLoaded::NotCalled(error) => error.into(),
        NotLoaded::Refused(call) => with_log(CallError::Returned(call), options),
    })
}

pub(crate) struct Linked {
    pub(crate) cubin: ImageBytes,
    pub(crate) log: String,
    pub(crate) wall_time: Option<Duration>,
}

/// Links `images` to a cubin: `cuLinkCreate`, `cuLinkAddData`, `cuLinkComplete`.
pub(crate) fn link(context: &Arc<CudaContext>, images: &[ImageBytes], options: &JitOptions) -> Result<Linked, Error> {
    make_current(context)?;
    let options = Box::new(options.to_driver());
    let mut linker = Linker::new(options).map_err(|(error, options)| with_log(error, &options))?;
    for (i, image) in images.iter().enumerate() {
        let added = linker.add(&image.image, i);
        added.map_err(|error| with_log(error, linker.options()))?;
    }
    let mut cubin = linker.complete();
    // Driver 580.159.04 returns success for an undefined function if the process has loaded PTX of an unsupported
    // version before. The error log is right.
    if cubin.is_ok() && linker.options().error_log().lines().any(|line| line.starts_with("error")) {
        cubin = Err(CallError::Returned(DriverCall { call: "cuLinkComplete", status: Status::SUCCESS }));
    }
    let cubin = cubin.map_err(|error| with_log(error, linker.options()))?;
    let cubin = cubin.ok_or_else(|| ImageError::NotLinked.error())?;
    Ok(Linked {
        cubin: ImageBytes::cubin(cubin),
        log: linker.options().info_log(),
        wall_time: linker.options().wall_time(),
    })
}

/// Returns the error of a call that compiles or links, with the error log.
fn with_log(error: CallError, options: &DriverOptions) -> Error {
    match error {
        CallError::Returned(call) => {
            let lost = LostContext::new(call.status, Near::Nothing);
            Error::Load(LoadError::Rejected { call, log: options.error_log(), explanation: String::new(), lost })
        }
        CallError::Unavailable(unavailable) => unavailable.into(),
    }
}

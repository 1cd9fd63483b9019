//! Why an image does not load: what is found before the driver is asked, and what its errors mean.

use super::{
    api::Status, config::JitOptions, error::Error, image::ImageBytes,
    incompatible::IncompatibleImage, meaning::of_any_call, versions::machine,
};
use core::fmt::Write as _;
use cudarc::driver::CudaContext;
use kernel_args_abi::image::{Code, contents};
use std::{boxed::Box, string::String, sync::Arc, vec::Vec};

/// An error where the GPU and the driver can run nothing of one of the images, by documented rules. Where these leave it open, and
/// where the image does not tell what it is for, there is none: the driver decides.
pub(super) fn check(
    context: &Arc<CudaContext>,
    images: &[ImageBytes],
    options: &JitOptions,
) -> Result<(), Error> {
    // Code for another GPU is asked for.
    if options.has_target() {
        return Ok(());
    }
    let (gpu, driver) = machine(context)?;
    for image in images {
        let incompatible = IncompatibleImage::new(&code(image), gpu, Some(driver));
        if incompatible.is_certain() {
            return Err(Error::Incompatible(Box::new(incompatible)));
        }
    }
    Ok(())
}

/// What an image holds; nothing where it cannot be read.
fn code(image: &ImageBytes) -> Vec<Code> {
    contents(&image.bytes).unwrap_or_default()
}

/// The driver's error with its explanation: what it usually means, what the images hold, and what to do.
#[cold]
pub(super) fn explained(
    mut error: Error,
    context: &Arc<CudaContext>,
    images: &[ImageBytes],
    options: &JitOptions,
) -> Error {
    if let Error::Load {
        call, explanation, ..
    } = &mut error
    {
        // A `String` takes any text.
        let _ = explain(explanation, call.status, context, images, options);
    }
    error
}

fn explain(
    text: &mut String,
    status: Status,
    context: &Arc<CudaContext>,
    images: &[ImageBytes],
    options: &JitOptions,
) -> core::fmt::Result {
    let (meaning, facts) = meaning(status);
    if !meaning.is_empty() {
        write!(text, "\n  {meaning}")?;
    }
    match facts {
        Facts::None => {}
        Facts::Options => {
            let options = options.list();
            if !options.is_empty() {
                write!(text, "\n  options: {options}")?;
            }
        }
        Facts::Image => {
            // The error of the load is the one to return.
            let Ok((gpu, driver)) = machine(context) else {
                return Ok(());
            };
            write!(
                text,
                "\n  this GPU is {gpu}, the driver is for CUDA {driver}; the image has"
            )?;
            let contents: Vec<Code> = images.iter().flat_map(code).collect();
            let image = IncompatibleImage::new(&contents, gpu, Some(driver));
            image.list(text)?;
            image.help(text)?;
        }
    }
    Ok(())
}

/// What tells more of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Facts {
    None,
    /// The options that were given.
    Options,
    /// What the image holds, the GPU and the driver.
    Image,
}

/// What an error code usually means when loading or linking returns it: CUDA Driver API, `CUresult`.
fn meaning(status: Status) -> (&'static str, Facts) {
    if let Some(meaning) = of_any_call(status) {
        return (meaning, Facts::None);
    }
    match status.0 {
        1 => (
            "the driver does not take one of the options, or not with this value, or not together with another one",
            Facts::Options,
        ),
        2 => (
            "there is not enough memory on the GPU for the module's code and variables, or on the host for the compiler",
            Facts::None,
        ),
        200 => (
            "the driver cannot read the image: it is damaged, or of a format that is newer than the driver",
            Facts::Image,
        ),
        209 => (
            "the driver finds no code for this GPU in the image",
            Facts::Image,
        ),
        218 => (
            "the driver's compiler does not take the PTX: the log says where, if there is one",
            Facts::Image,
        ),
        221 => (
            "the driver's compiler is missing (libnvidia-ptxjitcompiler.so), which is a part of the driver\n\
             help: in a container, let the driver's libraries for `compute` be mounted (`NVIDIA_DRIVER_CAPABILITIES=compute,utility`); \
             or ship a cubin, which needs no compiler",
            Facts::Image,
        ),
        222 => ("the PTX is newer than the driver", Facts::Image),
        223 => (
            "the driver's compiler is turned off\n\
             help: unset `CUDA_DISABLE_JIT` and `CUDA_DISABLE_PTX_JIT`, or ship a cubin for this GPU",
            Facts::Image,
        ),
        225 => (
            "a kernel waits on the device for kernels that it launched (`cudaDeviceSynchronize`), which GPUs of compute capability 9.0 \
             and newer cannot do\n\
             help: launch what has to follow into the stream `cudaStreamTailLaunch`",
            Facts::None,
        ),
        300 => (
            "the driver does not take the image as a source",
            Facts::Image,
        ),
        302 | 303 => (
            "the image refers to a symbol that is nowhere: a device function or an `extern` variable of another file\n\
             help: link the images that have it: `Module::link`",
            Facts::None,
        ),
        801 => (
            "the driver or the GPU does not support what the image or an option asks for",
            Facts::Options,
        ),
        811 | 812 => (
            "kernels that launch kernels are not supported in this configuration (MPS), or are of different versions",
            Facts::None,
        ),
        _ => ("", Facts::None),
    }
}

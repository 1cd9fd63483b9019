//! Why an image does not load: checks before the driver is called, and what the driver's errors mean.

use super::ImageBytes;
use crate::driver::{
    api::Status,
    config::JitOptions,
    context::machine,
    error::{Asked, Error, IncompatibleImage, LoadError, Meaning, help, meaning},
};
use core::fmt::Write as _;
use cudarc::driver::CudaContext;
use kernel_args_image::Code;
use std::sync::Arc;

/// Returns an error if, by documented rules, the GPU and the driver cannot run any code of an image. If the rules do
/// not cover the case, or the image does not specify its target, returns no error: the driver decides.
pub(crate) fn check(context: &Arc<CudaContext>, images: &[ImageBytes], options: &JitOptions) -> Result<(), Error> {
    // The options specify a different GPU.
    if options.has_target() {
        return Ok(());
    }
    let (gpu, driver) = machine(context)?;
    for image in images {
        let incompatible = IncompatibleImage::new(&image.contents(), gpu, Some(driver));
        if incompatible.is_certain() {
            return Err(Error::Load(LoadError::Incompatible(Box::new(incompatible))));
        }
    }
    Ok(())
}

/// Returns the driver's error with its explanation: what it usually means, what the images contain, and what to do.
#[cold]
pub(crate) fn explained(
    mut error: Error,
    context: &Arc<CudaContext>,
    images: &[ImageBytes],
    options: &JitOptions,
) -> Error {
    if let Error::Load(LoadError::Rejected { call, log, explanation, lost: None }) = &mut error {
        let meaning = meaning_of(call.status, log);
        // Writing to a `String` cannot fail.
        let _ = explain(explanation, call.status, meaning, context, images, options);
    }
    error
}

fn meaning_of(status: Status, log: &str) -> Option<Meaning> {
    let (what, help) = if log.contains("too much global constant data") {
        (
            "the `__constant__` variables of the image have more than 64 KiB together",
            "put the largest into device memory: a slice as an argument of the kernels, or a `__device__` variable",
        )
    } else if log.contains("Unresolved extern") || log.contains("Undefined reference") {
        (
            "the image calls a device function, or uses a variable, that it only declares",
            "link the image that defines it: `Module::link`; or compile both sources as one",
        )
    } else {
        return meaning(status, Asked::Load);
    };
    Some(Meaning { what, help })
}

fn explain(
    text: &mut String,
    status: Status,
    meaning: Option<Meaning>,
    context: &Arc<CudaContext>,
    images: &[ImageBytes],
    options: &JitOptions,
) -> core::fmt::Result {
    if let Some(meaning) = meaning {
        write!(text, "\n  {}", meaning.what)?;
    }
    match status.0 {
        1 | 801 if !options.list().is_empty() => write!(text, "\n  options: {}", options.list())?,
        // What the image contains, the GPU and the driver explain these errors.
        200 | 209 | 218 | 221..=223 | 300 => {
            // The error of the load takes precedence.
            let Ok((gpu, driver)) = machine(context) else {
                return Ok(());
            };
            write!(text, "\n  this GPU is {gpu}, the driver is for CUDA {driver}")?;
            let contents: Vec<Code> = images.iter().flat_map(ImageBytes::contents).collect();
            text.push_str(if contents.is_empty() {
                "; what the image has cannot be listed"
            } else {
                "; the image has"
            });
            let image = IncompatibleImage::new(&contents, gpu, Some(driver));
            image.list(text)?;
            // If the image explains the error, its advice is more precise.
            let before = text.len();
            image.help(text)?;
            if text.len() > before {
                return Ok(());
            }
        }
        _ => {}
    }
    help(text, meaning.map_or("", |meaning| meaning.help))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// These are logs of real drivers.
    #[test]
    fn the_log_identifies_undefined_symbols() {
        let meaning = |log| meaning_of(Status(218), log).unwrap();
        for log in [
            "ptxas fatal   : Unresolved extern function 'missing'",
            "error   : Undefined reference to 'missing' in 'image'",
        ] {
            assert!(meaning(log).help.contains("Module::link"), "{log}");
        }
        let constants = meaning("ptxas error   : File uses too much global constant data (0x11170 bytes, 0x10000 max)");
        assert!(constants.what.contains("64 KiB"), "{constants:?}");
        let usual = meaning("ptxas fatal   : Ptx assembly aborted due to errors");
        assert!(usual.help.contains("compiler's log"), "{usual:?}");
    }
}

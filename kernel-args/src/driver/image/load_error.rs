//! Why an image does not load: what is found before the driver is asked, and what its errors mean.

use super::ImageBytes;
use crate::driver::{
    api::Status,
    config::JitOptions,
    context::machine,
    error::{Asked, Error, IncompatibleImage, LoadError, Meaning, meaning},
};
use core::fmt::Write as _;
use cudarc::driver::CudaContext;
use kernel_args_image::Code;
use std::{boxed::Box, string::String, sync::Arc, vec::Vec};

/// An error where the GPU and the driver can run nothing of one of the images, by documented rules. Where these leave it open, and
/// where the image does not tell what it is for, there is none: the driver decides.
pub(crate) fn check(
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
        let incompatible = IncompatibleImage::new(&image.contents(), gpu, Some(driver));
        if incompatible.is_certain() {
            return Err(Error::Load(LoadError::Incompatible(Box::new(incompatible))));
        }
    }
    Ok(())
}

/// The driver's error with its explanation: what it usually means, what the images hold, and what to do.
#[cold]
pub(crate) fn explained(
    mut error: Error,
    context: &Arc<CudaContext>,
    images: &[ImageBytes],
    options: &JitOptions,
) -> Error {
    if let Error::Load(LoadError::Rejected {
        call,
        log,
        explanation,
    }) = &mut error
    {
        let meaning = meaning_of(call.status, log);
        // A `String` takes any text.
        let _ = explain(explanation, call.status, meaning, context, images, options);
    }
    error
}

/// What an error of a load usually means; more precisely where the log of the driver's compiler or linker tells.
fn meaning_of(status: Status, log: &str) -> Option<Meaning> {
    const UNRESOLVED: Meaning = Meaning {
        what: "the image calls a device function, or uses a variable, that it only declares",
        help: "link the image that defines it: `Module::link`; or compile both sources as one",
    };
    let is_unresolved = ["Unresolved extern", "Undefined reference"]
        .iter()
        .any(|words| log.contains(words));
    if is_unresolved {
        Some(UNRESOLVED)
    } else {
        meaning(status, Asked::Load)
    }
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
    match facts(status) {
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
            let contents: Vec<Code> = images.iter().flat_map(ImageBytes::contents).collect();
            let image = IncompatibleImage::new(&contents, gpu, Some(driver));
            image.list(text)?;
            // Where the image explains the error, what it says to do is more precise.
            let before = text.len();
            image.help(text)?;
            if text.len() > before {
                return Ok(());
            }
        }
    }
    match meaning {
        Some(meaning) if !meaning.help.is_empty() => write!(text, "\nhelp: {}", meaning.help),
        _ => Ok(()),
    }
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

/// What tells more of an error code of a load.
const fn facts(status: Status) -> Facts {
    match status.0 {
        1 | 801 => Facts::Options,
        200 | 209 | 218 | 221..=223 | 300 => Facts::Image,
        _ => Facts::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts are those of drivers.
    #[test]
    fn the_log_tells_of_what_is_only_declared() {
        let meaning = |log| meaning_of(Status(218), log).unwrap();
        for log in [
            "ptxas fatal   : Unresolved extern function 'missing'",
            "error   : Undefined reference to 'missing' in 'image'",
        ] {
            assert!(meaning(log).help.contains("Module::link"), "{log}");
        }
        let usual = meaning("ptxas fatal   : Ptx assembly aborted due to errors");
        assert!(usual.help.contains("compiler's log"), "{usual:?}");
    }
}

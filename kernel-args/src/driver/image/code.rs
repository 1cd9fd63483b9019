//! The code of the kernels of an image, analysed when arguments are verified.

use super::debug_info::Name;
use crate::lock::lock;
use kernel_args_abi::{Body, Parameter, Sm};
use kernel_args_image::{Error, Image, Kernels, ParameterList};
use std::sync::{Arc, Mutex};

/// Analyses the code of a kernel. It is not called directly: see `readers`.
pub(super) type Analyse = dyn Fn(&str) -> Option<Analysed> + Send + Sync;

pub(super) struct Analysed {
    pub(super) parameters: ParameterList,
    /// The demangled name. The code can show that the parameters do not have the types in the symbol.
    pub(super) name: Option<Name>,
}

pub(super) fn analyser(
    images: Vec<Arc<Vec<u8>>>,
    sm: Sm,
    is_compared: bool,
    kernels: Kernels<'static>,
) -> Arc<Analyse> {
    let kernels = Mutex::new(kernels);
    Arc::new(move |symbol| {
        let mut kernels = lock(&kernels);
        // The image was read before, so an error is unlikely. Everything else is compared without the code too.
        read(&images, Image::read_again).ok()?.add_bodies(&mut kernels, |name| name == symbol).ok()?;
        let kernel = kernels.kernel(symbol, Some(sm))?;
        let mut parameters = kernel.parameters();
        if !is_compared {
            without_bodies(&mut parameters);
        }
        Some(Analysed { parameters: ParameterList::new(&parameters), name: kernel.demangled.as_ref().map(Name::of) })
    })
}

pub(super) fn without_bodies(parameters: &mut [Parameter<'_>]) {
    for parameter in parameters {
        parameter.body = Body::UNKNOWN;
    }
}

pub(super) fn read<'i>(
    images: &'i [Arc<Vec<u8>>],
    read: fn(&'i [u8]) -> Result<Image<'i>, Error>,
) -> Result<Image<'i>, Error> {
    let [first, more @ ..] = images else {
        return read(&[]);
    };
    let mut image = read(first)?;
    for more in more {
        image = image.with(read(more)?);
    }
    Ok(image)
}

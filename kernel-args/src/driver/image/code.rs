//! The code of the kernels of an image, analysed when arguments are verified.

use super::debug_info::Name;
use kernel_args_abi::{Body, Parameter, Sm};
use kernel_args_image::{Error, Image, Kernels, ParameterList};
use std::sync::{Arc, Mutex, PoisonError};

/// Analyses the code of a kernel.
///
/// A trait: see `readers`.
pub(super) trait Analyse: Send + Sync {
    fn analyse(&self, symbol: &str) -> Option<Analysed>;
}

pub(super) struct Analysed {
    pub(super) parameters: ParameterList,
    /// The demangled name. The code can show that the parameters do not have the types in the symbol.
    pub(super) name: Option<Name>,
}

pub(super) struct Code {
    images: Vec<Arc<Vec<u8>>>,
    sm: Sm,
    is_compared: bool,
    kernels: Mutex<Kernels<'static>>,
}

impl Code {
    pub(super) fn new(images: Vec<Arc<Vec<u8>>>, sm: Sm, is_compared: bool, kernels: Kernels<'static>) -> Self {
        Self { images, sm, is_compared, kernels: Mutex::new(kernels) }
    }

    fn add_bodies(&self, kernels: &mut Kernels<'_>, symbol: &str) -> Result<(), Error> {
        read(&self.images, Image::read_again)?.add_bodies(kernels, |name| name == symbol)
    }
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

impl Analyse for Code {
    fn analyse(&self, symbol: &str) -> Option<Analysed> {
        let mut kernels = self.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        // The image was read before, so an error is unlikely. Everything else is compared without the code too.
        self.add_bodies(&mut kernels, symbol).ok()?;
        let kernel = kernels.kernel(symbol, Some(self.sm))?;
        let mut parameters = kernel.parameters();
        if !self.is_compared {
            without_bodies(&mut parameters);
        }
        Some(Analysed { parameters: ParameterList::new(&parameters), name: kernel.demangled.as_ref().map(Name::of) })
    }
}

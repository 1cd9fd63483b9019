//! Finds the function of a module for the name of a kernel.

use super::{LoadedModule, Module};
use crate::driver::{
    api,
    context::{make_current, sm},
    error::{Error, LoadError},
    function::Function,
    image::{Description, candidates, distinct_names, nearest},
};
use cudarc::driver::{CudaFunction, CudaModule, sys::CUresult};
use std::{ffi::CString, sync::Arc};

/// The nearest names follow this text.
const NO_SUCH_KERNEL: &str = "the module has no kernel with this name; the nearest are";
/// A cubin of relocatable code loads, but has no kernels (driver 580).
const NOT_LINKED: &str = "the image has this kernel, but the module that the driver created from it does not: it is \
    relocatable code that is not linked\nhelp: load it with `Module::link`, together with the images that define the \
    symbols that it uses; or compile it without `-rdc=true`";
/// cudarc loaded the module, possibly from a different image.
const OF_ANOTHER_IMAGE: &str = "the image has this kernel, but the module does not\nhelp: pass the image from which the module \
    was loaded; if this is the image, it is relocatable code (`-rdc=true`): load it with `Module::link`";

/// Returns the function of a module of cudarc, or the error `no_entry`.
pub(super) fn cudarc_function(
    module: &Arc<CudaModule>,
    symbol: &str,
    no_entry: impl FnOnce() -> Error,
) -> Result<CudaFunction, Error> {
    module.load_function(symbol).map_err(|error| match error.0 {
        CUresult::CUDA_ERROR_NOT_FOUND => no_entry(),
        _ => Error::cudarc("cuModuleGetFunction", error),
    })
}

impl Module {
    /// Returns the kernel `entry` without the type of its arguments, for programs that know the arguments only at run
    /// time.
    ///
    /// `entry` is a symbol, the unmangled name of a C++ kernel with one overload and one instance, or a demangled name:
    /// `saxpy<float>`, `saxpy(int, float)`. A kernel of rustc has its path as a name: `sim::step`. You can call this at
    /// every launch, as [`kernel`](Self::kernel).
    ///
    /// # Errors
    /// [`Error::Load`] if the module has no kernel or several kernels with this name.
    pub fn function(&self, entry: &str) -> Result<Function, Error> {
        const SEVERAL: &str = "several kernels have this name; write the full name of one";
        if let Some(function) = self.cache.get(entry) {
            return Ok(function.clone());
        }
        let function =
            self.find(entry, |several| Err(LoadError::not_found(entry, SEVERAL, distinct_names(several))))?;
        Ok(self.cache.insert(entry, &function))
    }

    /// Returns the function with this name; of several, the one that `select` returns.
    pub(super) fn find<'m>(
        &'m self,
        entry: &str,
        select: impl FnOnce(&[&'m Arc<Description>]) -> Result<&'m Arc<Description>, Error>,
    ) -> Result<Function, Error> {
        let description = match self.named(entry)?.as_slice() {
            [] => None,
            [one] => Some(*one),
            several => Some(select(several)?),
        };
        self.load_function(entry, description)
    }

    /// Returns the kernels with this name. Empty if the images could not be read.
    pub(super) fn named(&self, entry: &str) -> Result<Vec<&Arc<Description>>, Error> {
        let expression = self.names.iter().find(|(name, _)| name == entry);
        let symbols = match expression {
            Some((_, symbol)) => [symbol.as_str()].into(),
            None => candidates(entry, self.kernels.iter().map(Arc::as_ref)),
        };
        let named: Vec<_> =
            symbols.iter().filter_map(|symbol| self.kernels.iter().find(|kernel| kernel.symbol == *symbol)).collect();
        if named.is_empty() && !self.kernels.is_empty() && self.unread.is_none() {
            return Err(self.no_entry(entry, NO_SUCH_KERNEL));
        }
        Ok(named)
    }

    /// Of a description, or with the symbol `entry`.
    fn load_function(&self, entry: &str, description: Option<&Arc<Description>>) -> Result<Function, Error> {
        let symbol = description.map_or(entry, |kernel| &kernel.symbol);
        if let Some(function) = self.cache.get(symbol) {
            return Ok(function.clone());
        }
        let name = CString::new(symbol).map_err(|_| self.no_entry(entry, "a name cannot contain NUL"))?;
        let no_entry = || match (description.map(Arc::as_ref), &self.loaded) {
            (None, _) => self.no_entry(entry, NO_SUCH_KERNEL),
            (Some(Description { elsewhere: Some((only_for, code)), .. }), _) => Error::Load(LoadError::OtherGpu {
                wanted: entry.into(),
                only_for: only_for.iter().map(|sm| sm.0).collect(),
                code: code.map(|sm| sm.0),
                gpu: sm(self.loaded.context()).map_or(0, |sm| sm.0),
            }),
            (Some(_), LoadedModule::Own(_)) => LoadError::not_found(entry, NOT_LINKED, Vec::new()),
            (Some(_), LoadedModule::Cudarc(..)) => LoadError::not_found(entry, OF_ANOTHER_IMAGE, Vec::new()),
        };
        let (description, unread) = (description.cloned(), self.unread.as_deref());
        let function = match &self.loaded {
            LoadedModule::Own(module) => {
                let function = api::Function::of_module(module, &name)?.ok_or_else(no_entry)?;
                Function::new(function, symbol.into(), module.context(), description, unread)
            }
            LoadedModule::Cudarc(context, module) => {
                make_current(context)?;
                let function = cudarc_function(module, symbol, no_entry)?;
                Function::of_cudarc(context, function, Some(symbol), description, unread)
            }
        }?;
        #[cfg(feature = "observe")]
        if let Some(name) = &self.image_name {
            function.loaded().module.get_or_init(|| name.clone());
        }
        #[cfg(feature = "record")]
        if let Some(image) = &self.image {
            function.loaded().image.get_or_init(|| image.clone());
        }
        Ok(self.cache.insert(symbol, &function))
    }

    #[cold]
    fn no_entry(&self, entry: &str, problem: &'static str) -> Error {
        let expressions = self.names.iter().map(|(expression, _)| expression.as_str());
        let nearest = nearest(entry, &self.kernels.iter().map(Arc::as_ref).collect::<Vec<_>>());
        LoadError::not_found(entry, problem, expressions.map(String::from).chain(nearest).collect())
    }
}

//! Global variables of a module: `__device__`, `__constant__` and `__managed__`.

use super::{
    LoadedModule, Module,
    global_type::{GlobalType, mismatch, require_fit},
};
use crate::{
    driver::{
        api::{GlobalMemory, NotCopied},
        error::{ContextError, Error, GlobalError, GlobalMismatch},
        image::VariableDescription,
        verify::Verification,
    },
    marshal::GlobalName,
    memory::ContextName,
};
use core::{any::type_name, marker::PhantomData};
use cudarc::driver::CudaStream;
use kernel_args_abi::{Alignment, Parameter};
use kernel_args_image::mangled::{candidates_by_name, nearest_by_name};
use std::{ffi::CString, sync::Arc};

pub use kernel_args_image::VariableSpace as GlobalSpace;

const NO_SUCH_VARIABLE: &str = "the module has no variable with this name; the nearest are";
const SEVERAL: &str = "several variables have this name; write the full name of one";
const NOT_IN_MODULE: &str = "the image has this variable, but the module does not: it is declared in another image (`-rdc=true`), or \
    the module was loaded from another image\nhelp: load it with `Module::link`, together with the image that defines it";

/// A global variable of a loaded module, with its Rust type: see [`Module::global`].
///
/// It holds the module, so the variable stays valid. Clones refer to the same variable.
///
/// [`globals`](crate::guide::globals#reading-and-writing) lists the order of each method, and what the caller of an
/// `unsafe` launch promises about variables that its kernel uses.
pub struct Global<T: ?Sized> {
    pub(super) memory: Arc<GlobalMemory>,
    pub(super) name: Arc<str>,
    space: Option<GlobalSpace>,
    verification: Verification,
    ty: PhantomData<fn(&T) -> &T>,
}

/// A global variable of an image: see [`Module::globals`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlobalInfo {
    /// The C++ name, such as `sim::dt`; the symbol if it is not mangled.
    pub name: String,
    /// The symbol.
    pub symbol: String,
    /// Its memory.
    pub space: GlobalSpace,
    /// The size in bytes.
    pub size: usize,
    /// The alignment in bytes; `None` if the image contains only a cubin.
    pub align: Option<usize>,
    /// The C++ type, from debug information.
    pub cpp: Option<String>,
}

impl Module {
    /// Returns the global variable `name` (`__device__`, `__constant__`, `__managed__`) as a `T`.
    ///
    /// `T` is compared with the variable: its size with the image and the driver, its alignment and class with PTX, its
    /// type and members with debug information. A slice `[T]` fits an array of any length. `name` is a symbol, a C++
    /// name (`dt`, `sim::dt`, `buffer<7>`), or a constant of [`kernels!`](crate::kernels): then `T` is also compared
    /// when the program is compiled.
    /// [`globals`](crate::guide::globals) has examples.
    ///
    /// # Errors
    /// [`Error::Global`] if the module has no variable or several variables with this name, or if `T` does not fit.
    #[expect(clippy::needless_pass_by_value, reason = "a constant of `kernels!` is a value")]
    pub fn global<T: GlobalType + ?Sized>(&self, name: impl GlobalName) -> Result<Global<T>, Error> {
        self.typed::<T, _>(&name)
    }

    fn typed<T: GlobalType + ?Sized, N: GlobalName>(&self, name: &N) -> Result<Global<T>, Error> {
        const { require_fit::<T, N>() };
        let name = name.name();
        let (global, description) = self.find_global(name)?;
        let mut value = description.and_then(VariableDescription::value);
        if let Some(variable) = &value
            && variable.size != global.memory.size()
        {
            return Err(Error::Global(GlobalError::OtherImage {
                variable: name.into(),
                image: variable.size,
                module: global.memory.size(),
            }));
        }
        let unknown = Parameter { name, ..Parameter::record(0, global.memory.size()) };
        let variable = value.get_or_insert(unknown);
        if let Some(text) = mismatch::<T>(variable) {
            return Err(Error::Global(GlobalError::Mismatch(Box::new(GlobalMismatch {
                variable: variable.name.into(),
                ty: type_name::<T>(),
                text,
            }))));
        }
        Ok(global.cast())
    }

    /// Returns the global variable `name` as bytes. Its type is not compared.
    ///
    /// # Errors
    /// [`Error::Global`] if the module has no variable or several variables with this name.
    pub fn global_bytes(&self, name: &str) -> Result<Global<[u8]>, Error> {
        let (global, _) = self.find_global(name)?;
        Ok(global)
    }

    /// Returns the global variables of the images, in the order of their symbols. Empty if the images could not be
    /// read.
    pub fn globals(&self) -> impl Iterator<Item = GlobalInfo> {
        self.variables.iter().filter_map(|variable| {
            let value = variable.value()?;
            Some(GlobalInfo {
                name: variable.spelled().into(),
                symbol: (*variable.symbol).into(),
                space: variable.space,
                size: value.size,
                align: value.align.map(Alignment::bytes),
                cpp: (!value.cpp.is_unknown()).then(|| value.cpp.to_string()),
            })
        })
    }

    fn find_global(&self, name: &str) -> Result<(Global<[u8]>, Option<&VariableDescription>), Error> {
        let names = self.variables.iter().map(|variable| (&*variable.symbol, variable.name()));
        let symbols = candidates_by_name(name, names);
        let (symbol, description) = match symbols.as_slice() {
            [] => (name, None),
            [one] => (*one, self.variable(one)),
            several => return Err(self.no_global(name, SEVERAL, several)),
        };
        let not_found = || {
            if description.is_some() {
                return self.no_global(name, NOT_IN_MODULE, &[]);
            }
            let names = self.variables.iter().map(|variable| (&*variable.symbol, variable.spelled()));
            self.no_global(name, NO_SUCH_VARIABLE, &nearest_by_name(name, names))
        };
        // No symbol contains a NUL.
        let memory = match (&self.loaded, CString::new(symbol)) {
            (_, Err(_)) => None,
            (LoadedModule::Own(module), Ok(symbol)) => GlobalMemory::of_module(module, &symbol)?,
            (LoadedModule::Cudarc(context, module), Ok(_)) => GlobalMemory::of_cudarc(context, module, symbol)?,
        };
        let global = Global {
            memory: Arc::new(memory.ok_or_else(not_found)?),
            name: description.map_or(name, VariableDescription::spelled).into(),
            space: description.map(|variable| variable.space),
            verification: Verification::of_global(description),
            ty: PhantomData,
        };
        Ok((global, description))
    }

    fn variable(&self, symbol: &str) -> Option<&VariableDescription> {
        self.variables.iter().find(|variable| variable.symbol == symbol)
    }

    #[cold]
    fn no_global(&self, wanted: &str, problem: &'static str, symbols: &[&str]) -> Error {
        let spelled = |symbol: &&str| self.variable(symbol).map_or(*symbol, VariableDescription::spelled).into();
        Error::Global(GlobalError::NotFound {
            wanted: wanted.into(),
            problem,
            candidates: symbols.iter().map(spelled).collect(),
            count: self.unread.is_none().then_some(self.variables.len()),
        })
    }
}

impl<T: ?Sized> Global<T> {
    pub(super) fn cast<U: ?Sized>(&self) -> Global<U> {
        Global {
            memory: self.memory.clone(),
            name: self.name.clone(),
            space: self.space,
            verification: self.verification.clone(),
            ty: PhantomData,
        }
    }

    /// Returns the C++ name of the variable.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the memory of the variable; `None` if the image could not be read.
    #[must_use]
    pub fn space(&self) -> Option<GlobalSpace> {
        self.space
    }

    /// Returns the size in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.memory.size()
    }

    /// Returns what the type was compared with; without debug information, only size, alignment and class.
    #[must_use]
    pub fn verification(&self) -> &Verification {
        &self.verification
    }

    #[cold]
    pub(super) fn not_copied(&self, error: NotCopied) -> Error {
        match error {
            NotCopied::Call(error) => error.into(),
            NotCopied::Over => Error::Context(ContextError::Destroyed {
                kernel: None,
                context: ContextName::of(self.memory.context()),
                call: None,
            }),
            NotCopied::Capturing => Error::Global(GlobalError::Capturing { variable: (*self.name).into() }),
        }
    }

    #[cold]
    pub(super) fn not_a_value(&self) -> Error {
        Error::Global(GlobalError::NotAValue { variable: (*self.name).into(), ty: type_name::<T>() })
    }

    pub(super) fn check_stream(&self, stream: &CudaStream) -> Result<(), Error> {
        ContextError::check_stream(self.memory.context(), stream.context())
    }

    pub(super) fn read_bytes(&self, offset: usize, length: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = vec![0; length];
        if length > 0 {
            self.memory.read(offset, &mut bytes).map_err(|error| self.not_copied(error))?;
        }
        Ok(bytes)
    }

    pub(super) fn write_bytes(&self, offset: usize, bytes: &[u8]) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.memory.write(offset, bytes).map_err(|error| self.not_copied(error))
    }

    pub(super) fn write_bytes_on(&self, stream: &CudaStream, offset: usize, bytes: Vec<u8>) -> Result<(), Error> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.check_stream(stream)?;
        self.memory.write_on(stream, offset, bytes).map_err(|error| self.not_copied(error))
    }
}

impl<T: ?Sized> Clone for Global<T> {
    fn clone(&self) -> Self {
        self.cast()
    }
}

debug!([T: ?Sized] Global<T>, this => name: this.name, space: this.space, size: this.size());

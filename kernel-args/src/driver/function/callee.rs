use super::{Function, LoadedFunction};
use crate::driver::{
    api::{Api, FunctionHandle, api},
    config::Launch,
    error::Error,
    query::allow,
};
#[cfg(feature = "graphs")]
use crate::{driver::api::LaunchKeeper, memory::Addresses};
use cudarc::driver::CudaFunction;

/// The function of a launch. Launches know the variant when they are compiled.
#[derive(Clone, Copy)]
pub(crate) enum Callee<'f> {
    Function(&'f Function),
    Cudarc(&'f CudaFunction),
    Raw(FunctionHandle<'f>),
}

impl<'f> Callee<'f> {
    #[inline(always)]
    pub(crate) fn handle(self) -> FunctionHandle<'f> {
        match self {
            Self::Function(function) => function.loaded().handle(),
            Self::Cudarc(function) => function.into(),
            Self::Raw(function) => function,
        }
    }

    /// Returns its limits; `None` for a function that this crate has not loaded.
    #[inline(always)]
    pub(crate) fn loaded(self) -> Option<&'f LoadedFunction> {
        match self {
            Self::Function(function) => Some(function.loaded()),
            _ => None,
        }
    }

    #[inline(always)]
    pub(crate) fn api(self) -> Result<&'static Api, Error> {
        match self.loaded() {
            Some(function) => Ok(function.api),
            None => Ok(api()?),
        }
    }

    /// Returns its name, for errors and events. With a call instead of inlined code, a launch takes three instructions
    /// more.
    #[inline(always)]
    pub(crate) fn name(self) -> String {
        match self.loaded() {
            Some(loaded) => loaded.name.clone(),
            None => function_name(self.handle()),
        }
    }

    #[cfg(feature = "graphs")]
    pub(crate) fn keeper(self) -> LaunchKeeper {
        match self {
            Self::Function(function) => function.keeper(),
            Self::Cudarc(function) => LaunchKeeper::Cudarc(function.clone()),
            Self::Raw(_) => LaunchKeeper::Caller,
        }
    }

    /// Returns which of its parameters are addresses; empty if nothing is known.
    #[cfg(feature = "graphs")]
    pub(crate) fn addresses(self) -> &'f [Addresses] {
        match self {
            Self::Function(function) => function.addresses(),
            Self::Cudarc(_) | Self::Raw(_) => &[],
        }
    }

    /// Checks a launch against its limits, and allows it the dynamic shared memory of the launch.
    #[inline(always)]
    pub(crate) fn check(self, launch: &Launch<'_>) -> Result<(), Error> {
        match self.loaded() {
            Some(loaded) => loaded.check(launch),
            None if launch.shared > 0 => allow(self.handle(), launch.shared, &|| self.name()).map(drop),
            None => Ok(()),
        }
    }
}

/// Replaces the name of a function if the driver does not report it.
pub(crate) const UNNAMED: &str = "(unnamed)";

/// Returns the function's symbol, for messages; drivers before 12.3 do not report it.
pub(crate) fn function_name(function: FunctionHandle<'_>) -> String {
    let name = api().ok().and_then(|api| api.function_name(function));
    name.unwrap_or_else(|| UNNAMED.into())
}

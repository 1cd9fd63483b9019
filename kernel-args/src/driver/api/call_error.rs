//! Why a driver call did not do what it is for.

use super::Status;
use core::fmt;
use cudarc::driver::DriverError;

/// A driver call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverCall {
    /// The entry point.
    pub call: &'static str,
    /// What it returned.
    pub status: Status,
}

impl fmt::Display for DriverCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} returned {}", self.call, self.status)
    }
}

impl std::error::Error for DriverCall {}

/// Why the driver cannot be called.
pub(crate) enum Unavailable {
    /// The driver's library was not found.
    Library,
    /// The library lacks this entry point.
    EntryPoint(&'static str),
}

/// Why a driver call did not do what it is for.
pub(crate) enum CallError {
    /// The driver was not called.
    Unavailable(Unavailable),
    /// The driver returned an error.
    Returned(DriverCall),
}

impl CallError {
    /// An error that cudarc returned from `call`.
    #[cold]
    pub(crate) fn cudarc(call: &'static str, error: DriverError) -> Self {
        Self::Returned(DriverCall {
            call,
            status: error.0.into(),
        })
    }

    /// An error that cudarc returned when it made a context current. It returns the error of an earlier call there that
    /// could not return it.
    #[cold]
    pub(crate) fn context(error: DriverError) -> Self {
        Self::cudarc(
            "cuCtxGetCurrent or cuCtxSetCurrent, or an earlier call in this context,",
            error,
        )
    }
}

impl From<Unavailable> for CallError {
    #[cold]
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}

impl Status {
    /// The error of a driver call, by the call's name.
    #[inline(always)]
    pub(crate) fn check(self, call: &'static str) -> Result<(), CallError> {
        if self == Self::SUCCESS {
            Ok(())
        } else {
            Err(CallError::Returned(DriverCall { call, status: self }))
        }
    }
}

/// What a call writes to the place that it is given.
#[inline]
pub(crate) fn out<T: Default>(
    call: impl FnOnce(&mut T) -> Result<(), CallError>,
) -> Result<T, CallError> {
    let mut place = T::default();
    call(&mut place)?;
    Ok(place)
}

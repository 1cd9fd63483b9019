//! Errors of driver calls.

use super::Status;
use core::fmt;
use cudarc::driver::DriverError;

/// A driver call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverCall {
    /// The entry point.
    pub call: &'static str,
    /// The status that it returned.
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

/// A driver call that did not succeed.
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
        Self::Returned(DriverCall { call, status: error.0.into() })
    }

    /// An error that cudarc returned when it made a context current. cudarc may report the pending error of an earlier
    /// call there.
    #[cold]
    pub(crate) fn context(error: DriverError) -> Self {
        Self::cudarc("cuCtxGetCurrent or cuCtxSetCurrent, or an earlier call in this context,", error)
    }
}

impl From<Unavailable> for CallError {
    #[cold]
    fn from(unavailable: Unavailable) -> Self {
        Self::Unavailable(unavailable)
    }
}

impl Status {
    /// The error of a driver call, with the name of the call.
    #[inline(always)]
    pub(crate) fn check(self, call: &'static str) -> Result<(), CallError> {
        if self == Self::SUCCESS { Ok(()) } else { Err(CallError::Returned(DriverCall { call, status: self })) }
    }
}

/// The value that a call writes through its pointer.
#[inline]
pub(crate) fn out<T: Default>(call: impl FnOnce(&mut T) -> Result<(), CallError>) -> Result<T, CallError> {
    let mut place = T::default();
    call(&mut place)?;
    Ok(place)
}

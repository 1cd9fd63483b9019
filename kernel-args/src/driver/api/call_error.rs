//! The status codes of driver calls, and errors.

use super::api;
use bytemuck::Zeroable;
use cudarc::driver::{DriverError, sys::CUresult};

/// A driver call that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriverCall {
    /// The entry point.
    pub call: &'static str,
    /// The status that it returned.
    pub status: Status,
}

display!(DriverCall, |this, f| write!(f, "{} returned {}", this.call, this.status));

impl std::error::Error for DriverCall {}

pub(crate) enum Unavailable {
    Library,
    EntryPoint(&'static str),
}

pub(crate) enum CallError {
    Unavailable(Unavailable),
    Returned(DriverCall),
}

impl CallError {
    #[cold]
    pub(crate) fn cudarc(call: &'static str, error: DriverError) -> Self {
        Self::Returned(DriverCall { call, status: error.0.into() })
    }

    /// The error can be the pending one of an earlier call.
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

/// Returns what a call writes.
#[inline]
pub(crate) fn out<T: Zeroable>(call: impl FnOnce(&mut T) -> Result<(), CallError>) -> Result<T, CallError> {
    let mut place = T::zeroed();
    call(&mut place)?;
    Ok(place)
}

/// The status of a driver call: a `CUresult` as a number, also of newer drivers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Status(pub u32);

impl Status {
    /// `CUDA_SUCCESS`.
    pub const SUCCESS: Self = Self(0);

    /// Returns the driver's name of the status, such as `CUDA_ERROR_INVALID_VALUE`; `None` if it has no name.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let mut name = None;
        api().ok()?.cuGetErrorName(self, &mut name).ok()?;
        // The driver owns the string and never frees it.
        name?.to_c_str().to_str().ok()
    }

    #[inline(always)]
    pub(crate) fn check(self, call: &'static str) -> Result<(), CallError> {
        if self == Self::SUCCESS { Ok(()) } else { Err(CallError::Returned(DriverCall { call, status: self })) }
    }

    /// Returns what the driver reports about the fault of a kernel, after the first line of the description: the test
    /// driver does.
    pub(crate) fn report(self) -> Option<&'static str> {
        let mut text = None;
        api().ok()?.cuGetErrorString(self, &mut text).ok()?;
        Some(text?.to_c_str().to_str().ok()?.split_once('\n')?.1)
    }
}

impl From<CUresult> for Status {
    fn from(result: CUresult) -> Self {
        Self(result as u32)
    }
}

impl PartialEq<CUresult> for Status {
    fn eq(&self, other: &CUresult) -> bool {
        self.0 == *other as u32
    }
}

display!(Status, |this, f| {
    match this.name() {
        Some(name) => write!(f, "{name} ({})", this.0),
        None => write!(f, "error {}", this.0),
    }
});

debug_as_display!(Status);

//! Status codes of driver calls.

use super::api;
use cudarc::driver::sys::CUresult;
use std::fmt;

/// The status of a driver call: a `CUresult` as a number, which can also hold codes of newer drivers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Status(pub u32);

impl Status {
    /// `CUDA_SUCCESS`.
    pub const SUCCESS: Self = Self(0);

    /// The driver's name of the status, such as `CUDA_ERROR_INVALID_VALUE`; `None` if the driver has no name for it.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let mut name = None;
        api().ok()?.cuGetErrorName(self, &mut name).ok()?;
        // The driver owns the string and never frees it.
        name?.to_c_str().to_str().ok()
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

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => write!(f, "{name} ({})", self.0),
            None => write!(f, "error {}", self.0),
        }
    }
}

impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

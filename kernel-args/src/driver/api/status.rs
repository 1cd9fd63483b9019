//! What a driver call returned.

use super::api;
use cudarc::driver::sys::CUresult;
use std::fmt;

/// What a driver call returned: a `CUresult` as a number, so that a code that a newer driver adds is a value too.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Status(pub u32);

impl Status {
    /// `CUDA_SUCCESS`.
    pub const SUCCESS: Self = Self(0);

    /// The driver's name for it, such as `CUDA_ERROR_INVALID_VALUE`; `None` where the driver has none.
    #[must_use]
    pub fn name(self) -> Option<&'static str> {
        let mut name = None;
        api().ok()?.cuGetErrorName(self, &mut name).ok()?;
        // The text is the driver's own, and never freed.
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

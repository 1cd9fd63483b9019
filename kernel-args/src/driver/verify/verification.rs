//! What arguments are verified against.

use crate::driver::{
    api::api,
    error::{Error, Unverified, VerifyError},
    image::{DebugInfo, Description},
};
use std::string::ToString;

/// What arguments are verified against.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verification {
    /// The arguments fit, as far as these describe the kernel.
    #[non_exhaustive]
    Verified {
        /// The driver reported size and offset of every parameter (`cuFuncGetParamInfo`, driver 12.4 and newer).
        driver: bool,
        /// The image described the parameters: PTX has class and alignment, a mangled name the C++ types.
        image: bool,
        /// Whether debug information told names, C++ types and members as well.
        debug_info: DebugInfo,
    },
    /// Neither was available: wrong arguments would not be noticed.
    Unverified(Unverified),
}

impl Verification {
    /// Whether arguments of `kernel` are verified.
    pub(crate) fn require(&self, kernel: &str) -> Result<(), Error> {
        match self {
            Self::Verified { .. } => Ok(()),
            Self::Unverified(reason) => Err(Error::Verify(VerifyError::Unverified {
                kernel: kernel.into(),
                reason: reason.clone(),
            })),
        }
    }
}

impl Verification {
    /// What is at hand for every verification of a function: the driver's records, where it is new enough, and the
    /// function's description, or why there is none.
    pub(crate) fn of(
        description: Option<&Description>,
        unread: Option<&str>,
    ) -> Result<Self, Error> {
        let (driver, image) = (api()?.cuFuncGetParamInfo.is_some(), description.is_some());
        Ok(if driver || image {
            Self::Verified {
                driver,
                image,
                debug_info: description
                    .map(|description| description.debug_info.clone())
                    .unwrap_or_default(),
            }
        } else {
            Self::Unverified(Unverified {
                image: unread.map(ToString::to_string),
            })
        })
    }
}

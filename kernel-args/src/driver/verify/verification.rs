//! The result of a verification.

use crate::driver::{
    api::api,
    error::Error,
    image::{DebugInfo, Description},
};
use std::{
    fmt,
    string::{String, ToString},
};

/// The result of a verification, and the information that was available for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verification {
    /// The arguments match, as far as this information shows.
    #[non_exhaustive]
    Verified {
        /// The driver reported size and offset of every parameter (`cuFuncGetParamInfo`, driver 12.4 and newer).
        driver: bool,
        /// The image contained the parameters: PTX has their class and alignment, a mangled name the C++ types.
        image: bool,
        /// Whether debug information with names, C++ types and members was available.
        debug_info: DebugInfo,
    },
    /// No information was available, so wrong arguments would not be detected.
    Unverified(Unverified),
}

/// Why a kernel could not be verified.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unverified {
    /// Why the image could not be read; `None` without an image.
    pub image: Option<String>,
}

impl Verification {
    /// Requires that the arguments of `kernel` are verified.
    pub(crate) fn require(&self, kernel: &str) -> Result<(), Error> {
        match self {
            Self::Verified { .. } => Ok(()),
            Self::Unverified(reason) => Err(Error::Unverified {
                kernel: kernel.into(),
                reason: reason.to_string(),
            }),
        }
    }
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "the driver is older than 12.4 and does not report a kernel's parameters, and ",
        )?;
        match &self.image {
            Some(problem) => write!(f, "the image could not be read: {problem}"),
            None => f.write_str(
                "there was no image to read\nhelp: load the kernel with `Kernel::from_image`, or pass the image of cudarc's module to \
                 `Module::from_cudarc`",
            ),
        }
    }
}

impl Verification {
    /// The information for every verification of a function: the driver's records, if the driver is new enough, and the
    /// kernel's description in the image, or the reason why it is missing.
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

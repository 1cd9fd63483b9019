use super::not_compared::{NotCompared, parts, parts_of_variable};
use crate::driver::{
    api::Api,
    error::{Error, Unverified, VerifyError},
    image::{DebugInfo, Description, VariableDescription},
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
        /// The parts of the parameters that debug information describes, but that cannot be compared: unions, bit
        /// fields, structs that are only declared. Everything else is compared, also behind pointers, except fields
        /// with `#[device_type(opaque)]` or `#[kernel_args(opaque)]`.
        not_compared: Vec<NotCompared>,
    },
    /// No information was available, so wrong arguments would not be detected.
    Unverified(Unverified),
}

impl Verification {
    pub(crate) fn require(&self, kernel: &str) -> Result<(), Error> {
        match self {
            Self::Verified { .. } => Ok(()),
            Self::Unverified(reason) => {
                Err(Error::Verify(VerifyError::Unverified { kernel: kernel.into(), reason: reason.clone() }))
            }
        }
    }

    /// Returns the information for the comparison of a global variable with its type. The driver reports its size.
    pub(crate) fn of_global(description: Option<&VariableDescription>) -> Self {
        let value = description.and_then(VariableDescription::value);
        let not_compared = value.map_or_else(Vec::new, |value| parts_of_variable(&value));
        Self::verified(true, description.map(|description| &description.debug_info), not_compared)
    }

    /// Returns the information for every verification of a function: the driver's records, if the driver is new enough,
    /// and the kernel's description in the image, or the reason why it is missing.
    pub(crate) fn of(api: &Api, description: Option<&Description>, unread: Option<&str>) -> Self {
        let driver = api.cuFuncGetParamInfo.is_some();
        if description.is_none() && !driver {
            return Self::Unverified(Unverified { image: unread.map(ToString::to_string) });
        }
        let not_compared = description.map_or_else(Vec::new, |description| parts(&description.parameters()));
        Self::verified(driver, description.map(|description| &description.debug_info), not_compared)
    }

    /// `image` is the debug information of a description in an image.
    fn verified(driver: bool, image: Option<&DebugInfo>, not_compared: Vec<NotCompared>) -> Self {
        Self::Verified { driver, image: image.is_some(), debug_info: image.cloned().unwrap_or_default(), not_compared }
    }
}

//! Launches that break a contract of their arguments.

use crate::contract::ContractError;
use core::fmt;

/// A launch that breaks a contract of its arguments, such as `#[kernel_args(len = "n")]`.
#[non_exhaustive]
pub struct BrokenContract {
    /// The kernel.
    pub kernel: String,
    /// The contract.
    pub contract: ContractError,
}

impl fmt::Display for BrokenContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kernel, contract } = self;
        write!(f, "kernel `{kernel}` was not launched: {contract}")
    }
}

//! Devices, contexts, green contexts, peer access, the names of errors, the end of the process.

pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod exit;
pub(crate) mod green;
pub(crate) mod peer;

//! Devices, contexts, green contexts, access to other devices; the end of the process, and CUPTI.

pub(crate) mod context;
pub(crate) mod device;
pub(crate) mod error;
pub(crate) mod exit;
pub(crate) mod green;
pub(crate) mod peer;

//! The location of a PTX text or cubin.

use kernel_args_abi::Sm;
use std::{fmt, sync::Arc};

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Place {
    pub(crate) unit: Unit,
    /// In bytes. For a member of a fat binary: the offset of its header.
    pub(crate) at: u64,
    pub(crate) kind: Kind,
    /// The GPU generation of a cubin, or the lowest one of PTX.
    pub(crate) sm: Option<Sm>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Unit {
    /// The number of the file in reading order.
    pub(crate) number: u32,
    pub(crate) file: Arc<str>,
    pub(crate) member: Option<Arc<str>>,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.member {
            Some(member) => write!(f, "{}({member})", self.file),
            None => f.write_str(&self.file),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    Ptx,
    Cubin,
}

impl Place {
    /// `sm_90`, `PTX sm_90`.
    pub(crate) fn gpu(&self) -> String {
        let sm = self.sm.map_or_else(|| "unknown GPU".to_owned(), |sm| sm.to_string());
        match self.kind {
            Kind::Ptx => format!("PTX {sm}"),
            Kind::Cubin => sm,
        }
    }
}

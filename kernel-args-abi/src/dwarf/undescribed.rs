//! In place of `described.rs` without the feature `generate`: a comparison needs the names of pointees and enums alone.

use super::{Error, members::Types, types::Type, units::Units};
use crate::signature::list::{Row, Rows};

/// A row.
pub(super) struct Linked {
    pub(super) row: Row,
}

/// Nothing.
#[derive(Default)]
pub(super) struct Pending {}

impl Linked {
    pub(super) const fn new(row: Row, _: &Type<'_>) -> Self {
        Self { row }
    }
}

#[expect(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "the signatures are those of `described.rs`"
)]
impl Pending {
    pub(super) const fn add(&mut self, _: &Units<'_>, _: Rows, _: &[Linked]) -> Result<(), Error> {
        Ok(())
    }
}

#[expect(
    clippy::unused_self,
    reason = "the signature is that of `described.rs`"
)]
impl Types<'_, '_> {
    pub(super) const fn describe(&mut self) {}
}

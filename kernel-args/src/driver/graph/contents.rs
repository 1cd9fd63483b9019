//! What a graph contains, as far as other graphs need to know.

use super::explain;
use crate::driver::{api::GraphId, error::Error};
use std::vec::Vec;

#[derive(Default)]
pub(super) struct Contents {
    /// The graphs around a body, outermost first.
    pub(super) around: Vec<GraphId>,
    /// A node that a body of a conditional node must not contain.
    pub(super) not_in_bodies: Option<&'static str>,
    /// The closure that fills a body has returned an error or panicked.
    pub(super) is_unfilled: bool,
}

impl Contents {
    pub(super) fn check_filled(&self, action: &'static str) -> Result<(), Error> {
        if self.is_unfilled {
            return Err(explain::unfilled_body(None, action));
        }
        Ok(())
    }
}

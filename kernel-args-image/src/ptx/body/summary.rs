//! What a function does with its parameters.

use super::{forms::SlotId, slot_use::SlotUse, value::Value};
use alloc::vec::Vec;

/// What a function does with its parameters.
pub(super) struct Summary {
    /// The number of slots before each parameter.
    pub(super) firsts: Vec<SlotId>,
    /// The slots that it uses.
    pub(super) slots: Vec<(SlotId, SlotUse)>,
    /// The index, the offset and the value of what it returns, in terms of its own slots. Without an offset: anywhere.
    pub(super) returns: Vec<(usize, Option<i32>, Value)>,
    /// The number of return values.
    pub(super) return_count: usize,
}

//! What is said of a comparison: every sentence and table of the crate.

mod hint;
mod layout_table;
mod message;
mod mismatch;
mod rust;
mod spelling;
mod table;

pub use layout_table::LayoutTable;
pub use message::Message;
pub use table::Table;

pub(crate) use mismatch::mismatch;

//! The texts of a comparison: every sentence and table of the crate.
//!
//! | to change | open |
//! |---|---|
//! | a sentence | its template in `templates.rs`; which one is selected: `hint.rs`, `repair.rs` |

/// A [`Message`] with one sentence of `templates`.
macro_rules! text {
    ($name:ident $(, $value:expr)*) => {{
        let mut text = $crate::message::Message::new();
        $crate::texts::templates::$name(&mut text, $($value),*);
        text
    }};
}

mod argument;
mod body;
#[doc(hidden)]
pub mod byte_map;
mod hint;
mod launcher;
mod layout_table;
mod members;
#[doc(hidden)]
pub mod part_names;
mod pointer;
mod rename;
mod repair;
mod report;
mod rust;
mod rust_type;
mod side;
mod spelling;
mod table;
#[doc(hidden)]
pub mod templates;
mod variable;

pub use crate::message::{Message, Text};
pub use argument::LIST;
#[doc(hidden)]
pub use launcher::result_message;
pub use layout_table::LayoutTable;
pub use members::member_path;
pub use report::{Bound, none_fits};
pub use rust::instantiated;
pub use table::Table;
pub use variable::variable_message;

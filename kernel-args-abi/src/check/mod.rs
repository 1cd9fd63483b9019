//! Whether a struct of arguments fits a kernel's parameters, and what to write where it does not.
//!
//! [`report`] finds all differences of two signatures. It is `const` and allocates nothing: the derive
//! runs it while the user's program compiles, the runtime when a kernel is loaded. Of each mistake it
//! gives a [`message`](Report::message), of all a [`table`](Report::table).
//!
//! ```
//! use kernel_args_abi::{Class, CppBase, CppType, Layout, Parameter, Signature};
//! use kernel_args_abi::check::{report, Report};
//!
//! const HOST: Signature = Signature {
//!     name: "Scale",
//!     parameters: &[Parameter::field(
//!         "alpha", "f64", 0, Layout::of::<f64>(), Class::Float, CppType::of(CppBase::Float { bits: 64 }),
//!     )],
//! };
//! const KERNEL: Signature = Signature { name: "scale", parameters: &[Parameter::record(0, 4)] };
//! const REPORT: Report = report(&HOST, &KERNEL);
//! assert!(REPORT.field_message(0).unwrap().as_str().contains("declare `alpha: f32`"));
//! ```

mod builtin;
mod compare;
mod cpp;
mod difference;
mod hint;
mod message;
mod mismatch;
mod name;
mod pair;
mod report;
mod rust;
mod say;
mod select;
mod spell;
mod table;
mod window;

pub use compare::compare;
pub use difference::{Difference, Differences};
pub use message::Message;
pub use mismatch::Mismatch;
pub use pair::{Pair, Pairs};
pub use report::{Report, fits, report, report_at};
pub use select::{Selection, select};
pub use table::Table;

pub(crate) use message::columns;
pub(crate) use spell::push_cpp;
pub(crate) use table::offset_after;

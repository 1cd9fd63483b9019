//! Whether a struct of arguments fits a kernel's parameters. This module produces data, not text.
//!
//! [`report`] finds all differences between two signatures. It is `const` and does not allocate: the derive runs it
//! while the user's program compiles, the runtime when a kernel is loaded. The texts are in [`texts`](crate::texts): a
//! [`message`](Report::message) for each mistake, and a [`table`](Report::table).
//!
//! ```
//! use kernel_args_abi::{Class, CppBase, CppType, Layout, Parameter, Signature, check::{Report, report}};
//!
//! const CPP: CppType = CppType::of(CppBase::Float { bits: 64 });
//! const ALPHA: Parameter = Parameter::field("alpha", "f64", 0, Layout::of::<f64>(), Class::Float, CPP);
//! const HOST: Signature = Signature { name: "Scale", parameters: &[ALPHA] };
//! const KERNEL: Signature = Signature { name: "scale", parameters: &[Parameter::record(0, 4)] };
//! const REPORT: Report = report(&HOST, &KERNEL);
//! assert!(REPORT.field_message(0).unwrap().as_str().contains("declare `alpha: f32`"));
//! ```
//!
//! | to change | open |
//! |---|---|
//! | a rule of the comparison | `compare.rs` (sizes, classes), `cpp.rs` (C++ types), `walk.rs` (members), `pointees.rs` (structs behind pointers), `variants.rs` (enums), `names.rs` (names) |
//! | what the code of a kernel contradicts, and what is only a remark | `body.rs`, and `texts/body.rs` |
//! | what to change, as data | `repair.rs`, `member_repair.rs`; the members that the message names: `namesakes.rs` |
//! | what `Verification` lists as not compared | `NotComparedReason` in `member_mismatch.rs` |

mod align;
mod body;
mod compare;
mod cpp;
mod cursor;
mod difference;
mod edit_distance;
mod lists;
mod member_mismatch;
mod member_repair;
mod mismatch;
pub(crate) mod names;
mod namesakes;
mod pairing;
mod pointees;
mod repair;
mod report;
mod select;
mod slots;
pub(crate) mod value;
pub(crate) mod variable;
mod variants;
mod walk;

pub use body::{Contradiction, contradiction, contradicts, is_untyped};
pub use compare::compare;
pub use difference::{Difference, Differences};
pub use member_mismatch::{MemberMismatch, NotCompared, NotComparedReason, Place};
pub use member_repair::MemberRepair;
pub use mismatch::Mismatch;
#[doc(hidden)]
pub use names::is_made;
pub use report::{Report, fits, fits_records, report, report_at};
pub use select::{Selection, nearest, select};
pub use variable::{compare_variable, not_compared_in_variable};
pub use variants::{VariantMismatch, first_variant};
#[doc(hidden)]
pub use walk::first_difference_of_any_size;
pub use walk::{first_difference, not_compared};

pub(crate) use align::Rows;
pub(crate) use body::{BodyMismatch, Exchange, first_in_struct};
pub(crate) use names::Elsewhere;
pub(crate) use pairing::Pairing;
pub(crate) use repair::{alignment_of, is_layout_of_cuda, is_own_struct, only_aligned};

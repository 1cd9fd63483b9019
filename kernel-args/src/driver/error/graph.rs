//! Errors of graphs.

use super::{LostContext, meaning::help};
use crate::driver::api::Status;
/// A graph, or a node of a graph, that was not created, changed or launched.
#[non_exhaustive]
pub struct GraphError {
    /// The kernel of the node; `None` for a node without a kernel, and for the whole graph.
    pub kernel: Option<String>,
    /// What was not done, as a sentence: "the node was not updated".
    pub action: &'static str,
    /// The reason, with the arguments if the driver rejected them.
    pub reason: String,
    /// What the driver returned; `None` if it was not called.
    pub status: Option<Status>,
    /// What to do; may be empty.
    pub help: &'static str,
    /// If a kernel left the error: what is known about it.
    pub lost: Option<Box<LostContext>>,
}

display!(GraphError, |this, f| {
    let kernel = this.kernel.as_ref().map(|kernel| format!("kernel `{kernel}`: ")).unwrap_or_default();
    let Self { action, reason, lost, .. } = this;
    if let Some(lost) = lost {
        return lost.write(f, format_args!("{kernel}{action}: {reason}"));
    }
    write!(f, "{kernel}{action}: {reason}")?;
    help(f, this.help)
});

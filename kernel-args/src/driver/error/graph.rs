//! Errors of graphs.

use super::meaning::help;
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
}

display!(GraphError, |this, f| {
    if let Some(kernel) = &this.kernel {
        write!(f, "kernel `{kernel}`: ")?;
    }
    write!(f, "{}: {}", this.action, this.reason)?;
    help(f, this.help)
});

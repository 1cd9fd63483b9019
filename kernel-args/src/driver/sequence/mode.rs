use std::{fmt, string::String};

/// How the last run of a [`Sequence`](super::Sequence) was enqueued.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunMode {
    /// The run had no launches.
    Empty,
    /// As a new graph: the first run, or a run with different kernels than the remembered graphs.
    Built,
    /// As the graph of an earlier run, after an update of this number of nodes; 0 if nothing changed.
    Updated(usize),
    /// As plain launches, in order.
    Plain(WhyPlain),
}

/// Why a run was enqueued as plain launches.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WhyPlain {
    /// A launch has this attribute, an option of [`launch!`](crate::launch!), which no node of a graph can have.
    Attribute(&'static str),
    /// The stream is being captured: a graph cannot be launched into a capture.
    Capturing,
    /// The driver did not create the graph, for this reason.
    Refused(String),
}

impl fmt::Display for WhyPlain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => {
                write!(f, "a node of a graph cannot have the launch attribute `{name}`")
            }
            Self::Capturing => f.write_str("the stream is being captured"),
            Self::Refused(reason) => write!(f, "the driver did not create the graph: {reason}"),
        }
    }
}

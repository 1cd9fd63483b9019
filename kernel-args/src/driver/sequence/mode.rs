//! How runs were enqueued, and why a run was plain launches.

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

/// Statistics of a sequence, to find out why its steps are slow. [`Sequence::counts`](super::Sequence::counts) returns
/// it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RunCounts {
    /// The graphs that are remembered now.
    pub graphs: usize,
    /// Runs without launches.
    pub empty: u64,
    /// Runs for which a graph was created: the slowest.
    pub built: u64,
    /// Runs that were equal to an earlier run.
    pub equal: u64,
    /// Runs for which nodes were updated.
    pub updated: u64,
    /// The nodes that were updated.
    pub updated_nodes: u64,
    /// Runs that were enqueued as plain launches.
    pub plain: u64,
    /// Calls of closures of external work.
    pub captures: u64,
    /// External work with other addresses than before, whose closure was not called.
    pub moved: u64,
    /// Graphs that were launched: one for each run, or for each segment of a run.
    pub segments: u64,
    /// Runs that were given up: dropped without [`Run::finish`](super::Run::finish), or after an error in the closure.
    pub given_up: u64,
}

impl RunMode {
    /// Sets the mode of a run whose segments before had this mode.
    pub(super) fn after(self, before: Option<Self>) -> Self {
        match (before, self) {
            (Some(Self::Plain(why)), _) | (_, Self::Plain(why)) => Self::Plain(why),
            (Some(Self::Built), _) | (_, Self::Built) => Self::Built,
            (Some(Self::Updated(first)), Self::Updated(nodes)) => Self::Updated(first + nodes),
            (_, mode) => mode,
        }
    }
}

impl RunCounts {
    pub(super) fn add(&mut self, mode: &RunMode) {
        match mode {
            RunMode::Empty => self.empty += 1,
            RunMode::Built => self.built += 1,
            RunMode::Updated(0) => self.equal += 1,
            RunMode::Updated(nodes) => {
                self.updated += 1;
                self.updated_nodes += *nodes as u64;
            }
            RunMode::Plain(_) => self.plain += 1,
        }
    }
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

display!(WhyPlain, |this, f| match this {
    Self::Attribute(name) => write!(f, "a node of a graph cannot have the launch attribute `{name}`"),
    Self::Capturing => f.write_str("the stream is being captured"),
    Self::Refused(reason) => write!(f, "the driver did not create the graph: {reason}"),
});

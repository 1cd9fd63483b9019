use super::{LaunchEvent, LauncherEvent};
#[cfg(feature = "graphs")]
use crate::memory::MemoryUse;
use cudarc::driver::{
    CudaContext, CudaStream,
    sys::{CUgraph, CUgraphExec},
};
use std::{path::Path, sync::Arc};

/// A call of the driver that an observer sees twice: before and after it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// A kernel is launched, captured, or recorded by a sequence.
    KernelLaunch(&'e LaunchEvent<'e>),
    /// A launcher is called, a function of the host that launches kernels, or its call is recorded by a sequence.
    LauncherCall(&'e LauncherEvent<'e>),
    /// A graph is launched.
    GraphLaunch(&'e GraphEvent<'e>),
    /// The recorded launches of a [`Sequence`](crate::sequence::Sequence) are enqueued.
    SequenceRun(&'e SequenceEvent<'e>),
    /// An image is loaded or linked.
    ModuleLoad(&'e LoadEvent<'e>),
    /// A source is compiled.
    Compilation(&'e CompileEvent<'e>),
}

impl<'e> Event<'e> {
    /// Returns what a launch of a kernel and a call of a launcher have in common.
    pub(super) fn call(&self) -> Option<&'e LauncherEvent<'e>> {
        match *self {
            Event::KernelLaunch(launch) => Some(&launch.call),
            Event::LauncherCall(call) => Some(call),
            _ => None,
        }
    }
}

/// A launch of a [`GraphExec`](crate::graph::GraphExec).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct GraphEvent<'e> {
    /// The driver's handle of the instantiated graph.
    pub exec: CUgraphExec,
    /// The driver's handle of the graph from which it was instantiated.
    pub graph: CUgraph,
    /// The stream.
    pub stream: &'e CudaStream,
}

/// One run of a [`Sequence`](crate::sequence::Sequence), or a segment of it. Its launches were events before, when they
/// were recorded.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SequenceEvent<'e> {
    /// The number of launches, memsets and copies.
    pub steps: usize,
    /// The stream.
    pub stream: &'e CudaStream,
    /// The graphs that the sequence remembers.
    pub graphs: usize,
    /// The memory of the sequence.
    #[cfg(feature = "graphs")]
    pub memory: MemoryUse,
    /// How often the sequence has captured external work.
    pub captures: u64,
}

/// An image that is loaded: [`Module::load`](crate::Module::load), or linked: [`Module::link`](crate::Module::link).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LoadEvent<'e> {
    /// The context.
    pub context: &'e Arc<CudaContext>,
    /// The file of the image, or the name of its source; `None` for an image from memory.
    pub name: Option<&'e str>,
    /// The images as the driver receives them: one, or several that are linked. PTX ends with NUL.
    pub images: &'e [&'e [u8]],
}

/// A source that is compiled with NVRTC: [`Module::compile`](crate::Module::compile).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CompileEvent<'e> {
    /// The name of the source.
    pub name: &'e str,
    /// The source.
    pub source: &'e str,
    /// The folder of the cache, if there is one.
    pub cache: Option<&'e Path>,
}

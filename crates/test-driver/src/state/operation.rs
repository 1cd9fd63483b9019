//! Operations of a stream: they run immediately, or become nodes of the graph that the stream captures.

use std::sync::Arc;

use crate::{
    entry::HostCall,
    error::{Outcome, Status},
    graphs::inside::Conditional,
    handle::Handle,
    launches::launch::{KernelCall, Via},
    memory::{Block, Kind, Place, region::Copy3D},
    state::Driver,
    streams::stream::Target,
};

/// One piece of work.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Nothing,
    Kernel(Box<KernelCall>),
    Copy {
        to: Place,
        from: Place,
        length: usize,
    },
    /// Rows, or memory of an array.
    Region(Box<Copy3D>),
    /// `height` rows of `width` patterns, `pitch` bytes apart.
    Fill {
        address: u64,
        pattern: Vec<u8>,
        width: usize,
        height: usize,
        pitch: usize,
    },
    Host(HostCall),
    RecordEvent(Handle),
    WaitForEvent(Handle),
    /// The node has the copy of the child graph.
    Child,
    /// The node has the bodies.
    Conditional(Conditional),
    Allocate {
        block: Arc<Block>,
    },
    Free {
        address: u64,
    },
}

impl Operation {
    /// Returns whether it allocates or frees memory of a graph.
    pub(crate) fn is_memory(&self) -> bool {
        matches!(self, Self::Allocate { .. } | Self::Free { .. })
    }
}

impl Driver {
    /// Submits `operation` to `stream`.
    ///
    /// # Errors
    /// The context's sticky error, an invalid stream, or an error of the capture or of the operation.
    pub(crate) fn submit(&mut self, stream: Handle, operation: Operation) -> Outcome {
        let target = self.stream_target(stream)?;
        self.check(target.context)?;
        if let Some(capture) = target.capture {
            return self.capture_operation(capture, target.stream, operation).map(drop);
        }
        if target.legacy {
            self.refuse_implicit_dependency(target.context)?;
        }
        self.execute(target, &operation, Via::Stream)
    }

    /// Runs `operation` now.
    pub(crate) fn execute(&mut self, target: Target, operation: &Operation, via: Via) -> Outcome {
        match operation {
            Operation::Kernel(call) => self.run_kernel(target, call, via),
            Operation::Copy { to, from, length } => self.memory.copy(*to, *from, *length),
            Operation::Region(copy) => self.copy_region(copy),
            Operation::Fill { address, pattern, width, height, pitch } => {
                let row = width.checked_mul(pattern.len()).ok_or(Status::INVALID_VALUE)?;
                if *height > 1 && *pitch < row {
                    return Err(Status::INVALID_VALUE);
                }
                // A row that is empty has no address.
                for at in 0..if row == 0 { 0 } else { *height } {
                    self.memory.set(address.wrapping_add(at.wrapping_mul(*pitch) as u64), pattern, *width)?;
                }
                Ok(())
            }
            Operation::Host(call) => {
                self.host_calls.push(*call);
                Ok(())
            }
            Operation::RecordEvent(event) => self.event_happens(*event),
            // All work has finished.
            Operation::WaitForEvent(event) => self.events.get(*event).map(drop),
            // An instantiated graph runs their nodes.
            Operation::Nothing | Operation::Child | Operation::Conditional(_) => Ok(()),
            Operation::Allocate { block } => self.memory.allocate_block(block),
            Operation::Free { address } => {
                self.memory.free(*address, &[Kind::Pooled, Kind::Device, Kind::Managed, Kind::Graph])
            }
        }
    }
}

//! The launches around a fault of a context, as the flight recorder has kept them.

use crate::{device::vector::Dim3, driver::api::Status};

/// Which launches had finished when a kernel left an error in its context, and which were running.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContextFault {
    /// The error of the context.
    pub status: Status,
    /// The number of launches in this context since the recorder was switched on.
    pub launches: u64,
    /// The launches that had not finished, and behind which no earlier launch of the same stream was waiting: one for
    /// each stream that was busy.
    pub running: Vec<RunningLaunch>,
    /// The number of launches that were waiting behind them, in the same streams.
    pub waiting: usize,
    /// The number of launches that were no longer kept, because more than the recorder keeps came after them. They are
    /// taken as finished.
    pub forgotten: u64,
}

/// A launch that had not finished when the fault came.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunningLaunch {
    /// Its number among the launches in this context, from 0.
    pub number: u64,
    /// The kernel's symbol; `a graph` or `a sequence` for all launches of one.
    pub kernel: String,
    /// The grid in blocks; `None` for a graph.
    pub grid: Option<Dim3>,
    /// The block in threads; `None` for a graph.
    pub block: Option<Dim3>,
    /// Dynamic shared memory of a block in bytes.
    pub shared: u32,
    /// The driver's handle of the stream, as a number.
    pub stream: usize,
    /// The arguments; empty for a graph.
    pub arguments: Vec<RecordedArgument>,
}

/// An argument of a launch that was recorded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordedArgument {
    /// The name of the field.
    pub name: String,
    /// The value as text.
    pub value: String,
    /// For a pointer: what it points to.
    pub points_to: Option<PointsTo>,
}

/// What a pointer argument points to. The driver was asked before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PointsTo {
    /// The null pointer.
    Null,
    /// An address in no allocation of device memory.
    Nothing,
    /// An allocation.
    #[non_exhaustive]
    Allocation {
        /// Its address.
        base: u64,
        /// Its size in bytes.
        size: u64,
        /// The distance of the pointer from its beginning.
        offset: u64,
    },
}

display!(ContextFault, |this, f| {
    let unfinished = this.running.len() + this.waiting;
    write!(
        f,
        "{}: {} of {} launches had finished",
        this.status,
        this.launches.saturating_sub(unfinished as u64),
        this.launches
    )?;
    if this.running.is_empty() {
        f.write_str(
            "; no recorded launch was running: the error is from other work, or from a launch that is no longer kept",
        )?;
    } else {
        f.write_str("; running when the fault came:")?;
    }
    for launch in &this.running {
        write!(f, "\n{launch}")?;
    }
    if this.waiting > 0 {
        write!(f, "\n  {} more launches were waiting in these streams", this.waiting)?;
    }
    Ok(())
});

display!(RunningLaunch, |this, f| {
    write!(f, "  launch {} on stream {:#x}: {}", this.number, this.stream, this.kernel)?;
    if let (Some(grid), Some(block)) = (this.grid, this.block) {
        write!(f, ", grid {grid}, block {block}, {} bytes of dynamic shared memory", this.shared)?;
    }
    for argument in &this.arguments {
        write!(f, "\n    {} = {}", argument.name, argument.value)?;
        match argument.points_to {
            None | Some(PointsTo::Null) => {}
            Some(PointsTo::Nothing) => f.write_str("  in no allocation")?,
            Some(PointsTo::Allocation { base, size, offset }) => {
                write!(f, "  at byte {offset} of the allocation {base:#x}, which has {size} bytes")?;
            }
        }
    }
    Ok(())
});

//! Launches that failed, or that were rejected before the driver was called.

#[cfg(feature = "observe")]
use super::BadPointer;
use super::{Error, FailedLauncher, LostContext, meaning::help};
use crate::{
    contract::ContractError,
    device::vector::Dim3,
    driver::api::{DriverCall, Status},
};
use core::panic::Location;
use std::borrow::Cow;

/// Why a launch failed.
#[non_exhaustive]
pub enum LaunchError {
    /// The driver returned an error from the launch.
    Failed(Box<FailedLaunch>),
    /// A launcher, a function of the host that launches kernels, returned an error.
    Launcher(Box<FailedLauncher>),
    /// The launch exceeds a limit of the device or the kernel. The driver was not called.
    Limit(Box<Limit>),
    /// The launch breaks a contract of its arguments, such as `#[kernel_args(len = "n")]`. The driver was not called.
    Contract(Box<BrokenContract>),
    /// An argument points to memory that the kernel cannot use. The driver was not called.
    #[cfg(feature = "observe")]
    Pointer(Box<BadPointer>),
    /// The driver or the GPU lacks a launch attribute. The driver was not called.
    UnsupportedAttribute(Box<UnsupportedAttribute>),
    /// The launch belongs to a sequence that does not hold the memory of an argument. Nothing was recorded.
    #[non_exhaustive]
    NotHeld {
        /// The kernel.
        kernel: String,
        /// The field, or the index of an argument of a list.
        field: Cow<'static, str>,
        /// The call of `hold` for the slice that the argument has replaced at its place.
        replaces: Option<&'static Location<'static>>,
    },
    /// The stream is being captured into a graph, and cannot wait for the last use of an argument.
    #[non_exhaustive]
    NotCaptured {
        /// The kernel.
        kernel: String,
        /// What the driver returned.
        status: Status,
        /// What this error means.
        meaning: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// The stream is being captured, and the graph would not keep memory that the launch borrows. The driver was not
    /// called.
    #[non_exhaustive]
    NotKept {
        /// What was launched: ``kernel `saxpy` ``, ``launcher `run` ``, `the run of a sequence`.
        launched: String,
        /// The field, or the index of an argument of a list; empty if it is not known.
        field: Cow<'static, str>,
    },
    /// A copy in a sequence has more elements than its destination. Nothing was recorded.
    #[non_exhaustive]
    TooShort {
        /// The number of elements of the source.
        from: usize,
        /// The number of elements of the destination.
        to: usize,
    },
    /// A pool would need more memory than its limit. Nothing was allocated.
    #[non_exhaustive]
    NoMemory {
        /// The bytes of the allocation, or of its block; `usize::MAX` if it has more than `isize::MAX`.
        requested: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The stream is being captured: the work would be part of the graph, and its result would not exist now. Nothing
    /// was enqueued.
    #[non_exhaustive]
    Capturing {
        /// What was requested: ``` `alloc_zeros` of a pool ```.
        what: &'static str,
    },
    /// A launch is not part of what its thread records: it is in the closure of a capture or a run of a sequence, or on
    /// the stream of a run that was begun. It would run before the recorded work. The driver was not called.
    /// [`graph::run_now`](crate::graph::run_now) allows it.
    #[non_exhaustive]
    Outside {
        /// What was launched: ``kernel `saxpy` ``, `the graph`, `the run of a sequence`.
        launched: String,
        /// What the closure belongs to.
        of: OutsideOf,
    },
    /// The run of a sequence cannot record now. Nothing was recorded.
    #[non_exhaustive]
    NotRecorded {
        /// What was not recorded: ``kernel `saxpy` ``, `memcpy_dtod`, `the run of a sequence`.
        what: String,
        /// Why.
        reason: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// A slice that a run of a sequence held was replaced by a different slice. Nothing was enqueued.
    #[non_exhaustive]
    Replaced {
        /// The call of `hold` for the slice.
        held_at: &'static Location<'static>,
    },
    /// The kernel was launched, but its use of the arguments' memory was not recorded: other streams do not wait for
    /// it.
    #[non_exhaustive]
    Unrecorded {
        /// The kernel.
        kernel: String,
        /// The call and what it returned.
        call: DriverCall,
        /// If it is the error of this or an earlier kernel: what is known about it.
        lost: Option<Box<LostContext>>,
    },
}

impl LaunchError {
    pub(super) fn lost_context(&self) -> Option<&LostContext> {
        match self {
            Self::Failed(launch) => launch.lost.as_deref(),
            Self::Launcher(launcher) => launcher.lost.as_deref(),
            Self::Unrecorded { lost, .. } => lost.as_deref(),
            _ => None,
        }
    }
}

/// What a launch is outside of, although it is in its closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutsideOf {
    /// A capture: `Graph::capture`.
    Capture,
    /// A run of a sequence: `Sequence::run`.
    Run,
    /// A run of a sequence on this stream, which the thread has begun: `Sequence::begin`.
    Recording,
}

/// A launch for which the driver returned an error.
#[non_exhaustive]
pub struct FailedLaunch {
    /// The kernel.
    pub kernel: String,
    /// What the driver returned.
    pub status: Status,
    /// The grid in blocks.
    pub grid: Dim3,
    /// The block in threads.
    pub block: Dim3,
    /// Dynamic shared memory per block in bytes.
    pub shared: u32,
    /// The launch attributes with their values and requirements; empty without attributes.
    pub attributes: String,
    /// Every argument, decoded, with its field's name.
    pub arguments: String,
    /// The resources of the kernel: registers, memory, threads per block; empty if the driver does not report them, as
    /// in a lost context.
    pub resources: String,
    /// The limit that the launch exceeds, if it exceeds one; otherwise what this error usually means for a launch.
    pub meaning: Cow<'static, str>,
    /// What to do; may be empty.
    pub help: &'static str,
    /// If an earlier kernel left the error: what is known about it.
    pub lost: Option<Box<LostContext>>,
}

/// A launch that exceeds a limit.
#[non_exhaustive]
pub struct Limit {
    /// The kernel.
    pub kernel: String,
    /// What was requested.
    pub requested: String,
    /// The limit.
    pub limit: String,
    /// What to do.
    pub help: &'static str,
}

impl Limit {
    #[cold]
    pub(crate) fn error(
        kernel: String,
        requested: impl Into<String>,
        limit: impl Into<String>,
        help: &'static str,
    ) -> Error {
        let (requested, limit) = (requested.into(), limit.into());
        Error::Launch(LaunchError::Limit(Box::new(Self { kernel, requested, limit, help })))
    }
}

/// A launch attribute that the driver or the GPU lacks.
#[non_exhaustive]
pub struct UnsupportedAttribute {
    /// The kernel.
    pub kernel: String,
    /// The option of `launch!`, which is the method of [`Launch`](crate::Launch).
    pub attribute: &'static str,
    /// The oldest driver, by its CUDA version, or the oldest GPU that supports the attribute.
    pub required: String,
    /// The driver or the GPU of this machine.
    pub found: String,
    /// What to do.
    pub help: &'static str,
}

display!(LaunchError, |this, f| match this {
    Self::Failed(launch) => launch.fmt(f),
    Self::Launcher(launcher) => launcher.fmt(f),
    Self::Limit(limit) => limit.fmt(f),
    Self::Contract(contract) => contract.fmt(f),
    #[cfg(feature = "observe")]
    Self::Pointer(pointer) => pointer.fmt(f),
    Self::UnsupportedAttribute(unsupported) => unsupported.fmt(f),
    Self::NotHeld { kernel, field, replaces } => {
        // A list has indices, and the field of a tuple struct has a number.
        let is_name = field.starts_with(|first: char| first.is_alphabetic() || first == '_');
        let slice = if is_name { field } else { "slice" };
        write!(f, "kernel `{kernel}` was not launched: ")?;
        if let Some(held_at) = replaces {
            return write!(
                f,
                "`{field}` is not the slice that was held at {held_at}, and the sequence does not hold its memory, which could be \
                         freed before the kernel runs\n\
                         help: hold both slices at the beginning of the closure, and exchange the values that `hold` returned: \
                         `mem::swap(&mut {slice}, &mut other)`"
            );
        }
        write!(
            f,
            "the sequence does not hold the memory of `{field}`, which could be freed before \
                     the kernel runs\n\
                     help: hold the slice at the beginning of the closure: `let mut {slice} = s.hold(&mut {slice})?;` if a kernel writes it, \
                     `let {slice} = s.hold(&{slice})?;` otherwise; without a closure, let the run own it: `run.keep({slice}.clone())?` with an `Arc`"
        )
    }
    Self::NotCaptured { kernel, status, meaning, help: what } => {
        write!(f, "kernel `{kernel}` was not captured: waiting for its arguments returned {status}\n  {meaning}")?;
        help(f, what)
    }
    Self::NotKept { launched, field } => {
        let memory = if field.is_empty() { "its arguments".into() } else { std::format!("`{field}`") };
        // Only a kernel can be a node with arguments.
        let with_node = if launched.starts_with("kernel ") {
            "write `node` after the arguments, which own their memory, for example in a `Retained`: `launch!(kernel, grid, block, args, node, \
             stream = &stream)`; or "
        } else {
            ""
        };
        write!(
            f,
            "{launched} was not captured: the graph does not keep the memory of {memory}, which could be freed \
                     before the graph runs\n\
                     help: {with_node}promise that the memory stays allocated: `unsafe {{ Graph::capture_unretained(&stream, || …) }}`"
        )
    }
    Self::TooShort { from, to } => write!(
        f,
        "`memcpy_dtod` was not recorded: the destination has {to} elements, and the source has {from}\n\
                 help: copy into a slice with at least {from} elements"
    ),
    Self::Outside { launched, of } => {
        let (around, own) = match of {
            OutsideOf::Capture => ("capture", "`stream = &stream`, with the stream that is being captured"),
            OutsideOf::Run => ("run of a sequence", "`stream = s`, with the parameter of the closure"),
            OutsideOf::Recording => {
                return write!(
                    f,
                    "{launched} was not launched: this thread records a run of a sequence on its stream, so it would run before the recorded \
                     launches\n\
                     help: write `stream = s`, where `s` is the run: `sequence::current(&stream)` returns it; if it has to run now, write \
                     `graph::run_now(|| …)` around it"
                );
            }
        };
        write!(
            f,
            "{launched} was not launched: it is in the closure of a {around}, but its stream is not, so it would run before the work \
                     of the closure\n\
                     help: write {own}; if it has to run now, move it before the closure, or write `graph::run_now(|| …)` around it"
        )
    }
    Self::NoMemory { requested: usize::MAX, .. } => write!(
        f,
        "the pool has no memory for an allocation of more than {} bytes, which no slice can have\n\
         help: check the number of elements",
        isize::MAX
    ),
    Self::NoMemory { requested, limit } => write!(
        f,
        "the pool has no memory for an allocation of {requested} bytes: its limit is {limit} bytes\n\
         help: drop slices that are no longer used, call `trim` between two runs, or set a larger limit"
    ),
    Self::Capturing { what } => write!(
        f,
        "{what} is not possible while the stream is being captured: it would be part of the graph, and run when the graph is launched\n\
         help: call it before or after the capture"
    ),
    Self::NotRecorded { what, reason, help } => write!(f, "{what} was not recorded: {reason}\nhelp: {help}"),
    Self::Replaced { held_at } => write!(
        f,
        "the run of the sequence was not enqueued: the slice that was held at {held_at} was replaced by another one\n\
                 help: hold both slices and exchange the values that `hold` returned, or replace the slice between two runs"
    ),
    Self::Unrecorded { call, lost: Some(lost), .. } => lost.write(f, format_args!("{call}")),
    Self::Unrecorded { kernel, call, lost: None } => write!(
        f,
        "kernel `{kernel}` was launched, but its use of the arguments was not recorded: {call}\n\
                 help: synchronize the stream before a different stream uses the same memory"
    ),
});

display!(FailedLaunch, |this, f| {
    let first = format!("launching kernel `{}` returned {}", this.kernel, this.status);
    let mut details =
        format!("  grid {}, block {}, {} bytes of dynamic shared memory", this.grid, this.block, this.shared);
    if !this.attributes.is_empty() {
        details = format!("{details}\n  attributes: {}", this.attributes);
    }
    if !this.resources.is_empty() {
        details = format!("{details}\n  the kernel uses {}", this.resources);
    }
    if !this.arguments.is_empty() {
        details = format!("{details}\n{}", this.arguments);
    }
    if let Some(lost) = &this.lost {
        return lost.write(f, format_args!("{first}\n{details}"));
    }
    write!(f, "{first}\n  {}\n{details}", this.meaning)?;
    help(f, this.help)
});

display!(Limit, |this, f| {
    let Self { kernel, requested, limit, help } = this;
    write!(f, "kernel `{kernel}` was not launched: requested {requested}, but {limit}\nhelp: {help}")
});

display!(UnsupportedAttribute, |this, f| {
    let Self { kernel, attribute, required, found, help } = this;
    write!(
        f,
        "kernel `{kernel}` was not launched: the launch attribute `{attribute}` needs {required}, and {found}\n\
             help: {help}"
    )
});

/// A launch that breaks a contract of its arguments, such as `#[kernel_args(len = "n")]`.
#[non_exhaustive]
pub struct BrokenContract {
    /// The kernel.
    pub kernel: String,
    /// The contract.
    pub contract: ContractError,
}

display!(BrokenContract, |this, f| {
    let Self { kernel, contract } = this;
    write!(f, "kernel `{kernel}` was not launched: {contract}")
});

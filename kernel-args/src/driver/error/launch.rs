//! Launches that failed, or that were rejected before the driver was called.

#[cfg(feature = "observe")]
use super::BadPointer;
use super::{Error, FailedLauncher, LostContext, meaning::help, source};
use crate::{
    contract::ContractError,
    device::vector::Dim3,
    driver::api::{DriverCall, Status},
};
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
    /// The kernel was launched, but its use of the arguments' memory was not recorded: other streams do not wait for
    /// it.
    #[non_exhaustive]
    UseNotRecorded {
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
            Self::UseNotRecorded { lost, .. } => lost.as_deref(),
            _ => None,
        }
    }
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
    Self::NotCaptured { kernel, status, meaning, help: what } => {
        write!(f, "kernel `{kernel}` was not captured: waiting for its arguments returned {status}\n  {meaning}")?;
        help(f, what)
    }
    Self::NotKept { launched, field } => {
        let memory = if field.is_empty() { "its arguments".into() } else { format!("`{field}`") };
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
    Self::UseNotRecorded { call, lost: Some(lost), .. } => lost.write(f, format_args!("{call}")),
    Self::UseNotRecorded { kernel, call, lost: None } => write!(
        f,
        "kernel `{kernel}` was launched, but its use of the arguments was not recorded: {call}\n\
                 help: synchronize the stream before a different stream uses the same memory"
    ),
    group => source(group, f),
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

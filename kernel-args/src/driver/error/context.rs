//! Errors about contexts: two contexts instead of one, and contexts that no longer exist.

use super::{Error, two_sides};
use crate::{driver::api::DriverCall, memory::ContextName};
use cudarc::driver::CudaContext;
use std::{borrow::Cow, fmt};

/// An error about contexts.
#[non_exhaustive]
pub enum ContextError {
    /// The context of an argument or of the stream is not the context of the kernel. Nothing was enqueued or launched.
    /// For a verified `Kernel` the driver was not called.
    #[non_exhaustive]
    OtherContextArgument {
        /// The kernel.
        kernel: String,
        /// The field, or the index of an argument in a list; `None` for the stream.
        field: Option<Cow<'static, str>>,
        /// The context of the launch, and the context of the argument or the stream.
        contexts: Box<ContextMismatch>,
    },
    /// The context of a function is not the context that was given with it.
    #[non_exhaustive]
    OtherContextFunction {
        /// The kernel.
        kernel: String,
        /// The context of the function, and the context that was given.
        contexts: Box<ContextMismatch>,
    },
    /// The context of a stream is not the context that was given with it.
    OtherContextStream(Box<ContextMismatch>),
    /// The context of a slice that a sequence should hold is not the context of its stream.
    OtherContextSlice(Box<ContextMismatch>),
    /// A context was reset or destroyed, with everything that was created in it.
    #[non_exhaustive]
    Destroyed {
        /// The kernel; `None` if no kernel was launched.
        kernel: Option<String>,
        /// The context.
        context: ContextName,
        /// The call and what it returned; `None` if the driver was not called.
        call: Option<DriverCall>,
    },
    /// [`with_current`](crate::context::with_current) could not restore the previous context.
    #[non_exhaustive]
    NotRestored {
        /// The previous context.
        before: ContextName,
    },
    /// The kernels of one context cannot access the memory of another context.
    #[non_exhaustive]
    NoPeerAccess {
        /// The context of the memory, and the context of the kernels.
        contexts: Box<ContextMismatch>,
    },
    /// The device does not exist.
    #[non_exhaustive]
    NoDevice {
        /// The number of the device that was requested.
        ordinal: usize,
        /// The number of devices.
        count: usize,
        /// The call and what it returned.
        call: DriverCall,
    },
    /// A green context was not created.
    Green(GreenError),
    /// A raw function was launched without a stream on a thread that has no current context.
    #[non_exhaustive]
    NoCurrent {
        /// The kernel.
        kernel: String,
    },
}

display!(ContextError, |this, f| match this {
    Self::OtherContextArgument { kernel, field: None, contexts } => other_context(
        f,
        format_args!(
            "kernel `{kernel}` was not launched: the stream belongs to another context (another device?) than the kernel"
        ),
        [("kernel", contexts.expected), ("stream", contexts.found)],
        "use a stream of the context in which the kernel is loaded, or load the kernel in the stream's context",
    ),
    Self::OtherContextArgument { kernel, field: Some(field), contexts } => other_context(
        f,
        format_args!(
            "kernel `{kernel}` was not launched: `{field}` belongs to another context (another device?) than the launch"
        ),
        [("launch", contexts.expected), (&format!("`{field}`"), contexts.found)],
        "allocate it on a stream of the launch's context, or launch a kernel that is loaded in the argument's context; \
                 memory of another GPU is passed as `peers.memory(&slice)` of a `PeerAccess`",
    ),
    Self::OtherContextFunction { kernel, contexts } => other_context(
        f,
        format_args!("kernel `{kernel}` was loaded in a different context than the given context"),
        [("kernel", contexts.expected), ("given", contexts.found)],
        "pass the context in which cudarc loaded the module",
    ),
    Self::OtherContextSlice(contexts) => other_context(
        f,
        "the slice belongs to a different context than the stream of the sequence",
        [("stream", contexts.expected), ("slice", contexts.found)],
        "hold slices of the context of the stream",
    ),
    Self::OtherContextStream(contexts) => other_context(
        f,
        "the stream belongs to a different context than the given context",
        [("stream", contexts.found), ("given", contexts.expected)],
        "pass the context in which the stream was created; the CUDA runtime creates streams in the current \
                 context, which is the context of the last launch, or after `cudaSetDevice` the primary context: \
                 `kernel_args::context(ordinal)`",
    ),
    Self::NoPeerAccess { contexts } => other_context(
        f,
        "the kernels of one context cannot access the memory of the second context",
        [("kernels", contexts.found), ("memory", contexts.expected)],
        "copy the memory instead; two GPUs access each other over NVLink or one PCIe root (`nvidia-smi topo \
                 -p2p r` shows which GPUs can), and two contexts of one GPU cannot",
    ),
    Self::Destroyed { kernel, context, call } => {
        if let Some(kernel) = kernel {
            write!(f, "kernel `{kernel}` is no longer loaded: ")?;
        }
        write!(f, "{context} was reset or destroyed")?;
        if let Some(call) = call {
            write!(f, " ({call})")?;
        }
        f.write_str(
                    "\nnote: `cudaDeviceReset` and `cuDevicePrimaryCtxReset` destroy everything that every part of the program has \
                     created on the device: modules, streams, events, memory\n\
                     help: drop everything that was created in the context, then call `kernel_args::context`, load and allocate \
                     again; or remove the reset: the driver frees everything when the process ends",
                )
    }
    Self::NotRestored { before } => write!(
        f,
        "{before} was current before, and could not be restored: contexts were destroyed in the closure, and the \
                 driver does not report whether it was one of them\n\
                 help: drop the last handle of a context outside of `with_current`, or create contexts with `create_context`"
    ),
    Self::NoDevice { ordinal, count, call } => {
        let (devices, help) = match count {
            1 => ("device", "write 0".into()),
            count => ("devices", format!("write a number from 0 to {}", count - 1)),
        };
        write!(
            f,
            "device {ordinal} of {count} does not exist ({call})\n  \
                     the driver reports {count} {devices}; devices count from 0, and `CUDA_VISIBLE_DEVICES` hides and renumbers them\n\
                     help: {help}"
        )
    }
    Self::Green(error) => error.fmt(f),
    Self::NoCurrent { kernel } => write!(
        f,
        "kernel `{kernel}` was not launched: no context is current on this thread\n\
                 help: name a stream, `stream = &stream`, or call `ctx.bind_to_thread()` before"
    ),
});

/// Why a green context was not created.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum GreenError {
    /// The context is not the primary context of its device.
    NotPrimary,
    /// The GPU has fewer multiprocessors, or 0 were requested.
    #[non_exhaustive]
    Count {
        /// The requested number of multiprocessors.
        requested: u32,
        /// The number of multiprocessors of the GPU.
        available: u32,
    },
    /// The driver cannot split off this number of multiprocessors.
    #[non_exhaustive]
    Split {
        /// The requested number of multiprocessors.
        requested: u32,
        /// The number of multiprocessors of the GPU.
        available: u32,
    },
}

display!(GreenError, |this, f| match this {
    Self::NotPrimary => f.write_str(
        "a green context is a part of the primary context of a device, and this context is not a primary context\n\
                 help: pass the context that `kernel_args::context` returns",
    ),
    Self::Count { requested, available } => write!(
        f,
        "requested a green context of {requested} multiprocessors, but this GPU has {available}\n\
                 help: write a number from 1 to {available}"
    ),
    Self::Split { requested, available } => write!(
        f,
        "the driver cannot split {requested} multiprocessors of the {available} of this GPU\n\
                 help: request fewer; the driver rounds up to the multiprocessors that the GPU keeps together"
    ),
});

/// Two different contexts in a place where both must be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContextMismatch {
    /// The expected context: the context of the launch or the function.
    pub expected: ContextName,
    /// The actual context: the context of the argument or the stream, or the context that the caller passed.
    pub found: ContextName,
}

impl ContextMismatch {
    pub(crate) const fn new(expected: ContextName, found: ContextName) -> Self {
        Self { expected, found }
    }
}

impl ContextError {
    pub(crate) fn check_stream(own: &CudaContext, stream: &CudaContext) -> Result<(), Error> {
        if own.cu_ctx() == stream.cu_ctx() {
            return Ok(());
        }
        let contexts = ContextMismatch::new(ContextName::of(own), ContextName::of(stream));
        Err(Error::Context(Self::OtherContextStream(Box::new(contexts))))
    }
}

fn other_context(
    f: &mut fmt::Formatter<'_>,
    problem: impl fmt::Display,
    contexts: [(&str, ContextName); 2],
    help: &str,
) -> fmt::Result {
    write!(f, "{problem}")?;
    two_sides(f, contexts)?;
    write!(f, "\nhelp: {help}")
}

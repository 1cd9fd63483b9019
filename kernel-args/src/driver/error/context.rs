//! Errors about contexts: two contexts instead of one, and contexts that no longer exist.

use crate::marshal::ContextName;
use std::{fmt, format, string::String};

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

    /// An argument (by its field) or the stream belongs to a different context than the launch.
    pub(crate) fn write_foreign(
        &self,
        f: &mut fmt::Formatter<'_>,
        kernel: &str,
        field: Option<&str>,
    ) -> fmt::Result {
        let Self { expected, found } = self;
        write!(f, "kernel `{kernel}` was not launched: ")?;
        let Some(field) = field else {
            return write!(
                f,
                "the stream belongs to another context (another device?) than the kernel\n  \
                 kernel  {expected}\n  stream  {found}\n\
                 help: use a stream of the context in which the kernel is loaded, or load the kernel in the stream's context"
            );
        };
        let (field, launch): (String, _) = (format!("`{field}`"), "launch");
        let width = field.chars().count().max(launch.len());
        write!(
            f,
            "{field} belongs to another context (another device?) than the launch\n  \
             {launch:width$}  {expected}\n  {field:width$}  {found}\n\
             help: allocate it on a stream of the launch's context, or launch a kernel that is loaded in the argument's context; \
             memory of another GPU is passed as `peers.memory(&slice)` of a `PeerAccess`"
        )
    }

    /// A function belongs to a different context than the one that the caller passed.
    pub(crate) fn write_function(&self, f: &mut fmt::Formatter<'_>, kernel: &str) -> fmt::Result {
        let Self { expected, found } = self;
        write!(
            f,
            "kernel `{kernel}` was loaded in another context than the one that was given\n  \
             kernel  {expected}\n  given   {found}\n\
             help: pass the context in which cudarc loaded the module"
        )
    }

    /// A stream belongs to a different context than the one that the caller passed.
    pub(crate) fn write_stream(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, found } = self;
        write!(
            f,
            "the stream belongs to another context than the one that was given\n  \
             stream  {found}\n  given   {expected}\n\
             help: pass the context in which the stream was created; the CUDA runtime creates streams in the current context, \
             which is the context of the last launch, or after `cudaSetDevice` the primary context: \
             `kernel_args::context(ordinal)`"
        )
    }

    /// The kernels of one context have no access to the memory of the second context.
    pub(crate) fn write_no_access(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            expected: memory,
            found: kernels,
        } = self;
        write!(
            f,
            "the kernels of one context cannot access the memory of the other\n  \
             kernels  {kernels}\n  memory   {memory}\n\
             help: copy the memory instead; two GPUs access each other over NVLink or one PCIe root (`nvidia-smi topo -p2p r` \
             shows which can), and two contexts of one GPU cannot"
        )
    }
}

/// A context was reset or destroyed.
pub(crate) fn write_destroyed(
    f: &mut fmt::Formatter<'_>,
    kernel: Option<&str>,
    context: ContextName,
    call: Option<&impl fmt::Display>,
) -> fmt::Result {
    if let Some(kernel) = kernel {
        write!(f, "kernel `{kernel}` is no longer loaded: ")?;
    }
    write!(f, "{context} was reset or destroyed")?;
    if let Some(call) = call {
        write!(f, " ({call})")?;
    }
    f.write_str(
        "\nnote: `cudaDeviceReset` and `cuDevicePrimaryCtxReset` destroy everything that every part of the program has created on the device: modules, \
         streams, events, memory\n\
         help: drop everything that was created in the context, then call `kernel_args::context`, load and allocate again; or \
         remove the reset: the driver frees everything when the process ends",
    )
}

/// The context that was current before a closure could not be restored.
pub(crate) fn write_not_restored(f: &mut fmt::Formatter<'_>, before: ContextName) -> fmt::Result {
    write!(
        f,
        "{before} was current before, and could not be restored: contexts were destroyed in the closure, and the driver does not report whether it \
         was one of them\n\
         help: drop the last handle of a context outside of `with_current`, or create contexts with `create_context`"
    )
}

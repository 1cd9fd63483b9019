use super::Argument;
use crate::{
    device::vector::Dim3,
    driver::{
        api::{FunctionHandle, LaunchConfig, StreamHandle},
        config::{Attributes, Form},
        pointers::KernelCode,
    },
    marshal::Lengths,
    memory::ForEachValue,
};
use cudarc::driver::{
    CudaContext, CudaStream,
    sys::{CUfunction, CUstream},
};
use kernel_args_abi::Parameter;
use kernel_args_image::mangled::demangle;
use std::sync::Arc;

/// A launch of a kernel, with everything that user code has passed to it.
///
/// Names and arguments are decoded when they are asked for.
pub struct LaunchEvent<'e> {
    pub(crate) call: LauncherEvent<'e>,
    pub(crate) function: FunctionHandle<'e>,
    pub(crate) module: Option<&'e str>,
    /// The loaded image, if it was kept.
    #[cfg(feature = "record")]
    pub(crate) image: Option<Arc<Vec<u8>>>,
    pub(crate) config: &'e LaunchConfig<'e>,
    pub(crate) attributes: Option<Attributes<'e>>,
    pub(crate) form: Form,
}

/// A call of a launcher, a function of the host that launches kernels. They are not events.
///
/// Arguments are decoded when they are asked for.
pub struct LauncherEvent<'e> {
    pub(crate) name: &'e dyn Fn() -> String,
    /// The handle of `stream`, or of the default stream.
    pub(crate) handle: StreamHandle<'e>,
    pub(crate) stream: Option<&'e CudaStream>,
    pub(crate) context: Option<&'e Arc<CudaContext>>,
    pub(crate) is_recorded: bool,
    /// The code of the kernel, if pointers are checked and it is known.
    pub(crate) code: Option<&'e dyn KernelCode>,
    pub(crate) lengths: &'e Lengths,
    /// The parameters, if the arguments are a struct.
    pub(crate) parameters: Option<&'static [Parameter<'static>]>,
    pub(crate) values: &'e ForEachValue<'e>,
}

impl<'e> LaunchEvent<'e> {
    /// Returns the C++ name of the kernel with its parameters: `saxpy(int, float, float const*, float*)`. `None` if the
    /// symbol is not mangled.
    #[must_use]
    pub fn demangled(&self) -> Option<String> {
        demangle(&self.name())
    }

    /// Returns the file of the image that contains the kernel, or the name of the source that was compiled at run time.
    /// `None` for an image from memory, a module of cudarc, or a raw function.
    #[must_use]
    pub fn module(&self) -> Option<&'e str> {
        self.module
    }

    /// Returns the driver's handle of the function.
    #[must_use]
    pub fn cu_function(&self) -> CUfunction {
        self.function.raw()
    }

    /// Returns the number of blocks.
    #[must_use]
    pub fn grid(&self) -> Dim3 {
        Dim3::from(self.config.grid)
    }

    /// Returns the threads of a block.
    #[must_use]
    pub fn block(&self) -> Dim3 {
        Dim3::from(self.config.block)
    }

    /// Returns the dynamic shared memory of a block in bytes.
    #[must_use]
    pub fn shared_memory(&self) -> u32 {
        self.config.shared
    }

    /// Returns the form in which the parameters are passed.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns the launch attributes: the name of the method of [`Launch`](crate::Launch), and the value as text.
    #[must_use]
    pub fn attributes(&self) -> Vec<(&'static str, String)> {
        let mut all = Vec::new();
        let attributes = self.attributes.unwrap_or_default();
        attributes.for_each(&mut |attribute, _, value| all.push((attribute.name, value.to_string())));
        all
    }
}

macro_rules! call {
    ($ty:ident $(, $call:ident)?) => {
        impl<'e> $ty<'e> {
            /// Returns the kernel's symbol, or the name of the launcher. The driver reports the symbol of a raw
            /// function if it is 12.3 or newer.
            #[must_use]
            pub fn name(&self) -> String {
                (self$(.$call)?.name)()
            }

            /// Returns the stream. `None` for a launch without `stream = …` whose stream is the default stream of the
            /// current context.
            #[must_use]
            pub fn stream(&self) -> Option<&'e CudaStream> {
                self$(.$call)?.stream
            }

            /// Returns the driver's handle of the stream; null for a default stream.
            #[must_use]
            pub fn cu_stream(&self) -> CUstream {
                self$(.$call)?.handle.raw()
            }

            /// Returns the context; `None` if it is the current context, and no argument has a context.
            #[must_use]
            pub fn context(&self) -> Option<&'e Arc<CudaContext>> {
                self$(.$call)?.context
            }

            /// Returns whether a [`Sequence`](crate::sequence::Sequence) records the call, whose work is then enqueued
            /// with the run.
            #[must_use]
            pub fn is_recorded(&self) -> bool {
                self$(.$call)?.is_recorded
            }

            /// Calls `visit` with each argument, in order.
            pub fn for_each_argument(&self, mut visit: impl FnMut(Argument<'_>)) {
                let (call, mut index) = (&self$(.$call)?, 0);
                (call.values)(&mut |parameter, bytes| {
                    visit(Argument { parameter, bytes, elements: call.lengths.get(index) });
                    index += 1;
                });
            }

            /// Returns the arguments as text: `n = 1024, alpha = 2.0, x = 0x7f0000000000 [1024]`.
            #[must_use]
            pub fn arguments(&self) -> String {
                let mut texts = Vec::new();
                self.for_each_argument(|argument| texts.push(argument.to_string()));
                texts.join(", ")
            }

            /// Returns the number of bytes of all parameters, without the gaps between them.
            #[must_use]
            pub fn parameter_bytes(&self) -> usize {
                let mut sum = 0;
                (self$(.$call)?.values)(&mut |_, bytes| sum += bytes.len());
                sum
            }
        }
    };
}

call!(LaunchEvent, call);
call!(LauncherEvent);

debug!(LaunchEvent<'_>, this => name: this.name(), grid: this.grid(), block: this.block(), arguments: this.arguments());
debug!(LauncherEvent<'_>, this => name: this.name(), arguments: this.arguments());

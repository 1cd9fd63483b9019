//! Device pointers that keep their memory allocated.

use crate::{
    device::{DevicePointer, DevicePointerMut, Nullable, Pointee},
    marshal::{Guard, KernelArg, LaunchStream, PointerArg},
};
use core::fmt;
use cudarc::driver::{CudaContext, DevicePtr};
use std::sync::Arc;

/// A device pointer that keeps the memory that it points at allocated, as long as it lives: an argument for the nodes of a
/// [`Graph`](crate::graph::Graph), which retains its arguments.
///
/// `P` is [`DevicePointer<T>`], for `T const*`, or [`DevicePointerMut<T>`], for `T*`. Of the memory it holds an [`Arc`]; the
/// program holds others, to read and to write it between launches. Its use is not tracked: a launch with it neither waits for
/// other streams nor is waited for.
///
/// ```no_run
/// use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs, Retained};
/// use std::sync::Arc;
///
/// #[derive(KernelArgs)]
/// struct Saxpy {
///     n: u32,
///     alpha: f32,
///     x: Retained<DevicePointer<f32>>,    // float const*
///     y: Retained<DevicePointerMut<f32>>, // float*
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// # let stream = ctx.default_stream();
/// let x = Arc::new(stream.clone_htod(&[1.0_f32; 1024])?);
/// let y = Arc::new(stream.alloc_zeros::<f32>(1024)?);
/// let args = Saxpy { n: 1024, alpha: 2.0, x: Retained::read(&x), y: Retained::write(&y) };
/// # drop(args);
/// let result = stream.clone_dtoh(&*y)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Retained<P> {
    pointer: P,
    context: Arc<CudaContext>,
    /// Held, not read.
    _memory: Arc<dyn Send + Sync>,
}

impl<T: Pointee> Retained<DevicePointer<T>> {
    /// A pointer to the beginning of `memory`, which the kernel reads: a `CudaSlice<T>`, a `UnifiedSlice<T>`.
    ///
    /// The default stream waits until the memory has been written, as cudarc has recorded it.
    #[must_use]
    pub fn read<M: DevicePtr<T> + Send + Sync + 'static>(memory: &Arc<M>) -> Self {
        Self::new(DevicePointer::from_raw(address(&**memory)), memory)
    }
}

impl<T: Pointee> Retained<DevicePointerMut<T>> {
    /// A pointer to the beginning of `memory`, which the kernel writes.
    ///
    /// The default stream waits until the memory has been written, as cudarc has recorded it. The memory is shared: the
    /// caller who launches the kernel ensures that nothing else uses it meanwhile.
    #[must_use]
    pub fn write<M: DevicePtr<T> + Send + Sync + 'static>(memory: &Arc<M>) -> Self {
        Self::new(DevicePointerMut::from_raw(address(&**memory)), memory)
    }
}

impl<P: Copy> Retained<P> {
    fn new<T, M: DevicePtr<T> + Send + Sync + 'static>(pointer: P, memory: &Arc<M>) -> Self {
        Self {
            pointer,
            context: memory.stream().context().clone(),
            _memory: memory.clone(),
        }
    }

    /// The pointer, which does not keep the memory allocated.
    #[must_use]
    pub fn pointer(&self) -> P {
        self.pointer
    }
}

/// The address. cudarc tells it to a stream that is about to use the memory: here the default stream, which never captures.
fn address<T>(memory: &impl DevicePtr<T>) -> u64 {
    let stream = memory.stream().context().default_stream();
    let (address, _sync) = memory.device_ptr(&stream);
    address
}

// It is not `in_place`: such an argument is a value, whose context is not compared.
impl<P: PointerArg<Device = P> + Nullable> KernelArg for Retained<P> {
    type Device = P;

    #[inline]
    fn check_context(&self, stream: &LaunchStream<'_>) {
        stream.check_context(&self.context);
    }

    #[inline(always)]
    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (P, Guard<'s>) {
        (self.pointer, Guard::NONE)
    }
}

impl<P: PointerArg<Device = P> + Nullable> PointerArg for Retained<P> {}

impl<P: fmt::Debug> fmt::Debug for Retained<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Retained").field(&self.pointer).finish()
    }
}

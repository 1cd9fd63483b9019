//! Grid, block and options of a launch.

use super::IntoDim;
use crate::{device::vector::Dim3, marshal::KernelArgs};
use cudarc::driver::{CudaStream, LaunchConfig};

/// Grid, block and options of one launch.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Launch<'a> {
    pub(in crate::driver) grid: Dim3,
    pub(in crate::driver) block: Dim3,
    pub(in crate::driver) shared: u32,
    pub(in crate::driver) stream: Option<&'a CudaStream>,
    pub(in crate::driver) form: Option<Form>,
}

/// What [`launch!`](crate::launch!) takes in place of a grid and a block: cudarc's [`LaunchConfig`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a launch configuration",
    label = "neither a cudarc `LaunchConfig` nor a grid with a block after it",
    note = "write `launch!(func, grid, block, args)`, or `launch!(func, config, args)` with a cudarc `LaunchConfig`; options follow by \
            name: `stream = &stream`"
)]
pub trait IntoLaunch {
    /// The launch.
    fn into_launch<'a>(self) -> Launch<'a>;
}

impl IntoLaunch for LaunchConfig {
    #[inline(always)]
    fn into_launch<'a>(self) -> Launch<'a> {
        Launch::new(self.grid_dim, self.block_dim).shared(self.shared_mem_bytes)
    }
}

impl IntoLaunch for &LaunchConfig {
    #[inline(always)]
    fn into_launch<'a>(self) -> Launch<'a> {
        (*self).into_launch()
    }
}

/// The form in which a launch passes its parameters to the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `kernelParams`: a pointer to each parameter.
    KernelParams,
    /// `CU_LAUNCH_PARAM_BUFFER_POINTER`: one buffer.
    Packed,
}

/// From this number of parameters on the packed form is faster: by 0 % at 8, 3 % at 32 and 30 % at 512 (H100, `benches/`).
const PACKED_FROM: usize = 24;

impl Form {
    /// The form of a launch of `A` that does not name one. A struct with an alignment above 16 bytes, whose packed
    /// offsets depend on the GPU, always takes `kernelParams`.
    #[must_use]
    pub const fn of<A: KernelArgs>() -> Self {
        if A::LAYOUT.depends_on_gpu() {
            Self::KernelParams
        } else {
            Self::of_count(A::PARAMETERS.len())
        }
    }

    /// The form of a launch with this many parameters, none of them aligned above 16 bytes.
    pub(in crate::driver) const fn of_count(parameters: usize) -> Self {
        if parameters >= PACKED_FROM {
            Self::Packed
        } else {
            Self::KernelParams
        }
    }
}

impl<'a> Launch<'a> {
    /// A launch of `grid` blocks of `block` threads on the default stream: cudarc's `grid_dim` and `block_dim`.
    #[inline(always)]
    pub fn new(grid: impl IntoDim, block: impl IntoDim) -> Self {
        Self {
            grid: grid.into_dim(),
            block: block.into_dim(),
            shared: 0,
            stream: None,
            form: None,
        }
    }

    /// The stream to launch on.
    #[inline(always)]
    pub fn stream(mut self, stream: &'a CudaStream) -> Self {
        self.stream = Some(stream);
        self
    }

    /// Dynamic shared memory per block, in bytes. Above 48 KiB the kernel is opted in automatically.
    #[inline(always)]
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared = bytes;
        self
    }

    /// [`shared`](Self::shared) under cudarc's name.
    #[inline(always)]
    pub fn shared_mem_bytes(self, bytes: u32) -> Self {
        self.shared(bytes)
    }

    /// The form in which to pass the parameters; the default is the faster one. A struct with an alignment above 16
    /// bytes is always passed as `kernelParams`.
    #[inline(always)]
    pub fn form(mut self, form: Form) -> Self {
        self.form = Some(form);
        self
    }
}

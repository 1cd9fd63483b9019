use crate::{
    device::vector::Dim3,
    driver::{
        config::{IntoDim, Launch},
        image::{Image, IntoImage},
    },
};
use kernel_args_image::recording::Manifest;

/// What a replay does otherwise than the recorded launch. By default nothing.
///
/// ```
/// use kernel_args::replay::ReplayOptions;
///
/// let options = ReplayOptions::new().block(128).repetitions(20);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ReplayOptions<'i> {
    grid: Option<Dim3>,
    block: Option<Dim3>,
    shared_memory: Option<u32>,
    pub(super) image: Option<Image<'i>>,
    pub(super) repetitions: u32,
}

impl<'i> ReplayOptions<'i> {
    /// Creates the recorded launch, once.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets another grid, in blocks.
    pub fn grid(mut self, grid: impl IntoDim) -> Self {
        self.grid = Some(grid.into_dim());
        self
    }

    /// Sets another block, in threads.
    pub fn block(mut self, block: impl IntoDim) -> Self {
        self.block = Some(block.into_dim());
        self
    }

    /// Sets another size of dynamic shared memory, in bytes per block.
    pub fn shared_memory(mut self, bytes: u32) -> Self {
        self.shared_memory = Some(bytes);
        self
    }

    /// Sets another build of the kernel, or the image of a recording without one. Its kernel has the recorded symbol.
    pub fn image(mut self, image: impl IntoImage<'i>) -> Self {
        self.image = Some(image.into_image());
        self
    }

    /// Launches so many times more and measures the time on the GPU, each time with the recorded memory. This takes as
    /// much memory of the GPU again.
    pub fn repetitions(mut self, repetitions: u32) -> Self {
        self.repetitions = repetitions;
        self
    }

    pub(super) fn launch(&self, recorded: &Manifest) -> Launch<'static> {
        let grid = self.grid.unwrap_or(recorded.grid.into());
        let block = self.block.unwrap_or(recorded.block.into());
        Launch::new(grid, block).shared(self.shared_memory.unwrap_or(recorded.shared_memory))
    }
}

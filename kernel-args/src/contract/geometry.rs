//! What a launch has in addition to its arguments.

use crate::device::vector::Dim3;

/// What contracts of a struct can refer to in addition to its fields: the grid, the block, the dynamic shared memory
/// and the stream of a launch. [`KernelArgs::check_contracts`](crate::KernelArgs::check_contracts) takes it.
///
/// ```
/// use kernel_args::{KernelArgs, args::Geometry, vector::Dim3};
///
/// #[derive(KernelArgs)]
/// #[kernel_args(grid_covers = "n")]
/// struct Fill { value: f32, n: u32 }
///
/// let launch = Geometry::new(Dim3::new(4, 1, 1), Dim3::new(256, 1, 1));
/// assert!(Fill { value: 1.0, n: 1024 }.check_contracts(launch).is_ok());
/// assert!(Fill { value: 1.0, n: 1025 }.check_contracts(launch).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Geometry {
    /// The grid in blocks.
    pub grid: Dim3,
    /// The block in threads.
    pub block: Dim3,
    /// Dynamic shared memory per block in bytes, if the launch specifies it.
    pub shared: Option<u32>,
    /// Whether the launch names its stream. A node of a graph has no stream, and needs none.
    pub names_stream: bool,
}

impl Geometry {
    /// Creates a launch that names its stream, and no dynamic shared memory.
    #[must_use]
    pub const fn new(grid: Dim3, block: Dim3) -> Self {
        Self { grid, block, shared: None, names_stream: true }
    }

    /// Sets the launch with this dynamic shared memory per block, in bytes.
    #[must_use]
    pub const fn with_shared(mut self, bytes: u32) -> Self {
        self.shared = Some(bytes);
        self
    }

    /// Sets the launch on the default stream, without naming it.
    #[must_use]
    pub const fn on_default_stream(mut self) -> Self {
        self.names_stream = false;
        self
    }

    /// Returns the launch with the grid as the block, and the block as the grid.
    #[doc(hidden)]
    #[must_use]
    pub const fn exchanged(self) -> Self {
        Self { grid: self.block, block: self.grid, ..self }
    }
}

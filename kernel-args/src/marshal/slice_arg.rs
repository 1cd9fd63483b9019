//! cudarc's device memory as an argument, of whatever context.

use super::{Guard, KernelArg, LaunchStream};
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// An argument that is cudarc's device memory: `&CudaSlice<T>`, `&mut CudaSlice<T>`, `CudaView<T>`, `CudaViewMut<T>`,
/// `&UnifiedSlice<T>` and the like. [`PeerAccess::memory`](crate::context::PeerAccess::memory) takes one.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory of cudarc's",
    label = "neither a slice nor a view",
    note = "pass `&slice` to read the memory, `&mut slice` to write it, or a view of one"
)]
pub trait SliceArg: KernelArg {
    /// The context that the memory belongs to.
    #[doc(hidden)]
    fn context(&self) -> &Arc<CudaContext>;

    /// As [`lower`](KernelArg::lower), for a launch in `context`, which has access to the memory.
    #[doc(hidden)]
    fn lower_for<'s>(
        &'s mut self,
        context: &Arc<CudaContext>,
        stream: &'s LaunchStream<'_>,
    ) -> (Self::Device, Guard<'s>);
}

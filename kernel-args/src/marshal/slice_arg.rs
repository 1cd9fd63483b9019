//! cudarc's device memory as an argument, from any context.

use super::{Guard, KernelArg, LaunchStream};
use cudarc::driver::CudaContext;
use std::sync::Arc;

/// An argument that is cudarc's device memory: references to `CudaSlice<T>` and `UnifiedSlice<T>`, and views such as
/// `CudaView<T>` and `CudaViewMut<T>`. [`PeerAccess::memory`](crate::context::PeerAccess::memory) takes it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory from cudarc",
    label = "neither a slice nor a view",
    note = "pass `&slice` to read the memory, `&mut slice` to write it, or a view"
)]
pub trait SliceArg: KernelArg {
    #[doc(hidden)]
    fn context(&self) -> &Arc<CudaContext>;

    /// [`check_context`](KernelArg::check_context) for memory that is used in `context`.
    #[doc(hidden)]
    fn check_for(&self, context: &Arc<CudaContext>, stream: &LaunchStream<'_>);

    /// [`lower`](KernelArg::lower) for a launch in `context`, which has access to the memory.
    #[doc(hidden)]
    fn lower_for<'s>(
        &'s mut self,
        context: &Arc<CudaContext>,
        stream: &'s LaunchStream<'_>,
    ) -> (Self::Device, Guard<'s>);
}

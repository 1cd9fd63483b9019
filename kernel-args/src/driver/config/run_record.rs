use crate::{driver::api::LaunchLog, marshal::HeldSlices};
use core::{
    cell::{Cell, RefCell},
    fmt,
};
use cudarc::driver::CudaStream;
use std::sync::Arc;

pub(crate) struct RunRecord {
    pub(crate) held: HeldSlices,
    pub(crate) log: RefCell<LaunchLog>,
    /// The launch attribute for which no node of a graph exists.
    pub(crate) without_node: Cell<Option<&'static str>>,
}

impl RunRecord {
    pub(crate) fn new(stream: Arc<CudaStream>) -> Self {
        Self { held: HeldSlices::new(stream), log: RefCell::default(), without_node: Cell::new(None) }
    }

    pub(crate) fn stream(&self) -> &Arc<CudaStream> {
        self.held.stream()
    }

    pub(crate) fn clear(&mut self) {
        self.held.clear();
        self.log.get_mut().clear();
        self.without_node.set(None);
    }
}

impl fmt::Debug for RunRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recording").field("launches", &self.log.borrow().len()).finish_non_exhaustive()
    }
}

//! What the driver tells of a capture.

use crate::driver::{
    api::{Api, required},
    error::Error,
};
use core::ptr;
use cudarc::driver::sys::{CUgraph, CUgraphNode, CUstream};

/// `CUstreamCaptureStatus`.
const ACTIVE: u32 = 1;
const INVALIDATED: u32 = 2;

/// What the driver tells of a stream that is being captured.
pub(super) struct CaptureInfo {
    pub(super) id: u64,
    pub(super) graph: CUgraph,
    /// The node that the stream's next one depends on, where it is one.
    pub(super) last: Option<CUgraphNode>,
}

/// `cuStreamGetCaptureInfo`: `None` where the stream is not capturing, an error where the capture is broken.
pub(super) fn capture_info(api: &Api, stream: CUstream) -> Result<Option<CaptureInfo>, Error> {
    let (mut status, mut id, mut graph) = (0, 0, ptr::null_mut());
    let (mut nodes, mut count) = (ptr::null(), 0);
    let returned = if let Some(info) = api.cuStreamGetCaptureInfo_v3 {
        let mut edges = ptr::null();
        // SAFETY: the stream is alive, and all places outlive the call.
        let returned = unsafe {
            info(
                stream,
                &raw mut status,
                &raw mut id,
                &raw mut graph,
                &raw mut nodes,
                &raw mut edges,
                &raw mut count,
            )
        };
        returned.check("cuStreamGetCaptureInfo_v3")
    } else {
        let info = required!(api, cuStreamGetCaptureInfo_v2)?;
        // SAFETY: as above.
        let returned = unsafe {
            info(
                stream,
                &raw mut status,
                &raw mut id,
                &raw mut graph,
                &raw mut nodes,
                &raw mut count,
            )
        };
        returned.check("cuStreamGetCaptureInfo_v2")
    };
    returned?;
    if status == INVALIDATED {
        return Ok(Some(CaptureInfo {
            id,
            graph: ptr::null_mut(),
            last: None,
        }));
    }
    if status != ACTIVE {
        return Ok(None);
    }
    let last = (count == 1 && !nodes.is_null()).then(|| {
        // SAFETY: the driver's array of `count` nodes is valid until the next call for this stream.
        unsafe { nodes.read() }
    });
    Ok(Some(CaptureInfo { id, graph, last }))
}

//! The thread on which owners of a graph's memory are dropped.
//!
//! The driver runs the destructor of a user object on a thread of its own, which must not call CUDA (CUDA Driver API,
//! `cuUserObjectCreate`); dropping a slice does. So the destructor sends the owner to a thread of this crate. An owner that an
//! update has replaced is sent there too, with an event that tells when the launches that may use it are over.

use super::super::api::api;
use core::panic::AssertUnwindSafe;
use cudarc::driver::{CudaContext, CudaEvent};
use std::{
    boxed::Box,
    panic::catch_unwind,
    sync::{
        Arc, OnceLock,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

/// What is to be dropped.
struct Release {
    /// Once this is complete.
    after: Option<CudaEvent>,
    /// With this context current.
    context: Arc<CudaContext>,
    owner: Box<dyn Send>,
}

/// The way to the thread; `None` where the system has no thread for it.
static SENDER: OnceLock<Option<Sender<Release>>> = OnceLock::new();

/// Starts the thread, once; returns whether it runs.
pub(super) fn start() -> bool {
    let sender = SENDER.get_or_init(|| {
        let (sender, receiver) = channel();
        thread::Builder::new()
            .name("kernel-args".into())
            .spawn(move || drop_all(&receiver))
            .ok()
            .map(|_| sender)
    });
    sender.is_some()
}

/// Drops `owner` on the thread, once `after` is complete. It does not call CUDA.
pub(super) fn release(owner: Box<dyn Send>, context: Arc<CudaContext>, after: Option<CudaEvent>) {
    let release = Release {
        after,
        context,
        owner,
    };
    let unsent = match SENDER.get() {
        Some(Some(sender)) => sender.send(release).err().map(|unsent| unsent.0),
        _ => Some(release),
    };
    // Whether CUDA may be called here is not known, so the memory stays allocated. Nothing gets here: the thread is started
    // before anything is retained, and it does not end.
    core::mem::forget(unsent);
}

fn drop_all(receiver: &Receiver<Release>) {
    // The calls of this thread must not be refused because another thread captures a stream.
    if let Some(exchange) = api()
        .ok()
        .and_then(|api| api.cuThreadExchangeStreamCaptureMode)
    {
        const RELAXED: u32 = 2;
        let mut mode = RELAXED;
        // SAFETY: `mode` outlives the call.
        unsafe { exchange(&raw mut mode) };
    }
    for Release {
        after,
        context,
        owner,
    } in receiver
    {
        // cudarc keeps the errors of its own drops in the context, and returns them from its next call there. An error of
        // the event means that the context is lost: then no kernel uses the memory any more.
        context.record_err(context.bind_to_thread());
        if let Some(event) = &after {
            context.record_err(event.synchronize());
        }
        // An owner that panics must not keep the others.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(owner)));
        drop(after);
    }
}

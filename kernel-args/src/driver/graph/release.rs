//! The thread on which owners of a graph's memory are dropped.
//!
//! The driver runs the destructor of a user object on its own thread, which must not call CUDA (CUDA Driver API,
//! `cuUserObjectCreate`), but dropping a slice calls CUDA. Therefore the destructor sends the owner to a thread of this
//! crate. An owner that an update has replaced is sent there too, with an event that completes when the launches that
//! may use it have finished.

use super::{Graph, exit};
use crate::driver::api::{Api, Event, api};
use core::{mem, panic::AssertUnwindSafe};
use cudarc::driver::CudaContext;
use std::{
    boxed::Box,
    panic::catch_unwind,
    sync::{
        Arc, OnceLock,
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

enum Message {
    /// Drops the owner once the event is complete. The context is current during the drop.
    Drop {
        after: Option<Event>,
        context: Arc<CudaContext>,
        owner: Box<dyn Send>,
    },
    /// Drops the sender as an answer, after all earlier messages.
    Answer(#[expect(dead_code, reason = "held, not read")] Sender<()>),
}

/// The channel to the thread; `None` if the thread could not be started.
static SENDER: OnceLock<Option<Sender<Message>>> = OnceLock::new();

/// Starts the thread once; returns whether it runs.
pub(super) fn start() -> bool {
    let sender = SENDER.get_or_init(|| {
        exit::register();
        let (sender, receiver) = channel();
        thread::Builder::new()
            .name("kernel-args".into())
            .spawn(move || run(&receiver))
            .ok()
            .map(|_| sender)
    });
    sender.is_some()
}

/// Drops `owner` on the thread once `after` is complete. This function does not call CUDA.
pub(super) fn release(owner: Box<dyn Send>, context: Arc<CudaContext>, after: Option<Event>) {
    let message = Message::Drop {
        after,
        context,
        owner,
    };
    let unsent = match SENDER.get() {
        Some(Some(sender)) => sender.send(message).err().map(|unsent| unsent.0),
        _ => Some(message),
    };
    // It is unknown whether CUDA may be called here, so the memory stays allocated. This does not occur: the thread is
    // started before anything is retained, and it does not end.
    mem::forget(unsent);
}

impl Graph {
    /// Blocks until everything that graphs have released so far is dropped: retained values of nodes that were updated
    /// since, and of dropped graphs whose launches have finished.
    ///
    /// They are dropped soon on a different thread even without this call. Use it if the program must know when they
    /// are dropped. The end of the process waits at most one second for such drops, and does not drop the rest.
    pub fn wait_until_released() {
        let Some(Some(thread)) = SENDER.get() else {
            return;
        };
        let (sender, receiver) = channel();
        if thread.send(Message::Answer(sender)).is_ok() {
            // An error means that the sender was dropped, which is the answer.
            let _ = receiver.recv();
        }
    }
}

fn run(receiver: &Receiver<Message>) {
    let Ok(api) = api() else { return };
    exit::call(|| {
        // In this mode, the calls of this thread do not fail while a different thread captures a stream.
        const RELAXED: u32 = 2;
        let _ = api.cuThreadExchangeStreamCaptureMode(&mut { RELAXED });
    });
    for message in receiver {
        let Message::Drop {
            after,
            context,
            owner,
        } = message
        else {
            continue;
        };
        let mut held = Some((after, context, owner));
        exit::call(|| {
            if let Some((after, context, owner)) = held.take() {
                drop_after(api, after, &context, owner);
            }
        });
        // The process is ending, and the system frees its memory.
        mem::forget(held);
    }
}

fn drop_after(api: &Api, after: Option<Event>, context: &Arc<CudaContext>, owner: Box<dyn Send>) {
    // cudarc's functions would return a pending error of the context instead of making the call. Errors of these calls
    // cannot be reported here.
    let _ = api.cuCtxSetCurrent((&**context).into());
    let over = after.as_ref().is_none_or(Event::wait);
    drop(after);
    // If an owner panics, the thread must still drop later owners.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if over {
            drop(owner);
        } else {
            // A kernel may still use the memory.
            mem::forget(owner);
        }
    }));
}

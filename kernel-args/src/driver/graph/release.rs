//! The thread on which owners of a graph's memory are dropped.
//!
//! The driver runs the destructor of a user object on a thread of its own, which must not call CUDA (CUDA Driver API,
//! `cuUserObjectCreate`); dropping a slice does. So the destructor sends the owner to a thread of this crate. An owner that an
//! update has replaced is sent there too, with an event that tells when the launches that may use it are over.

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
    /// Drops the owner, with this context current, once the event is complete.
    Drop {
        after: Option<Event>,
        context: Arc<CudaContext>,
        owner: Box<dyn Send>,
    },
    /// Answers by dropping the sender, once all messages before are done.
    Answer(#[expect(dead_code, reason = "held, not read")] Sender<()>),
}

/// The way to the thread; `None` where the system has no thread for it.
static SENDER: OnceLock<Option<Sender<Message>>> = OnceLock::new();

/// Starts the thread, once; returns whether it runs.
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

/// Drops `owner` on the thread, once `after` is complete. It does not call CUDA.
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
    // Whether CUDA may be called here is not known, so the memory stays allocated. Nothing gets here: the thread is started
    // before anything is retained, and it does not end.
    mem::forget(unsent);
}

impl Graph {
    /// Blocks until everything is dropped that graphs have let go so far: what they retained for nodes that were updated
    /// since, and what graphs retained that were dropped and whose launches are over.
    ///
    /// It is dropped anyway, soon, on another thread; this is for a program that wants to know when. The end of the process
    /// waits for what is being dropped, for a second at most; what is left then is not dropped.
    pub fn wait_until_released() {
        let Some(Some(thread)) = SENDER.get() else {
            return;
        };
        let (sender, receiver) = channel();
        if thread.send(Message::Answer(sender)).is_ok() {
            // An error: the other end was dropped, which is the answer.
            let _ = receiver.recv();
        }
    }
}

fn run(receiver: &Receiver<Message>) {
    let Ok(api) = api() else { return };
    exit::call(|| {
        // The calls of this thread must not be refused because another thread captures a stream.
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
        // The process ends, and its memory with it.
        mem::forget(held);
    }
}

fn drop_after(api: &Api, after: Option<Event>, context: &Arc<CudaContext>, owner: Box<dyn Send>) {
    // Not cudarc's functions, which return a pending error of the context instead of doing anything. An error of these
    // calls cannot be reported here.
    let _ = api.cuCtxSetCurrent((&**context).into());
    let over = after.as_ref().is_none_or(Event::wait);
    drop(after);
    // An owner that panics must not keep the others.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if over {
            drop(owner);
        } else {
            // It is not known whether a kernel still uses the memory.
            mem::forget(owner);
        }
    }));
}

//! The connections to the tracers. Lines, events that wait, and connections are limited.

use super::protocol::Event;
use crate::select::Select;
use std::{
    io::{self, BufRead as _, BufReader, Read, Write},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
        mpsc::Sender,
    },
    thread,
    time::Duration,
};

/// In bytes. The longest line of a tracer has 0.5 MB. The rest is for long symbols.
const LINE: u64 = 1 << 20;

/// Further processes run without a trace.
const CONNECTIONS: u32 = 256;

/// In bytes. A program that launches faster waits.
const WAITING: usize = 64 << 20;

/// The process, the length of the line in bytes, and the event, or why the trace of the process has ended.
pub(super) type Message = (u32, usize, Result<Event, String>);

#[derive(Clone)]
pub(crate) struct WantedLaunch {
    pub(crate) select: Select,
    /// Counted from 0 in each process.
    pub(crate) nth: u64,
}

#[derive(Default)]
pub(super) struct Load {
    open: AtomicU32,
    /// Bytes of events that wait.
    waiting: AtomicUsize,
}

impl Load {
    pub(super) fn is_open(&self) -> bool {
        // The messages that a connection sent before its end can be received then.
        self.open.load(Ordering::Acquire) > 0
    }

    fn hold(&self, line: usize) {
        let add = |waiting| (waiting == 0 || waiting + memory(line) <= WAITING).then_some(waiting + memory(line));
        while self.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_err() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    pub(super) fn release(&self, line: usize) {
        self.waiting.fetch_sub(memory(line), Ordering::Relaxed);
    }
}

/// In bytes: a parameter has at least 6 bytes in a line, and less than 80 in an event.
pub(super) const fn memory(line: usize) -> usize {
    (line + 32) * 16
}

struct Open(Arc<Load>);

impl Open {
    fn new(load: &Arc<Load>) -> Option<Self> {
        let open = Self(Arc::clone(load));
        (load.open.fetch_add(1, Ordering::Relaxed) < CONNECTIONS).then_some(open)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(unix)]
pub(super) fn listen(
    path: &Path,
    send: Sender<Message>,
    load: Arc<Load>,
    record: Option<WantedLaunch>,
) -> io::Result<()> {
    let listener = std::os::unix::net::UnixListener::bind(path)?;
    let accept = move || {
        let mut has_refused = false;
        for (process, connection) in (0..).zip(listener.incoming()) {
            let Ok(connection) = connection else {
                // Too many files are open.
                thread::sleep(Duration::from_millis(10));
                continue;
            };
            let (to, record) = (send.clone(), record.clone());
            let serve = |open: Open| {
                let serve = move || serve(process, &connection, &to, &open.0, record.as_ref());
                thread::Builder::new().spawn(serve).ok()
            };
            if Open::new(&load).and_then(serve).is_none() && !std::mem::replace(&mut has_refused, true) {
                let why =
                    format!("more than {CONNECTIONS} processes at the same time: further ones run without a trace");
                load.hold(0);
                _ = send.send((process, 0, Err(why)));
            }
        }
    };
    thread::Builder::new().spawn(accept).map(drop)
}

/// Waits until all connections are accepted, in their order: this is the last.
#[cfg(unix)]
pub(super) fn accept_all(path: &Path, timeout: Duration) -> io::Result<()> {
    let mut last = std::os::unix::net::UnixStream::connect(path)?;
    last.set_read_timeout(Some(timeout))?;
    last.write_all(Event::Wanted(String::new()).line().as_bytes())?;
    last.read(&mut [0]).map(drop)
}

#[cfg(not(unix))]
pub(super) fn accept_all(_: &Path, _: Duration) -> io::Result<()> {
    Ok(())
}

#[cfg(not(unix))]
pub(super) fn listen(_: &Path, _: Sender<Message>, _: Arc<Load>, _: Option<WantedLaunch>) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

/// Until it ends, or sends what no tracer does: a line that is too long, or not UTF-8.
pub(super) fn serve<C>(process: u32, connection: &C, send: &Sender<Message>, load: &Load, record: Option<&WantedLaunch>)
where
    for<'c> &'c C: Read + Write,
{
    let (mut reader, mut writer) = (BufReader::new(connection), connection);
    loop {
        let mut line = Vec::new();
        match reader.by_ref().take(LINE + 1).read_until(b'\n', &mut line) {
            Ok(1..) => {}
            Ok(0) | Err(_) => return,
        }
        if line.len() as u64 > LINE {
            let why = format!("it has sent a line of more than {} MiB, which no tracer does", LINE >> 20);
            load.hold(0);
            _ = send.send((process, 0, Err(why)));
            return;
        }
        let Ok(text) = str::from_utf8(line.strip_suffix(b"\n").unwrap_or(&line)) else {
            return;
        };
        load.hold(line.len());
        match Event::parse(text) {
            Some(Event::Wanted(symbol)) => {
                let is_wanted = record.is_some_and(|record| record.select.wants(&symbol));
                // A process that does not read the answer has ended.
                _ = writer.write_all(if is_wanted { b"y" } else { b"n" });
            }
            Some(event) => {
                if send.send((process, line.len(), Ok(event))).is_err() {
                    return;
                }
                continue;
            }
            None => {}
        }
        load.release(line.len());
    }
}

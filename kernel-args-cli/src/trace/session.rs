//! The traced program, and the connection to the tracers in its processes.

use super::event::Event;
#[cfg(unix)]
use super::event::unescaped;
use crate::{error::Error, select::Select};
use kernel_args_nvrtc::write_file;
use std::{
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender},
    time::{Duration, Instant},
};
#[cfg(unix)]
use std::{
    io::{BufRead as _, BufReader, Write as _},
    thread,
};
use tempfile::TempDir;

// `const LIBRARY`: the tracer.
include!(concat!(env!("OUT_DIR"), "/tracer.rs"));

/// What the tracer does in addition to its reports.
pub(crate) struct Asked {
    pub(crate) record: Option<Wanted>,
    /// Whether it looks up the memory behind each pointer.
    pub(crate) checks_pointers: bool,
}

/// A launch that is recorded.
#[derive(Clone)]
pub(crate) struct Wanted {
    /// The kernels.
    pub(crate) select: Select,
    /// The number of the launch of them, counted from 0 in each process.
    pub(crate) nth: u64,
}

/// What a connection sends: the number of its process, and an event, or `None` at its end.
type Message = (u32, Option<Event>);

/// A running program.
pub(crate) struct Session {
    folder: TempDir,
    program: String,
    child: Child,
    messages: Receiver<Message>,
    /// Connections that have not ended.
    open: u32,
    ended: Option<(u8, Instant)>,
}

/// The number of events that wait to be written. A program that launches faster than they are written waits then.
const WAITING: usize = 1 << 16;

/// How long a process that outlives the program is waited for.
const PATIENCE: Duration = Duration::from_millis(500);

impl Session {
    pub(crate) fn start(command: &[OsString], cupti: Option<&Path>, asked: &Asked) -> Result<Self, Error> {
        let program = command.first().map(|program| program.to_string_lossy().into_owned());
        let program = program.unwrap_or_default();
        let fail = |what: &str, error: io::Error| Error::new(program.clone(), format!("{what}: {error}"));
        let Some(library) = LIBRARY else {
            return Err(Error::new(program, "programs can be traced on Linux only"));
        };
        let folder = TempDir::with_prefix("kernel-args-").map_err(|error| fail("no folder for the trace", error))?;
        let path = folder.path().join("libkernel_args_tracer.so");
        write_file(&path, library).map_err(|error| fail("the tracer cannot be written", error))?;
        let (send, messages) = mpsc::sync_channel(WAITING);
        listen(&folder.path().join("socket"), send, asked.record.clone())
            .map_err(|error| fail("no socket for the trace", error))?;
        let mut start = Command::new(command.first().map_or_else(OsString::new, OsString::clone));
        start
            .args(command.get(1..).unwrap_or_default())
            .env("CUDA_INJECTION64_PATH", &path)
            .env("KERNEL_ARGS_TRACE", folder.path());
        if let Some(record) = &asked.record {
            start.env("KERNEL_ARGS_TRACE_RECORD", record.nth.to_string());
        }
        if asked.checks_pointers {
            start.env("KERNEL_ARGS_TRACE_POINTERS", "1");
        }
        if let Some(cupti) = cupti {
            let cupti = std::path::absolute(cupti).unwrap_or_else(|_| PathBuf::from(cupti));
            start.env("KERNEL_ARGS_CUPTI", cupti);
        }
        let child = start.spawn().map_err(|error| fail("the program cannot be started", error))?;
        Ok(Self { folder, program, child, messages, open: 0, ended: None })
    }

    /// Where the images are.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The next event, and the number of its process. `None` once the program and its processes have ended.
    pub(crate) fn next(&mut self) -> Option<(u32, Event)> {
        loop {
            match self.messages.recv_timeout(Duration::from_millis(20)) {
                Ok((process, Some(event))) => {
                    if let Event::Process(_) = event {
                        self.open += 1;
                    }
                    if let Some((_, last)) = &mut self.ended {
                        *last = Instant::now();
                    }
                    return Some((process, event));
                }
                Ok((_, None)) => self.open = self.open.saturating_sub(1),
                Err(RecvTimeoutError::Timeout) => {
                    if self.ended.is_none()
                        && let Ok(Some(status)) = self.child.try_wait()
                    {
                        self.ended = Some((code(status), Instant::now()));
                    } else if let Some((_, last)) = self.ended
                        && (self.open == 0 || last.elapsed() > PATIENCE)
                    {
                        return None;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// The exit code of the program.
    pub(crate) fn finish(mut self) -> Result<u8, Error> {
        match self.ended {
            Some((code, _)) => Ok(code),
            None => match self.child.wait() {
                Ok(status) => Ok(code(status)),
                Err(error) => Err(Error::new(self.program, error.to_string())),
            },
        }
    }
}

/// The exit code of a program, or 128 plus the number of the signal that ended it, as in a shell.
fn code(status: std::process::ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or(signal).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

/// Accepts the processes of the program.
#[cfg(unix)]
fn listen(path: &Path, send: SyncSender<Message>, record: Option<Wanted>) -> io::Result<()> {
    let listener = std::os::unix::net::UnixListener::bind(path)?;
    thread::spawn(move || {
        for (process, connection) in (0..).zip(listener.incoming()) {
            let (Ok(connection), send) = (connection, send.clone()) else {
                return;
            };
            let record = record.clone();
            thread::spawn(move || {
                // A line that is not UTF-8 is not from a tracer.
                for line in BufReader::new(&connection).lines().map_while(Result::ok) {
                    if let Some(symbol) = line.strip_prefix("wanted\t") {
                        let is_wanted = record.as_ref().is_some_and(|record| record.select.wants(&unescaped(symbol)));
                        // A process that does not read the answer has ended.
                        _ = (&connection).write_all(if is_wanted { b"y" } else { b"n" });
                        continue;
                    }
                    if let Some(event) = Event::parse(&line)
                        && send.send((process, Some(event))).is_err()
                    {
                        return;
                    }
                }
                _ = send.send((process, None));
            });
        }
    });
    Ok(())
}

#[cfg(not(unix))]
fn listen(_: &Path, _: SyncSender<Message>, _: Option<Wanted>) -> io::Result<()> {
    Err(io::Error::from(io::ErrorKind::Unsupported))
}

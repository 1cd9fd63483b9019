//! The traced program, and the connection to the tracers in its processes.

use super::{
    connections::{Load, Message, WantedLaunch, accept_all, listen},
    protocol::{self, Event, ImageFile},
};
use crate::{error::Error, options::Options};
use kernel_args_nvrtc::write_file;
use std::{
    env,
    ffi::OsString,
    fs,
    hash::{BuildHasher as _, Hasher as _, RandomState},
    io,
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

// `const LIBRARY`: the tracer.
include!(concat!(env!("OUT_DIR"), "/tracer.rs"));

/// A new folder of this user, which is removed with its files.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Self> {
        #[cfg_attr(not(unix), expect(unused_mut, reason = "folders have a mode on Unix"))]
        let mut builder = fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        loop {
            let name = RandomState::new().build_hasher().finish();
            let path = env::temp_dir().join(format!("kernel-args-{name:016x}"));
            match builder.create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return created.map(|()| Self(path)),
            }
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // Nothing can be done if this fails.
        _ = fs::remove_dir_all(&self.0);
    }
}

pub(crate) struct Session {
    folder: Folder,
    program: String,
    child: Child,
    messages: Receiver<Message>,
    load: Arc<Load>,
    asked: Instant,
    ended: Option<Ended>,
}

/// What came after the end of the program from processes that outlive it.
struct Ended {
    code: u8,
    /// The last event, or the end of the program.
    last: Instant,
    /// For events.
    waited: Duration,
    /// For the bytes of images.
    read: Duration,
    lines: usize,
    is_over: bool,
}

const TICK: Duration = Duration::from_millis(20);

/// For the next event of a process that outlives the program.
const PATIENCE: Duration = Duration::from_millis(500);

/// The time to write events does not count.
const WAIT: Duration = Duration::from_secs(2);

const READ: Duration = Duration::from_secs(5);

/// More than the sockets of 256 processes can hold at the end of the program.
const LINES: usize = 64 << 20;

impl Session {
    pub(crate) fn start(options: Options<'_>, wanted: Option<&WantedLaunch>) -> Result<Self, Error> {
        let mut command = options.values::<OsString>("command").into_iter();
        let name = command.next().unwrap_or_default();
        let program = name.to_string_lossy().into_owned();
        let fail = |what: &str, error: io::Error| Error::new(&program, format!("{what}: {error}"));
        let Some(library) = LIBRARY else {
            return Err(Error::new(program, "programs can be traced on Linux only"));
        };
        let folder = Folder::new().map_err(|error| fail("no folder for the trace", error))?;
        let path = folder.0.join("libkernel_args_tracer.so");
        write_file(&path, library).map_err(|error| fail("the tracer cannot be written", error))?;
        let (send, messages) = mpsc::channel();
        let load = Arc::<Load>::default();
        listen(&folder.0.join(protocol::SOCKET), send, Arc::clone(&load), wanted.cloned())
            .map_err(|error| fail("no socket for the trace", error))?;
        let mut start = Command::new(name);
        start.args(command).env("CUDA_INJECTION64_PATH", &path).env(protocol::FOLDER, &folder.0);
        if let Some(wanted) = wanted {
            start.env(protocol::RECORD, wanted.nth.to_string());
        }
        if options.is("check-pointers") {
            start.env(protocol::POINTERS, "1");
        }
        if let Some(cupti) = options.value::<PathBuf>("cupti") {
            start.env(protocol::CUPTI, std::path::absolute(&cupti).unwrap_or(cupti));
        }
        let child = start.spawn().map_err(|error| fail("the program cannot be started", error))?;
        Ok(Self { folder, program, child, messages, load, asked: Instant::now(), ended: None })
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder.0
    }

    /// `None` once the program and its processes have ended. Processes that outlive the program cannot prevent it.
    pub(crate) fn next(&mut self) -> Option<(u32, Result<Event, String>)> {
        loop {
            // A connection sends its last event before it ends.
            let (started, is_open) = (Instant::now(), self.load.is_open());
            let message = self.messages.recv_timeout(TICK);
            if self.ended.is_none() && self.asked.elapsed() >= TICK {
                self.asked = Instant::now();
                if let Ok(Some(status)) = self.child.try_wait() {
                    _ = accept_all(&self.folder().join(protocol::SOCKET), PATIENCE);
                    let (code, last, none) = (code(status), Instant::now(), Duration::ZERO);
                    self.ended = Some(Ended { code, last, waited: none, read: none, lines: 0, is_over: false });
                }
            } else if let Some(ended) = &mut self.ended {
                ended.waited += started.elapsed();
                if ended.is_over || message.is_err() && (!is_open || ended.last.elapsed() > PATIENCE) {
                    return None;
                }
                if let Ok((process, line, _)) = message {
                    ended.last = Instant::now();
                    ended.lines += line;
                    if ended.lines > LINES || ended.waited > WAIT {
                        ended.is_over = true;
                        return Some((process, Err("the program has ended, and this process goes on".into())));
                    }
                }
            }
            match message {
                Ok((process, line, event)) => {
                    self.load.release(line);
                    return Some((process, event));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return None,
            }
        }
    }

    /// Unless the program has ended and its images take too long.
    pub(crate) fn read(&mut self, file: ImageFile, add: impl FnOnce(&Path) -> Option<Error>) -> Option<Error> {
        let (started, name) = (Instant::now(), file.to_string());
        if self.ended.as_ref().is_some_and(|ended| ended.read > READ) {
            return Some(Error::new(name, "the program has ended"));
        }
        let error = add(&self.folder().join(name));
        if let Some(ended) = &mut self.ended {
            ended.read += started.elapsed();
        }
        error
    }

    pub(crate) fn finish(mut self) -> Result<u8, Error> {
        match self.ended {
            Some(ended) => Ok(ended.code),
            None => self.child.wait().map(code).map_err(|error| Error::new(self.program, error)),
        }
    }
}

/// As in a shell: 128 plus the number of the signal that ended it.
fn code(status: std::process::ExitStatus) -> u8 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal);
    #[cfg(not(unix))]
    let signal = None;
    let code = status.code().or(signal).unwrap_or(1);
    u8::try_from(code).unwrap_or(1)
}

//! The connection to `kernel-args`: a folder with a socket. Images become files there.

use crate::{
    lock,
    protocol::{self, Event, ImageFile},
};
use std::{
    collections::BTreeMap,
    env,
    fs::{self, File},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    io::{self, Read as _, Write as _},
    os::unix::net::UnixStream,
    path::PathBuf,
    process,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

#[derive(Clone)]
pub(crate) struct Report {
    folder: Arc<PathBuf>,
    /// `None` once `kernel-args` has ended.
    socket: Arc<Mutex<Option<UnixStream>>>,
}

impl Report {
    pub(crate) fn connect() -> Option<Self> {
        let folder = PathBuf::from(env::var_os(protocol::FOLDER)?);
        let socket = UnixStream::connect(folder.join(protocol::SOCKET)).ok()?;
        let report = Self { folder: Arc::new(folder), socket: Arc::new(Mutex::new(Some(socket))) };
        let program = env::args_os().next().unwrap_or_default();
        report.send(&Event::Process(program.to_string_lossy().into_owned()));
        Some(report)
    }

    /// Sends one line. If nobody reads it, the program goes on without a trace.
    pub(crate) fn send(&self, event: &Event) {
        let mut socket = lock(&self.socket);
        if let Some(open) = socket.as_mut()
            && open.write_all(event.line().as_bytes()).is_err()
        {
            *socket = None;
        }
    }

    /// Creates a file. A link of this name is not followed.
    pub(crate) fn create(&self, name: &str) -> io::Result<File> {
        let path = self.folder.join(name);
        // Usually it does not exist.
        let _ = fs::remove_file(&path);
        File::create_new(path)
    }

    pub(crate) fn wants(&self, symbol: &str) -> bool {
        static KNOWN: Mutex<BTreeMap<String, bool>> = Mutex::new(BTreeMap::new());
        let mut known = lock(&KNOWN);
        if let Some(wanted) = known.get(symbol) {
            return *wanted;
        }
        self.send(&Event::Wanted(symbol.to_owned()));
        let mut answer = [0];
        let answered = lock(&self.socket).as_ref().map(|mut socket| socket.read_exact(&mut answer));
        let wanted = matches!(answered, Some(Ok(()))) && answer == *b"y";
        known.insert(symbol.to_owned(), wanted);
        wanted
    }

    /// Writes an image to a file, once, and sends its name.
    pub(crate) fn image(&self, image: &[u8]) {
        let mut hasher = DefaultHasher::new();
        image.hash(&mut hasher);
        let file = ImageFile(hasher.finish());
        let name = file.to_string();
        let path = self.folder.join(&name);
        if !path.exists() {
            // Another process may write the same image.
            let partial = format!("{name}.{}", process::id());
            let written = self.create(&partial).and_then(|mut file| file.write_all(image));
            if written.is_err() || fs::rename(self.folder.join(partial), &path).is_err() {
                return;
            }
        }
        self.send(&Event::Image(file));
    }
}

/// Returns a number of the calling thread, from 1.
pub(crate) fn thread() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static NUMBER: u64 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.try_with(|number| *number).unwrap_or(0)
}

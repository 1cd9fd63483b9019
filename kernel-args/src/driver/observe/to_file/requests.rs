use super::write::write;
use crate::{
    driver::{
        api::{api, out},
        error::Error,
        observe::{Event, LaunchEvent},
        watched::Watcher,
    },
    lock::lock,
};
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use kernel_args_image::mangled::matches;
use std::{
    env,
    path::PathBuf,
    sync::{Arc, Mutex},
};

const KERNEL: &str = "KERNEL_ARGS_RECORD";
const FILE: &str = "KERNEL_ARGS_RECORD_FILE";

#[derive(Debug)]
struct FileRequest {
    kernel: String,
    nth: u64,
    file: PathBuf,
    state: Mutex<RequestState>,
}

#[derive(Debug)]
enum RequestState {
    /// The number of launches of the kernel so far.
    Waits(u64),
    Runs,
    Done(Result<(), Error>),
}

static REQUESTS: Mutex<Vec<Arc<FileRequest>>> = Mutex::new(Vec::new());

/// Whether there has been a request: then modules keep their images.
static REQUESTED: AtomicBool = AtomicBool::new(false);

pub(in crate::driver::observe) fn request(kernel: &str, nth: u64, file: PathBuf) -> FileRecording {
    FileRecording(add(kernel, nth, file))
}

fn add(kernel: &str, nth: u64, file: PathBuf) -> Arc<FileRequest> {
    let request = Arc::new(FileRequest { kernel: kernel.into(), nth, file, state: Mutex::new(RequestState::Waits(0)) });
    lock(&REQUESTS).push(request.clone());
    REQUESTED.store(true, Relaxed);
    Watcher::Files.set_active(true);
    request
}

/// A launch that is recorded when it comes. Drop withdraws the request.
#[must_use = "dropping it withdraws the request"]
#[derive(Debug)]
pub struct FileRecording(Arc<FileRequest>);

impl FileRecording {
    /// Returns whether the launch has come and is in the file. `false` if it has not come yet; it then is not recorded
    /// any more.
    ///
    /// # Errors
    /// [`Error::Recording`] if the file cannot be written, and errors of the driver, such as the fault of an earlier
    /// kernel. The file does not exist then.
    pub fn finish(self) -> Result<bool, Error> {
        match core::mem::replace(&mut *lock(&self.0.state), RequestState::Waits(0)) {
            RequestState::Done(result) => result.map(|()| true),
            RequestState::Waits(_) | RequestState::Runs => Ok(false),
        }
    }
}

impl Drop for FileRecording {
    fn drop(&mut self) {
        withdraw(&self.0);
    }
}

fn withdraw(request: &Arc<FileRequest>) {
    let mut requests = lock(&REQUESTS);
    requests.retain(|one| !Arc::ptr_eq(one, request));
    Watcher::Files.set_active(!requests.is_empty());
}

pub(in crate::driver::observe) fn read_environment() {
    let Some(value) = env::var_os(KERNEL) else {
        return;
    };
    let parsed = value.to_str().and_then(|value| match value.rsplit_once('#') {
        Some((kernel, nth)) => Some((kernel, nth.parse().ok()?)),
        None => Some((value, 0)),
    });
    let Some((kernel, nth)) = parsed.filter(|(kernel, _)| !kernel.is_empty()) else {
        eprintln!("{KERNEL} is not the name of a kernel, or a name and a number (`saxpy#3`): nothing is recorded");
        return;
    };
    // `saxpy.3.launch`, in the current folder.
    let default = || {
        let kernel = kernel.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_");
        format!("{kernel}.{nth}.launch").into()
    };
    add(kernel, nth, env::var_os(FILE).map_or_else(default, PathBuf::from));
}

pub(in crate::driver::observe) fn is_requested() -> bool {
    REQUESTED.load(Relaxed)
}

pub(in crate::driver::observe) fn record<R>(
    event: &Event<'_>,
    run: impl FnOnce() -> Result<R, Error>,
) -> Result<R, Error> {
    let Event::KernelLaunch(launch) = event else {
        return run();
    };
    if !Watcher::Files.is_active() || !runs_now(launch) {
        return run();
    }
    let Some(request) = requested(launch) else {
        return run();
    };
    let (result, written) = write(launch, &request.file, run);
    withdraw(&request);
    // Nobody asks for the result of a request from the environment.
    if Arc::strong_count(&request) == 1 {
        match &written {
            Ok(()) => eprintln!("{} was recorded: {}", launch.name(), request.file.display()),
            Err(error) => eprintln!("{} was not recorded: {error}", launch.name()),
        }
    }
    *lock(&request.state) = RequestState::Done(written);
    result
}

/// Returns whether the launch is enqueued for the GPU: not captured, and not recorded by a sequence.
fn runs_now(launch: &LaunchEvent<'_>) -> bool {
    let Ok(api) = api() else { return false };
    let capturing = out(|status| api.cuStreamIsCapturing(launch.call.handle, status));
    !launch.is_recorded() && matches!(capturing, Ok(0))
}

/// Returns the request for this launch. Counts the launch for all requests of its kernel. Of two requests for one
/// launch, the second gets the next launch.
fn requested(launch: &LaunchEvent<'_>) -> Option<Arc<FileRequest>> {
    let symbol = launch.name();
    let mut found = None;
    for request in &*lock(&REQUESTS) {
        if !matches(&symbol, &request.kernel) {
            continue;
        }
        let mut state = lock(&request.state);
        match *state {
            RequestState::Waits(launches) if launches >= request.nth && found.is_none() => {
                *state = RequestState::Runs;
                found = Some(request.clone());
            }
            RequestState::Waits(launches) => *state = RequestState::Waits(launches + 1),
            RequestState::Runs | RequestState::Done(_) => {}
        }
    }
    found
}

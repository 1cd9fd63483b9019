//! Cargo's jobserver: it limits all processes of a build, including several build scripts, to `-j` at once.

#![allow(unsafe_code)]

use jobserver::{Acquired, Client};
use std::{thread, time::Duration};

/// The jobserver does not notify a process that waits.
const PAUSE: Duration = Duration::from_millis(10);

/// Permits compilations to start. The first compilation uses the build script's own token.
#[derive(Default)]
pub(crate) struct Jobserver(Option<Client>);

impl Jobserver {
    pub(crate) fn of_process() -> Self {
        // SAFETY: the variable that is read names a FIFO or two descriptors. Cargo keeps these descriptors open for
        // this process when it starts the process. If something other than cargo started the process with a variable
        // that is not meant for it, `true` makes the crate check that the open descriptors with these numbers are
        // pipes.
        let client = unsafe { Client::from_env_ext(true) };
        Self(client.client.ok())
    }

    /// Returns an error as soon as `is_over` returns true. Dropping the token releases it.
    pub(crate) fn token(&self, is_over: impl Fn() -> bool) -> Result<Option<Acquired>, ()> {
        loop {
            if is_over() {
                return Err(());
            }
            match self.0.as_ref().map(Client::try_acquire) {
                Some(Ok(None)) => thread::sleep(PAUSE),
                Some(Ok(token)) => return Ok(token),
                // No jobserver, or a jobserver without non-blocking requests.
                Some(Err(_)) | None => return Ok(None),
            }
        }
    }
}

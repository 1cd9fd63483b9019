//! Cargo's jobserver: all that a build runs at once, of several build scripts too, is no more than its `-j`.

#![allow(unsafe_code)]

use jobserver::{Acquired, Client};
use std::{thread, time::Duration};

/// How often a token is asked for: nothing tells when one is given back.
const PAUSE: Duration = Duration::from_millis(10);

/// Lets compilations begin. The first one has the token of the build script itself.
#[derive(Default)]
pub(crate) struct Jobserver(Option<Client>);

/// Permission for one compilation, until it is dropped.
pub(crate) struct Token(#[expect(dead_code, reason = "it is given back")] Option<Acquired>);

impl Jobserver {
    /// The one that cargo has told this process of. Without one every compilation may begin.
    pub(crate) fn of_process() -> Self {
        // SAFETY: the variable that is read names a FIFO, or two descriptors. These are the ones that cargo left open for this
        // process when it started it. Where something else started it, with a variable that is not meant for it, `true` has
        // what is open under these numbers checked for being a pipe.
        let client = unsafe { Client::from_env_ext(true) };
        Self(client.client.ok())
    }

    /// Waits until one more compilation may begin; `None` as soon as `is_over`.
    pub(crate) fn token(&self, is_over: impl Fn() -> bool) -> Option<Token> {
        loop {
            if is_over() {
                return None;
            }
            match self.0.as_ref().map(Client::try_acquire) {
                Some(Ok(None)) => thread::sleep(PAUSE),
                Some(Ok(token)) => return Some(Token(token)),
                // There is none, or none that can be asked.
                Some(Err(_)) | None => return Some(Token(None)),
            }
        }
    }
}

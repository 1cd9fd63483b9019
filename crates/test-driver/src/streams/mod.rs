//! Streams, events, and the capture of streams.

pub(crate) mod capture;
pub(crate) mod event;
pub(crate) mod stream;

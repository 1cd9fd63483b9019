//! An image, sent from the thread that reads headers to the threads that parse.

use super::{Wanted, catalog::Catalog, gate::Pass, observe::observe};
use crate::{error::Error, place::Place};
use kernel_args_image::{self as image, fatbin::StreamedMember};
use std::sync::{Mutex, PoisonError};

/// A PTX text or cubin that is to be read.
pub(super) struct Job<'g> {
    pub(super) image: u32,
    pub(super) unit: u32,
    pub(super) place: Place,
    pub(super) bytes: Bytes,
    /// Releases the memory when it is dropped.
    pub(super) _pass: Pass<'g>,
}

pub(super) enum Bytes {
    Plain(Vec<u8>),
    Member(StreamedMember, Vec<u8>),
}

impl Job<'_> {
    pub(super) fn run(self, catalog: &Mutex<Catalog>, wanted: &Wanted<'_>) {
        let Self { image, unit, place, bytes, _pass } = self;
        let observed = match &bytes {
            Bytes::Plain(bytes) => observe(place.kind, bytes, wanted),
            Bytes::Member(member, payload) => {
                let bytes = member.with_payload(payload).bytes();
                let bytes = bytes.map_err(image::Error::Fatbin);
                bytes.and_then(|bytes| observe(place.kind, &bytes, wanted))
            }
        };
        drop(bytes);
        let mut catalog = catalog.lock().unwrap_or_else(PoisonError::into_inner);
        match observed {
            Ok(observed) => catalog.add(image, unit, place, observed),
            Err(error) => {
                let error = Error::new(place.unit.to_string(), error.to_string());
                catalog.errors.push(error.at(place.at));
            }
        }
    }
}

//! An image for the threads that parse.

use super::{
    Wanted,
    catalog::{Catalog, Contents},
    gate::Pass,
};
use crate::{error::Error, place::Place};
use kernel_args_image::{self as image, fatbin::StreamedMember};
use std::sync::{Mutex, PoisonError};

pub(super) struct Job<'g> {
    pub(super) image: u32,
    pub(super) unit: u32,
    pub(super) place: Place,
    pub(super) bytes: Bytes,
    pub(super) _pass: Pass<'g>,
}

pub(super) enum Bytes {
    Plain(Vec<u8>),
    Member(StreamedMember, Vec<u8>),
}

impl Job<'_> {
    pub(super) fn run(self, catalog: &Mutex<Catalog>, wanted: &Wanted<'_>) {
        let Self { image, unit, place, bytes, _pass } = self;
        let read = |bytes: &[u8]| Contents::read(image, &place, bytes, wanted);
        let contents = match &bytes {
            Bytes::Plain(bytes) => read(bytes),
            Bytes::Member(member, payload) => {
                let bytes = member.with_payload(payload).bytes();
                bytes.map_err(image::Error::Fatbin).and_then(|bytes| read(&bytes))
            }
        };
        drop(bytes);
        let mut catalog = catalog.lock().unwrap_or_else(PoisonError::into_inner);
        match contents {
            Ok(contents) => catalog.add(image, unit, place, contents),
            Err(error) => {
                let error = Error::new(&place.unit, error);
                catalog.errors.push(error.at(place.at));
            }
        }
    }
}

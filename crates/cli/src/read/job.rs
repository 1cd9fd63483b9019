//! An image for the threads that parse.

use super::{
    Wanted,
    catalog::{Catalog, Contents},
    gate::Pass,
    lock,
};
use crate::{error::Error, place::Place};
use kernel_args_image::{self as image, fatbin::StreamedMember};
use std::sync::Mutex;

pub(super) struct Job<'g> {
    pub(super) image: u32,
    pub(super) unit: u32,
    pub(super) place: Place,
    /// Of a fat binary, whose payload is in `bytes`.
    pub(super) member: Option<StreamedMember>,
    pub(super) bytes: Vec<u8>,
    pub(super) _pass: Pass<'g>,
}

impl Job<'_> {
    pub(super) fn run(self, catalog: &Mutex<Catalog>, wanted: &Wanted<'_>) {
        let Self { image, unit, place, member, bytes, _pass } = self;
        let read = |bytes: &[u8]| Contents::read(image, &place, bytes, wanted);
        let contents = match member {
            None => read(&bytes),
            Some(member) => {
                let bytes = member.with_payload(&bytes).bytes();
                bytes.map_err(image::Error::Fatbin).and_then(|bytes| read(&bytes))
            }
        };
        drop(bytes);
        let mut catalog = lock(catalog);
        match contents {
            Ok(contents) => catalog.add(image, unit, place, contents),
            Err(error) => {
                let error = Error::new(&place.unit, error);
                catalog.errors.push(error.at(place.at));
            }
        }
    }
}

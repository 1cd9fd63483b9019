//! Textures and surfaces.

use super::{decode::Decoder, step::{Step, Stop}, syntax::Operand, words::Words};

/// A texture instruction.
pub(super) struct Fetch {}

/// The texture and surface objects of a context, by their handles.
#[derive(Debug, Default)]
pub(crate) struct Objects {}

#[derive(Debug)]
pub(crate) struct Source {}

pub(super) fn decode(_: &mut Decoder<'_, '_>, _: &Words<'_>, _: &[Operand]) -> Option<Fetch> {
    None
}

impl Step<'_, '_> {
    pub(super) fn texture(&mut self, _: &Fetch) -> Result<(), Stop> {
        Ok(())
    }
}

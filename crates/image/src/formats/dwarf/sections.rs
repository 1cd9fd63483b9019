//! The sections of debug information in an image.

use super::Error;
#[cfg(feature = "debug-info")]
use crate::formats::ptx;
use crate::formats::{
    cubin,
    elf::{self, Elf},
};
use crate::prelude::*;

#[derive(Clone, PartialEq, Default)]
pub(crate) struct Sections<'a>([Cow<'a, [u8]>; 5]);

pub(super) const INFO: usize = 0;
#[cfg(feature = "debug-info")]
pub(super) const ABBREV: usize = 1;
#[cfg(feature = "debug-info")]
pub(super) const STRINGS: usize = 2;
#[cfg(feature = "debug-info")]
pub(super) const LINE_STRINGS: usize = 3;
#[cfg(feature = "debug-info")]
pub(super) const STRING_OFFSETS: usize = 4;

pub(super) const NAMES: [&str; 5] =
    [".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets"];

const SHF_COMPRESSED: u64 = 0x800;

impl<'a> Sections<'a> {
    pub(super) fn get(&self, section: usize) -> &[u8] {
        &self.0[section]
    }

    /// ptxas resolves the references between sections. The remaining relocations are code addresses, which types do not need.
    pub(crate) fn of_cubin(bytes: &'a [u8]) -> Result<Self, Error> {
        let read = |error| Error::Cubin(cubin::Error::Elf(error));
        let elf = Elf::parse(bytes).map_err(read)?;
        let mut sections = Self::default();
        if elf.len() == 0 {
            return Ok(sections);
        }
        let names = elf.section_names().map_err(read)?;
        for section in elf.sections() {
            let Some(name) = elf::name(names, section.name, 32) else {
                continue;
            };
            let zlib = name.strip_prefix(b".zdebug_");
            let is_compressed = section.flags & SHF_COMPRESSED != 0;
            for (index, known) in NAMES.into_iter().enumerate() {
                if zlib == known.as_bytes().strip_prefix(b".debug_") || is_compressed && name == known.as_bytes() {
                    return Err(Error::Compressed(known));
                }
                if name == known.as_bytes() {
                    let data = elf.data(&section).map_err(read)?;
                    sections.0[index] = Cow::Borrowed(data);
                }
            }
        }
        Ok(sections)
    }

    /// Without the feature `debug-info`, only whether there are any.
    pub(crate) fn of_ptx(text: &'a [u8]) -> Result<Self, Error> {
        // Most texts have no debug information, so they are not parsed.
        const SECTION: &[u8] = b".debug_info";
        let Some(_found) = text.windows(SECTION.len()).find(|window| *window == SECTION) else {
            return Ok(Self::default());
        };
        #[cfg(feature = "debug-info")]
        return match ptx::debug_sections(text, NAMES) {
            Ok(found) => Ok(Self(found.map(Cow::Owned))),
            Err(error) => Err(Error::Ptx(error)),
        };
        #[cfg(not(feature = "debug-info"))]
        return Ok(Self([_found, &[], &[], &[], &[]].map(Cow::Borrowed)));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.get(INFO).is_empty()
    }

    #[cfg(feature = "debug-info")]
    pub(super) fn size(&self) -> usize {
        let sizes = self.0.iter().map(|section| section.len());
        sizes.fold(0, usize::saturating_add)
    }
}

//! The sections of debug information in an image.

use super::Error;
use crate::formats::{
    cubin,
    elf::{self, Elf},
};
use crate::prelude::*;

#[derive(Default)]
pub(crate) struct Sections<'a>(pub(super) [Cow<'a, [u8]>; 5]);

pub(super) const INFO: usize = 0;

/// [`INFO`] and the constants in `reader` are places in this list.
pub(super) const NAMES: [&str; 5] =
    [".debug_info", ".debug_abbrev", ".debug_str", ".debug_line_str", ".debug_str_offsets"];

const SHF_COMPRESSED: u64 = 0x800;
/// Part of a group, such as the type units of one type.
const SHF_GROUP: u64 = 0x200;

impl<'a> Sections<'a> {
    pub(super) fn get(&self, section: usize) -> &[u8] {
        &self.0[section]
    }

    /// ptxas resolves the references between sections. The remaining relocations are code addresses, which types do not
    /// need.
    pub(crate) fn of_cubin(bytes: &'a [u8]) -> Result<Self, Error> {
        let elf = Elf::parse(bytes).map_err(|error| Error::Cubin(cubin::Error::Elf(error)))?;
        Ok(Self::of_elf(&elf)?.0)
    }

    /// Returns the sections, and the index of each in the file.
    pub(super) fn of_elf(elf: &Elf<'a>) -> Result<(Self, [usize; 5]), Error> {
        let read = |error| Error::Cubin(cubin::Error::Elf(error));
        let (mut sections, mut indices) = (Self::default(), [0; 5]);
        if elf.len() == 0 {
            return Ok((sections, indices));
        }
        let names = elf.section_names().map_err(read)?;
        for (at, section) in elf.sections().enumerate() {
            let Some(name) = elf::name(names, section.name, 32).filter(|_| section.flags & SHF_GROUP == 0) else {
                continue;
            };
            let zlib = name.strip_prefix(b".zdebug_");
            let is_compressed = section.flags & SHF_COMPRESSED != 0;
            for (index, known) in NAMES.into_iter().enumerate() {
                if zlib == known.as_bytes().strip_prefix(b".debug_") || is_compressed && name == known.as_bytes() {
                    return Err(Error::Compressed(known));
                }
                if name == known.as_bytes() {
                    sections.0[index] = Cow::Borrowed(elf.data(&section).map_err(read)?);
                    indices[index] = at;
                }
            }
        }
        Ok((sections, indices))
    }

    /// Without the feature `debug-info`, only whether there are any.
    #[cfg_attr(not(feature = "debug-info"), allow(clippy::unnecessary_wraps))]
    pub(crate) fn of_ptx(text: &'a [u8]) -> Result<Self, Error> {
        // Most texts have no debug information, so they are not parsed.
        const SECTION: &[u8] = b".debug_info";
        match text.windows(SECTION.len()).find(|window| *window == SECTION) {
            None => Ok(Self::default()),
            #[cfg(feature = "debug-info")]
            Some(_) => {
                let found = crate::formats::ptx::debug_sections(text, NAMES).map_err(Error::Ptx)?;
                Ok(Self(found.map(Cow::Owned)))
            }
            #[cfg(not(feature = "debug-info"))]
            Some(found) => Ok(Self([found, &[], &[], &[], &[]].map(Cow::Borrowed))),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.get(INFO).is_empty()
    }
}

//! The sections of debug information in an image.

use super::Error;
#[cfg(feature = "debug-info")]
use crate::ptx;
use crate::{
    cubin,
    elf::{self, Elf},
};
use alloc::borrow::Cow;

/// The sections that tell of types. All of them are little-endian.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Sections<'a> {
    pub(super) info: Cow<'a, [u8]>,
    pub(super) abbrev: Cow<'a, [u8]>,
    pub(super) strings: Cow<'a, [u8]>,
    pub(super) line_strings: Cow<'a, [u8]>,
    pub(super) string_offsets: Cow<'a, [u8]>,
}

const SHF_COMPRESSED: u64 = 0x800;

const NAMES: [&str; 5] = [
    ".debug_info",
    ".debug_abbrev",
    ".debug_str",
    ".debug_line_str",
    ".debug_str_offsets",
];

impl<'a> Sections<'a> {
    fn set(&mut self, index: usize, bytes: Cow<'a, [u8]>) {
        match index {
            0 => self.info = bytes,
            1 => self.abbrev = bytes,
            2 => self.strings = bytes,
            3 => self.line_strings = bytes,
            _ => self.string_offsets = bytes,
        }
    }

    /// Those of a cubin. ptxas writes the references between them as numbers: what is left to relocate are addresses of
    /// code, which tell nothing of types.
    pub(super) fn of_cubin(bytes: &'a [u8]) -> Result<Self, Error> {
        let read = |error| Error::Cubin(cubin::Error::Elf(error));
        let elf = Elf::parse(bytes).map_err(read)?;
        let mut sections = Self::default();
        if elf.len() == 0 {
            return Ok(sections);
        }
        let names = elf.section_names().map_err(read)?;
        for section in elf.sections() {
            // A longer name is none of them.
            let Some(name) = elf::name(names, section.name, 32) else {
                continue;
            };
            let zlib = name.strip_prefix(b".zdebug_");
            let is_compressed = section.flags & SHF_COMPRESSED != 0;
            for (index, known) in NAMES.into_iter().enumerate() {
                if zlib == known.as_bytes().strip_prefix(b".debug_")
                    || is_compressed && name == known.as_bytes()
                {
                    return Err(Error::Compressed(known));
                }
                if name == known.as_bytes() {
                    let data = elf.data(&section).map_err(read)?;
                    sections.set(index, Cow::Borrowed(data));
                }
            }
        }
        Ok(sections)
    }

    /// Those of a PTX text.
    #[cfg(feature = "debug-info")]
    pub(super) fn of_ptx(text: &[u8]) -> Result<Self, Error> {
        let found = ptx::debug_sections(text, NAMES).map_err(Error::Ptx)?;
        let mut sections = Self::default();
        for (index, bytes) in found.into_iter().enumerate() {
            sections.set(index, Cow::Owned(bytes));
        }
        Ok(sections)
    }

    #[cfg(feature = "debug-info")]
    /// Their names and bytes, with `info` in the place of `.debug_info`.
    pub(super) fn named<'s>(&'s self, info: &'s [u8]) -> [(&'static str, &'s [u8]); 5] {
        let bytes: [&[u8]; 5] = [
            info,
            &self.abbrev,
            &self.strings,
            &self.line_strings,
            &self.string_offsets,
        ];
        core::array::from_fn(|index| (NAMES[index], bytes[index]))
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.info.is_empty()
    }

    #[cfg(feature = "debug-info")]
    /// How many bytes they have together.
    pub(super) fn size(&self) -> usize {
        let all = [
            &self.info,
            &self.abbrev,
            &self.strings,
            &self.line_strings,
            &self.string_offsets,
        ];
        all.into_iter()
            .fold(0, |size, section| size.saturating_add(section.len()))
    }
}

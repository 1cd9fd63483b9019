//! Finds device code in the data of a program, where `include_bytes!`, `include_str!`, `.incbin` and `bin2c` place it.

use super::input::Input;
use kernel_args_image::{Kind, cubin, fatbin, ptx};
use memchr::memmem::Finder;
use object::{LittleEndian as Le, elf, read::elf::FileHeader as _};
use std::{borrow::Cow, io};

const STEP: usize = 1 << 20;

/// The bytes of texts that only begin like PTX that can still be read.
#[derive(Debug)]
pub(super) struct Guesses(u64);

impl Guesses {
    pub(super) const fn new(size: u64) -> Self {
        const LEAST: u64 = 16 << 20;
        Self(size.saturating_mul(8).saturating_add(LEAST))
    }

    fn wrong(&mut self, size: usize) -> io::Result<()> {
        let left = self.0.checked_sub(size as u64);
        self.0 = left.ok_or_else(|| io::Error::other("too many texts that begin like PTX"))?;
        Ok(())
    }
}

/// Ignores data that only resembles an image, such as a string that a program prints.
pub(super) fn find(
    input: &mut Input,
    (start, size): (u64, u64),
    guesses: &mut Guesses,
    mut tell: impl FnMut(Kind, u64, u64),
) -> io::Result<()> {
    /// The number of bytes after a match that are needed to confirm it.
    const MORE: u64 = 64;
    let magic = [&fatbin::MAGIC.to_le_bytes()[..], &[1, 0, 16, 0]].concat();
    let needles = [&b".version"[..], b"\x7fELF\x02\x01", &magic].map(Finder::new);
    let mut at = 0;
    while at < size {
        let bytes = input.head(start + at, (STEP as u64 + MORE).min(size - at))?;
        let hits = needles.iter().flat_map(|needle| needle.find_iter(&bytes));
        let mut hits: Vec<usize> = hits.filter(|hit| *hit < STEP).collect();
        hits.sort_unstable();
        // The end of the last image that was found.
        let mut end = at + STEP as u64;
        let mut taken = 0;
        for hit in hits.into_iter().filter(|hit| bytes.len() - hit > 16) {
            let place = at + hit as u64;
            if place < taken {
                continue;
            }
            let (known, rest) = (&bytes[hit..], (start + place, size - place));
            let image = match known {
                [b'.', ..] => text(input, known, rest, guesses)?.map(|size| (Kind::Ptx, size)),
                [0x7f, ..] => elf(known).map(|size| (Kind::Cubin, size)),
                _ => container(known).map(|size| (Kind::Fatbin, size)),
            };
            if let Some((what, length)) = image.filter(|(_, length)| *length <= rest.1) {
                tell(what, rest.0, length);
                taken = place + length;
                end = end.max(taken);
            }
        }
        at = end;
    }
    Ok(())
}

fn container(bytes: &[u8]) -> Option<u64> {
    let size = bytes.get(8..)?.first_chunk().map(|size| u64::from_le_bytes(*size))?;
    size.checked_add(16)
}

/// Returns the size of a cubin: the end of its tables, which are the last part.
fn elf(head: &[u8]) -> Option<u64> {
    let header = elf::FileHeader64::<Le>::parse(head).ok()?;
    let end = |offset: u64, count: u16, size: u16| offset.checked_add(u64::from(count) * u64::from(size));
    let programs = end(header.e_phoff(Le), header.e_phnum(Le), header.e_phentsize(Le))?;
    let sections = end(header.e_shoff(Le), header.e_shnum(Le), header.e_shentsize(Le))?;
    let length = programs.max(sections);
    (header.e_machine(Le).0 == cubin::MACHINE && length > head.len().min(64) as u64).then_some(length)
}

/// Returns the size of a PTX text that has kernels. It may end without a NUL, and more texts may follow.
fn text(input: &mut Input, known: &[u8], (start, size): (u64, u64), guesses: &mut Guesses) -> io::Result<Option<u64>> {
    /// The maximum length of the text before the header ends.
    const HEAD: usize = 256;
    if ptx::Header::read(&known[..known.len().min(HEAD)]).is_err() {
        return Ok(None);
    }
    let size = size.min(fatbin::MEMBER_LIMIT);
    // Each line may be a match, so this reads no more than one text needs.
    let mut bytes = Cow::Borrowed(&known[..known.len().min(HEAD)]);
    let end = loop {
        let is_all = bytes.len() as u64 >= size;
        if let Some(end) = ptx::extent(&bytes, is_all) {
            break end;
        }
        let next = size.min(bytes.len() as u64 * 4);
        bytes = match known.get(..next as usize) {
            Some(known) => known.into(),
            None => input.head(start, next)?.into(),
        };
    };
    let has_kernels = |module: ptx::Module| module.symbols().len() > 0;
    let is_ptx = ptx::Module::read(&bytes[..end]).is_ok_and(has_kernels);
    if !is_ptx {
        guesses.wrong(bytes.len())?;
    }
    Ok(is_ptx.then_some(end as u64))
}

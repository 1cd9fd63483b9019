//! Finds device code in the data of a program, where `include_bytes!`, `include_str!`, `.incbin` and `bin2c` place it.

use super::{input::Input, meter::Meter};
use kernel_args_image::{Kind, cubin, fatbin, ptx};
use memchr::memmem::Finder;
use object::{LittleEndian as Le, elf, read::elf::FileHeader as _};
use std::{borrow::Cow, io};

const STEP: usize = 1 << 20;

/// Ignores data that only resembles an image, such as a string that a program prints.
pub(super) fn find(
    input: &mut Input,
    (start, size): (u64, u64),
    guesses: &Meter,
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
            let (kind, length) = match known {
                [b'.', ..] => (Kind::Ptx, text(input, known, rest, guesses)?),
                [0x7f, ..] => (Kind::Cubin, elf(known)),
                // The size of its members is in the header, which has 16 bytes.
                _ => {
                    (Kind::Fatbin, known[8..].first_chunk().and_then(|size| u64::from_le_bytes(*size).checked_add(16)))
                }
            };
            if let Some(length) = length.filter(|length| *length <= rest.1) {
                tell(kind, rest.0, length);
                taken = place + length;
                end = end.max(taken);
            }
        }
        at = end;
    }
    Ok(())
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
fn text(input: &mut Input, known: &[u8], (start, size): (u64, u64), guesses: &Meter) -> io::Result<Option<u64>> {
    /// The maximum length of the text before the header ends.
    const HEAD: usize = 256;
    let head = &known[..known.len().min(HEAD)];
    if ptx::Header::read(head).is_err() {
        return Ok(None);
    }
    let size = size.min(fatbin::MEMBER_LIMIT);
    // Each line may be a match, so this reads no more than one text needs.
    let mut bytes = Cow::Borrowed(head);
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
        let left = guesses.take(bytes.len() as u64);
        left.map_err(|()| io::Error::other("too many texts that begin like PTX"))?;
    }
    Ok(is_ptx.then_some(end as u64))
}

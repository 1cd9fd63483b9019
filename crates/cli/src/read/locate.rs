//! Finds device code in a file: the file itself, sections and data of object files, members of archives.

use super::{
    embedded,
    input::Input,
    meter::{Meter, Metered},
    sections::{self, Section},
};
use kernel_args_image::{Kind, cubin, fatbin, foreign_text, ptx};
use object::read::{ReadCache, archive::ArchiveFile};
use std::{borrow::Cow, io, sync::Arc};

/// Of nested archives.
const DEPTH: u32 = 4;

/// Of the name of an archive's member, in bytes.
const NAME: usize = 4096;

#[derive(Debug)]
pub(crate) struct Located {
    /// One or more fat binaries, one after another.
    pub(crate) kind: Kind,
    pub(crate) start: u64,
    pub(crate) size: u64,
    pub(crate) member: Option<Arc<str>>,
}

#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Nothing {
    Foreign(String),
    /// A known format without device code.
    NoDeviceCode(&'static str),
    /// The file is damaged: the position and the error.
    Broken(u64, String),
}

/// With `is_named` all text counts as PTX, otherwise only text that begins like PTX.
pub(crate) fn locate(input: &mut Input, is_named: bool) -> Result<Vec<Located>, Nothing> {
    let size = input.size;
    let mut found = Search { located: Vec::new(), end: 0, meter: Meter::new(size, 2), guesses: Meter::new(size, 8) };
    part(input, (0, size), None, is_named, DEPTH, &mut found)?;
    Ok(found.located)
}

struct Search {
    located: Vec<Located>,
    /// The end of the sections that were read.
    end: u64,
    /// A parser of a file format reads headers, names and symbols once.
    meter: Meter,
    /// For texts that only begin like PTX.
    guesses: Meter,
}

fn part(
    input: &mut Input,
    (start, size): (u64, u64),
    member: Option<&Arc<str>>,
    is_named: bool,
    depth: u32,
    found: &mut Search,
) -> Result<(), Nothing> {
    const HEAD: u64 = 4096;
    let broken = |error: io::Error| Nothing::Broken(start, error.to_string());
    let head = input.head(start, size.min(HEAD)).map_err(broken)?;
    let whole = |kind, found: &mut Search| {
        found.located.push(Located { kind, start, size, member: member.cloned() });
        Ok(())
    };
    if head.starts_with(&fatbin::MAGIC.to_le_bytes()) {
        return whole(Kind::Fatbin, found);
    }
    if head.starts_with(b"\x7fELF") {
        if head.get(18..20) == Some(&cubin::MACHINE.to_le_bytes()) {
            return whole(Kind::Cubin, found);
        }
        // The magic number of 64-bit ELF. The section table is the last part of such a file.
        let table = head.get(40..).and_then(<[u8]>::first_chunk).map(|bytes| u64::from_le_bytes(*bytes));
        if let Some(table) = table.filter(|table| *table > size && head[4..6] == [2, 1]) {
            let what = format!("a truncated ELF file: its section table is at byte {}", start.saturating_add(table));
            return Err(Nothing::Broken(start + size, what));
        }
        return object_file(input, (start, size), member, found);
    }
    if head.starts_with(b"!<thin>\n") {
        let what = "a thin archive contains only the names of its members: pass these files instead";
        return Err(Nothing::Foreign(what.to_owned()));
    }
    if head.starts_with(b"!<arch>\n") {
        if depth == 0 {
            return Err(Nothing::Foreign("archives are nested too deeply".to_owned()));
        }
        return archive(input, (start, size), depth, found);
    }
    if is_ptx(input, &head, (start, size)).map_err(broken)? {
        return whole(Kind::Ptx, found);
    }
    if is_text(&head) {
        if let Some(error) = foreign_text(&head) {
            return Err(Nothing::Foreign(error.to_string()));
        }
        if is_named && !is_document(&head) {
            return whole(Kind::Ptx, found);
        }
    }
    object_file(input, (start, size), member, found).map_err(|nothing| match nothing {
        Nothing::Foreign(_) => Nothing::Foreign(foreign(&head)),
        other => other,
    })
}

/// Returns whether a text has no line of PTX's form at its beginning: a directive, a comment.
fn is_document(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next().is_some_and(|line| !line.starts_with(['.', '/', '*'])) && !text.contains("\n.")
}

fn foreign(head: &[u8]) -> String {
    if head.is_empty() {
        return "the file is empty".to_owned();
    }
    if head.starts_with(b"\x7fTileIR\0") {
        return "Tile IR, which does not describe its kernels' parameters: compile it to a cubin (`nvcc --tilecubin`, `tileiras`)"
            .to_owned();
    }
    let first = head.get(..8).unwrap_or(head).escape_ascii();
    if is_text(head) {
        return "a text, not a file of kernels: name PTX, a cubin, a fat binary, an object file, a program or a library".to_owned();
    }
    format!(
        "not PTX, a cubin, a fat binary, an object file, a program, a library or an archive: the file begins with `{first}`"
    )
}

/// Reads on while the file contains only comments, such as a license.
fn is_ptx(input: &mut Input, head: &[u8], (start, size): (u64, u64)) -> io::Result<bool> {
    let mut head = Cow::Borrowed(head);
    loop {
        if ptx::begins(&head, true) {
            return Ok(true);
        }
        let read = head.len() as u64;
        if read >= size || !ptx::begins(&head, false) {
            return Ok(false);
        }
        head = Cow::Owned(input.head(start, size.min(read * 4))?);
    }
}

fn is_text(head: &[u8]) -> bool {
    let is_character = |b: &u8| matches!(b, b'\t'..=b'\r' | b' '..=b'~' | 0x80..);
    // PTX may end with NULs.
    let text = head.len() - head.iter().rev().take_while(|&&b| b == 0).count();
    head.first().is_some_and(u8::is_ascii) && text > 0 && head[..text].iter().all(is_character)
}

fn archive(input: &mut Input, (start, size): (u64, u64), depth: u32, found: &mut Search) -> Result<(), Nothing> {
    let mut members = Vec::new();
    let cache = ReadCache::new(&mut *input);
    let broken = |error: object::Error| Nothing::Broken(start, format!("an archive: {error}"));
    let data = Metered { data: cache.range(start, size), meter: &found.meter };
    for member in ArchiveFile::parse(data).map_err(broken)?.members() {
        let member = member.map_err(broken)?;
        // Each name is a part of one table, which can be one long name.
        if member.name().len() > NAME {
            return Err(Nothing::Broken(start, format!("the name of a member has more than {NAME} bytes")));
        }
        let name = String::from_utf8_lossy(member.name());
        let (at, length) = member.file_range();
        if at.checked_add(length).is_none_or(|end| end > size) {
            let what = format!("the member `{name}` extends past the end of the archive");
            return Err(Nothing::Broken(start + at.min(size), what));
        }
        members.push((Arc::from(name), (start + at, length)));
    }
    drop(cache);
    for (member, place) in members {
        // Skips host code and the members that linkers add.
        if let Err(broken @ Nothing::Broken(..)) = part(input, place, Some(&member), false, depth - 1, found) {
            return Err(broken);
        }
    }
    if found.located.is_empty() {
        return Err(Nothing::NoDeviceCode("archive"));
    }
    Ok(())
}

fn object_file(
    input: &mut Input,
    (start, size): (u64, u64),
    member: Option<&Arc<str>>,
    found: &mut Search,
) -> Result<(), Nothing> {
    let cache = ReadCache::new(&mut *input);
    let sections = sections::of_object(Metered { data: cache.range(start, size), meter: &found.meter });
    let (format, sections) = sections.ok_or_else(|| Nothing::Foreign(String::new()))?;
    let mut sections =
        sections.map_err(|error| Nothing::Broken(start, format!("invalid object file ({format}): {error}")))?;
    drop(cache);
    sections.sort_by_key(|section| (section.at, !section.is_device_code));
    let before = found.located.len();
    for Section { is_device_code, at, length } in sections {
        if at.checked_add(length).is_none_or(|end| end > size) {
            if is_device_code {
                let what = "the section with device code extends past the end of the object file";
                return Err(Nothing::Broken(start + at.min(size), what.to_owned()));
            }
            continue;
        }
        // Sections do not overlap in files of compilers. No byte is read twice.
        let (at, end) = ((start + at).max(found.end), start + at + length);
        if at >= end {
            continue;
        }
        found.end = end;
        let located = &mut found.located;
        let mut push = |kind, start, size| located.push(Located { kind, start, size, member: member.cloned() });
        if is_device_code {
            push(Kind::Fatbin, at, end - at);
        } else {
            embedded::find(input, (at, end - at), &found.guesses, push)
                .map_err(|error| Nothing::Broken(at, error.to_string()))?;
        }
    }
    if found.located.len() == before {
        return Err(Nothing::NoDeviceCode(format));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an ELF file with 20,000 sections of data or device code: the parts of `body` at these offsets.
    fn elf(name: &[u8], body: &[u8], part: impl Fn(usize) -> (usize, usize)) -> Vec<u8> {
        const SECTIONS: usize = 20_000;
        let names = [&b"\0"[..], name, b"\0"].concat();
        let header = |name: u32, kind: u32, (offset, size): (usize, usize)| {
            let mut header = [name.to_le_bytes(), kind.to_le_bytes()].concat();
            // `SHF_ALLOC`.
            header.extend([2_u64, 0, offset as u64, size as u64].map(u64::to_le_bytes).concat());
            header.extend([0; 8]);
            header.extend([1_u64, 0].map(u64::to_le_bytes).concat());
            header
        };
        let mut bytes = b"\x7fELF\x02\x01\x01\0".to_vec();
        bytes.resize(64, 0);
        bytes.extend(body);
        let table = bytes.len() + names.len();
        let place = (bytes.len(), names.len());
        bytes.extend(names);
        bytes.extend(header(0, 0, (0, 0)));
        for number in 0..SECTIONS {
            let (offset, size) = part(number);
            bytes.extend(header(1, 1, (64 + offset, size)));
        }
        bytes.extend(header(0, 3, place));
        bytes[16..20].copy_from_slice(&[3, 0, 62, 0]);
        bytes[40..48].copy_from_slice(&(table as u64).to_le_bytes());
        bytes[52..54].copy_from_slice(&[64, 0]);
        let counts = [64, SECTIONS as u16 + 2, SECTIONS as u16 + 1];
        bytes[58..64].copy_from_slice(&counts.map(u16::to_le_bytes).concat());
        bytes
    }

    /// Locates device code. Returns also the number of bytes that were read.
    fn counted(bytes: Vec<u8>) -> (Result<Vec<Located>, Nothing>, u64) {
        let mut input = Input::of(bytes);
        let located = locate(&mut input, true);
        (located, input.count)
    }

    #[test]
    fn sections_that_overlap_are_read_once() {
        let body = vec![b'x'; 4 << 20];
        let starts: [fn(usize) -> usize; 3] = [|_| 0, |number| number, |number| 20_000 - number];
        for start in starts {
            let bytes = elf(b".rodata", &body, |number| (start(number), (4 << 20) - start(number)));
            let size = bytes.len() as u64;
            let (located, read) = counted(bytes);
            assert_eq!(located.err(), Some(Nothing::NoDeviceCode("ELF file")));
            assert!(read < 4 * size, "{read} of {size}");
        }
        let bytes = elf(b".nv_fatbin", &body[..4096], |_| (0, 4096));
        let located = counted(bytes).0.unwrap();
        let parts: Vec<_> = located.iter().map(|part| (part.start, part.size)).collect();
        assert_eq!(parts, [(64, 4096)]);
    }

    /// Each text, after its first statements, could continue to the end.
    #[test]
    fn texts_that_are_not_ptx_are_read_a_few_times() {
        let heads = [
            ".version 8.0\n.target sm_75//",
            ".version 8.0\n.target sm_75\n.const .b8 x[] = {1,\n",
            ".target sm_75 //.version 8.0\n",
        ];
        for head in heads {
            let body = format!(".version 8.0\n{}", head.repeat((1 << 20) / head.len()));
            let size = body.len();
            let bytes = elf(b".rodata", body.as_bytes(), |number| match number {
                0 => (0, size),
                _ => (0, 0),
            });
            let (located, read) = counted(bytes);
            assert!(matches!(located, Err(Nothing::Broken(..) | Nothing::NoDeviceCode(_))), "{head:?}");
            let size = size as u64;
            assert!(read < 16 * size + (64 << 20), "{head:?}: {read} of {size}");
        }
    }

    #[test]
    fn tables_of_symbols_that_overlap_are_an_error() {
        // Load commands of Mach-O: `LC_SYMTAB` with 2^16 symbols each.
        let (count, symbols) = (5_000_u32, 1_u32 << 16);
        let mut bytes = [0xfeed_facf, 0x0100_0007, 3, 1, count, count * 24, 0, 0].map(u32::to_le_bytes).concat();
        for command in 0..count {
            let at = 32 + count * 24;
            bytes.extend([2, 24, at, symbols - command, 0, 0].map(u32::to_le_bytes).concat());
        }
        bytes.resize(bytes.len() + 16 * symbols as usize, 0);
        let size = bytes.len() as u64;
        let (located, read) = counted(bytes);
        assert!(matches!(located, Err(Nothing::Broken(..))), "{located:?}");
        assert!(read < 4 * size + (32 << 20), "{read} of {size}");
    }

    #[test]
    fn a_name_is_not_the_whole_table_of_an_archive() {
        let member = |name: &str, size: usize| format!("{name:16}{:12}{:6}{:6}{:8}{size:<10}`\n", 0, 0, 0, 644);
        let mut bytes = format!("!<arch>\n{}{}/\n", member("//", (1 << 20) + 2), "n".repeat(1 << 20));
        for number in 0..1000 {
            bytes += &member(&format!("/{number}"), 0);
        }
        let (located, _) = counted(bytes.into_bytes());
        let what = "the name of a member has more than 4096 bytes".to_owned();
        assert_eq!(located.err(), Some(Nothing::Broken(0, what)));
    }

    #[test]
    fn text_is_distinguished_from_other_bytes() {
        assert!(
            !is_text(b"MZ\0\0PE") && is_text(b"entry\0") && !is_text(b"\x7fELF") && !is_text(b"") && !is_text(b"a\x01")
        );
    }
}

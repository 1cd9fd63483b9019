//! Where in a file device code lies: the file itself, sections of object files, members of archives.

use super::input::Input;
use kernel_args_abi::fatbin;
use object::{
    Endianness, Object as _, ObjectSection as _,
    read::{
        FileKind, ReadCache, ReadRef,
        archive::ArchiveFile,
        elf::{FileHeader, SectionHeader as _},
    },
};
use std::sync::Arc;

/// ELF's number for NVIDIA GPUs.
const CUDA: u16 = 190;

/// How deep archives may lie in archives.
const DEPTH: u32 = 4;

/// The sections that hold fat binaries. Those of COFF images are cut to 8 characters; `__nv_relfatbin` is of relocatable device
/// code.
const SECTIONS: [&str; 3] = [".nv_fatbin", "__nv_relfatbin", "__nv_fatbin"];
const CUT_SECTIONS: [&str; 3] = [".nv_fatb", "__nv_rel", "__nv_fat"];

/// What lies in a part of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum What {
    Ptx,
    Cubin,
    /// One fat binary or several.
    Fatbin,
}

/// A part of a file with device code.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    pub(crate) what: What,
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// The member of an archive that it lies in.
    pub(crate) member: Option<Arc<str>>,
}

/// Why there is nothing in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Nothing {
    /// It is in none of the formats.
    Foreign(String),
    /// It is an object file or archive of a format that is known, without device code.
    NoDeviceCode(&'static str),
    /// It is damaged: where, and how.
    Broken(u64, String),
}

/// Finds the device code of a file. A part that is text counts as PTX only if it begins as PTX does, unless `is_named`: then the
/// user says that it is.
pub(crate) fn locate(input: &mut Input, is_named: bool) -> Result<Vec<Located>, Nothing> {
    let size = input.size();
    let mut found = Vec::new();
    part(input, (0, size), None, is_named, DEPTH, &mut found)?;
    Ok(found)
}

fn part(
    input: &mut Input,
    (start, size): (u64, u64),
    member: Option<&Arc<str>>,
    is_named: bool,
    depth: u32,
    found: &mut Vec<Located>,
) -> Result<(), Nothing> {
    const HEAD: u64 = 4096;
    let broken = |error: std::io::Error| Nothing::Broken(start, error.to_string());
    let head = input.head(start, size.min(HEAD)).map_err(broken)?;
    let magic = head
        .first_chunk::<4>()
        .map(|bytes| u32::from_le_bytes(*bytes));
    let is_cuda = |at: usize| head.get(at..at + 2) == Some(&CUDA.to_le_bytes()[..]);
    let whole = |what| Located {
        what,
        start,
        size,
        member: member.cloned(),
    };
    if magic == Some(fatbin::MAGIC) {
        found.push(whole(What::Fatbin));
        return Ok(());
    }
    if head.starts_with(b"\x7fELF") {
        if is_cuda(18) {
            found.push(whole(What::Cubin));
            return Ok(());
        }
        return object_file(input, (start, size), member, found);
    }
    if head.starts_with(b"!<thin>\n") {
        const THIN: &str =
            "a thin archive, which holds the names of its members only: pass these files";
        return Err(Nothing::Foreign(THIN.to_owned()));
    }
    if head.starts_with(b"!<arch>\n") {
        if depth == 0 {
            const DEEP: &str = "an archive in an archive, and so on: too deep";
            return Err(Nothing::Foreign(DEEP.to_owned()));
        }
        return archive(input, (start, size), depth, found);
    }
    if begins_as_ptx(&head) || is_named && is_text(&head) {
        found.push(whole(What::Ptx));
        return Ok(());
    }
    object_file(input, (start, size), member, found).map_err(|nothing| match nothing {
        Nothing::Foreign(_) => Nothing::Foreign(foreign(&head)),
        other => other,
    })
}

fn foreign(head: &[u8]) -> String {
    if head.is_empty() {
        return "it is empty".to_owned();
    }
    let first = head.get(..8).unwrap_or(head).escape_ascii();
    format!(
        "neither PTX, nor a cubin, nor a fat binary, nor an object file, program, library or archive: it begins with `{first}`"
    )
}

/// Whether a text begins with `.version`, behind comments and spaces.
fn begins_as_ptx(mut text: &[u8]) -> bool {
    loop {
        text = text.trim_ascii_start();
        let end: &[u8] = match text {
            [b'/', b'/', ..] => b"\n",
            [b'/', b'*', ..] => b"*/",
            _ => return text.starts_with(b".version"),
        };
        match text.windows(end.len()).position(|window| window == end) {
            Some(at) => text = &text[at + end.len()..],
            // A long comment.
            None => return true,
        }
    }
}

fn is_text(head: &[u8]) -> bool {
    let is_character = |b: &u8| matches!(b, b'\t'..=b'\r' | b' '..=b'~' | 0x80..);
    // PTX may end with NULs.
    let text = head.len() - head.iter().rev().take_while(|&&b| b == 0).count();
    head.first().is_some_and(u8::is_ascii) && text > 0 && head[..text].iter().all(is_character)
}

fn archive(
    input: &mut Input,
    (start, size): (u64, u64),
    depth: u32,
    found: &mut Vec<Located>,
) -> Result<(), Nothing> {
    let mut members = Vec::new();
    {
        let cache = ReadCache::new(&mut *input);
        let broken = |error: object::Error| Nothing::Broken(start, format!("an archive: {error}"));
        let data = cache.range(start, size);
        let archive = ArchiveFile::parse(data).map_err(broken)?;
        for member in archive.members() {
            let member = member.map_err(broken)?;
            let name = String::from_utf8_lossy(member.name()).into_owned();
            let (at, length) = member.file_range();
            if at.checked_add(length).is_none_or(|end| end > size) {
                let what = format!("an archive whose member `{name}` ends outside of it");
                return Err(Nothing::Broken(start + at.min(size), what));
            }
            members.push((name, at, length));
        }
    }
    for (name, at, length) in members {
        let member = Arc::from(name);
        let place = (start + at, length);
        // Host code, and what linkers add, is passed over.
        if let Err(broken @ Nothing::Broken(..)) =
            part(input, place, Some(&member), false, depth - 1, found)
        {
            return Err(broken);
        }
    }
    if found.is_empty() {
        return Err(Nothing::NoDeviceCode("archive"));
    }
    Ok(())
}

/// The sections of an object file, program or library.
fn object_file(
    input: &mut Input,
    (start, size): (u64, u64),
    member: Option<&Arc<str>>,
    found: &mut Vec<Located>,
) -> Result<(), Nothing> {
    let cache = ReadCache::new(&mut *input);
    let data = cache.range(start, size);
    let (format, sections) = match FileKind::parse(data) {
        Ok(FileKind::Elf64) => (
            "ELF file",
            elf::<object::elf::FileHeader64<Endianness>, _>(data),
        ),
        Ok(FileKind::Elf32) => (
            "ELF file",
            elf::<object::elf::FileHeader32<Endianness>, _>(data),
        ),
        Ok(FileKind::Pe32 | FileKind::Pe64) => ("PE file", any(data)),
        Ok(FileKind::Coff | FileKind::CoffBig) => ("COFF file", any(data)),
        Ok(FileKind::MachO32 | FileKind::MachO64) => ("Mach-O file", any(data)),
        _ => return Err(Nothing::Foreign(String::new())),
    };
    let sections = sections
        .map_err(|error| Nothing::Broken(start, format!("an object file ({format}): {error}")))?;
    let mut is_empty = true;
    for (at, length) in sections {
        if at.checked_add(length).is_none_or(|end| end > size) {
            let what = "an object file whose section with device code ends outside of it";
            return Err(Nothing::Broken(start + at.min(size), what.to_owned()));
        }
        is_empty = false;
        found.push(Located {
            what: What::Fatbin,
            start: start + at,
            size: length,
            member: member.cloned(),
        });
    }
    if is_empty {
        return Err(Nothing::NoDeviceCode(format));
    }
    Ok(())
}

/// Offset and size of each section with device code.
type Sections = object::Result<Vec<(u64, u64)>>;

/// The symbols of a library, which take tens of megabytes, are not read.
fn elf<'d, H: FileHeader<Endian = Endianness>, R: ReadRef<'d>>(data: R) -> Sections {
    let header = H::parse(data)?;
    let endian = header.endian()?;
    let table = header.sections(endian, data)?;
    let mut found = Vec::new();
    for section in table.iter() {
        let name = table.section_name(endian, section).unwrap_or_default();
        if is_device_code(name)
            && let Some((at, size)) = section.file_range(endian)
        {
            found.push((at, size));
        }
    }
    Ok(found)
}

fn any<'d, R: ReadRef<'d>>(data: R) -> Sections {
    let file = object::File::parse(data)?;
    let mut found = Vec::new();
    for section in file.sections() {
        if is_device_code(section.name_bytes().unwrap_or_default())
            && let Some((at, size)) = section.file_range()
        {
            found.push((at, size));
        }
    }
    Ok(found)
}

fn is_device_code(name: &[u8]) -> bool {
    let is_cut = CUT_SECTIONS.iter().any(|cut| name == cut.as_bytes());
    is_cut
        || SECTIONS
            .iter()
            .any(|known| name.starts_with(known.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ptx_is_told_by_its_first_word() {
        for text in [".version 9.0", "\n  // a\n/* b */ .version", "/* long"] {
            assert!(begins_as_ptx(text.as_bytes()), "{text}");
        }
        for text in ["", "version", "# .version", "//\nfn"] {
            assert!(!begins_as_ptx(text.as_bytes()), "{text}");
        }
        assert!(
            !is_text(b"MZ\0\0PE")
                && is_text(b"entry\0")
                && !is_text(b"\x7fELF")
                && !is_text(b"")
                && !is_text(b"a\x01")
        );
    }

    #[test]
    fn sections_with_device_code_are_known_by_name() {
        for name in [
            ".nv_fatbin",
            ".nv_fatb",
            "__nv_relfatbin",
            "__nv_fatbin",
            ".nv_fatbin.sm_90",
        ] {
            assert!(is_device_code(name.as_bytes()), "{name}");
        }
        for name in [".nvFatBinSegment", ".text", "", ".nv_fat", "__nv_module_id"] {
            assert!(!is_device_code(name.as_bytes()), "{name}");
        }
    }
}

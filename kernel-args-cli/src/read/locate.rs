//! Finds device code in a file: the file itself, sections and data of object files, members of archives.

use super::{
    embedded,
    input::Input,
    sections::{self, Holds, Section},
};
use kernel_args_image::{Kind, cubin, fatbin, ptx};
use object::read::{ReadCache, archive::ArchiveFile};
use std::sync::Arc;

/// The maximum depth of nested archives.
const DEPTH: u32 = 4;

/// A part of a file with device code.
#[derive(Clone, Debug)]
pub(crate) struct Located {
    /// One or more fat binaries, one after another.
    pub(crate) kind: Kind,
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// The archive member that contains it.
    pub(crate) member: Option<Arc<str>>,
}

/// Why a file has no device code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Nothing {
    /// The format is unknown.
    Foreign(String),
    /// An object file or archive in a known format, without device code.
    NoDeviceCode(&'static str),
    /// The file is damaged: the position and the error.
    Broken(u64, String),
}

/// Finds the device code of a file. Text counts as PTX only if it begins like PTX. With `is_named`, all text counts, because
/// the user named the file.
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
    let is_cuda = |at: usize| head.get(at..at + 2) == Some(&cubin::MACHINE.to_le_bytes()[..]);
    let whole = |kind| Located {
        kind,
        start,
        size,
        member: member.cloned(),
    };
    if magic == Some(fatbin::MAGIC) {
        found.push(whole(Kind::Fatbin));
        return Ok(());
    }
    if head.starts_with(b"\x7fELF") {
        if is_cuda(18) {
            found.push(whole(Kind::Cubin));
            return Ok(());
        }
        // The magic number of 64-bit ELF. The section table is the last part of such a file.
        let table = head.get(40..48).filter(|_| head[4] == 2);
        let table = table
            .and_then(|bytes| bytes.try_into().ok())
            .map(u64::from_le_bytes);
        if let Some(table) = table.filter(|table| *table > size && head[5] == 1) {
            let what = format!(
                "a truncated ELF file: its section table is at byte {}",
                start.saturating_add(table)
            );
            return Err(Nothing::Broken(start + size, what));
        }
        return object_file(input, (start, size), member, found);
    }
    if head.starts_with(b"!<thin>\n") {
        const THIN: &str =
            "a thin archive contains only the names of its members: pass these files instead";
        return Err(Nothing::Foreign(THIN.to_owned()));
    }
    if head.starts_with(b"!<arch>\n") {
        if depth == 0 {
            const DEEP: &str = "archives are nested too deeply";
            return Err(Nothing::Foreign(DEEP.to_owned()));
        }
        return archive(input, (start, size), depth, found);
    }
    if ptx::begins(&head, size <= HEAD) || is_named && is_text(&head) {
        found.push(whole(Kind::Ptx));
        return Ok(());
    }
    object_file(input, (start, size), member, found).map_err(|nothing| match nothing {
        Nothing::Foreign(_) => Nothing::Foreign(foreign(&head)),
        other => other,
    })
}

fn foreign(head: &[u8]) -> String {
    if head.is_empty() {
        return "the file is empty".to_owned();
    }
    let first = head.get(..8).unwrap_or(head).escape_ascii();
    format!(
        "not PTX, a cubin, a fat binary, an object file, a program, a library or an archive: the file begins with `{first}`"
    )
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
                let what = format!("the member `{name}` extends past the end of the archive");
                return Err(Nothing::Broken(start + at.min(size), what));
            }
            members.push((name, at, length));
        }
    }
    for (name, at, length) in members {
        let member = Arc::from(name);
        let place = (start + at, length);
        // Skips host code and the members that linkers add.
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

/// Returns the sections of an object file, program or library.
fn object_file(
    input: &mut Input,
    (start, size): (u64, u64),
    member: Option<&Arc<str>>,
    found: &mut Vec<Located>,
) -> Result<(), Nothing> {
    let sections = sections::of_object(ReadCache::new(&mut *input).range(start, size));
    let (format, sections) = sections.ok_or_else(|| Nothing::Foreign(String::new()))?;
    let sections = sections.map_err(|error| {
        Nothing::Broken(start, format!("invalid object file ({format}): {error}"))
    })?;
    let before = found.len();
    for Section { kind, at, length } in sections {
        let is_inside = at.checked_add(length).is_some_and(|end| end <= size);
        let mut push = |kind, start, size| {
            found.push(Located {
                kind,
                start,
                size,
                member: member.cloned(),
            });
        };
        match kind {
            Holds::Fatbins if is_inside => push(Kind::Fatbin, start + at, length),
            Holds::Fatbins => {
                let what = "the section with device code extends past the end of the object file";
                return Err(Nothing::Broken(start + at.min(size), what.to_owned()));
            }
            Holds::Data if is_inside => embedded::find(input, (start + at, length), push)
                .map_err(|error| Nothing::Broken(start + at, error.to_string()))?,
            // Program headers are read elsewhere.
            Holds::Data => {}
        }
    }
    if found.len() == before {
        return Err(Nothing::NoDeviceCode(format));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_distinguished_from_other_bytes() {
        assert!(
            !is_text(b"MZ\0\0PE")
                && is_text(b"entry\0")
                && !is_text(b"\x7fELF")
                && !is_text(b"")
                && !is_text(b"a\x01")
        );
    }
}

//! The members of a static library, in the formats of GNU and BSD `ar`.

use crate::prelude::*;

pub(crate) const MAGIC: &[u8] = b"!<arch>\n";
/// Its members are other files.
pub(crate) const THIN: &[u8] = b"!<thin>\n";
const HEADER: usize = 60;

pub(crate) struct Archive<'a> {
    rest: &'a [u8],
    /// GNU: names of 16 bytes and more, each followed by `/` and a line feed.
    long_names: &'a [u8],
}

impl<'a> Archive<'a> {
    /// `None` if the bytes are no archive.
    pub(crate) fn new(bytes: &'a [u8]) -> Option<Self> {
        Some(Self { rest: bytes.strip_prefix(MAGIC)?, long_names: &[] })
    }

    fn member(&mut self) -> Option<(Cow<'a, str>, &'a [u8])> {
        let (header, rest) = self.rest.split_at_checked(HEADER)?;
        let number = |bytes: &[u8]| core::str::from_utf8(bytes).ok()?.trim().parse::<usize>().ok();
        let size = number(&header[48..58]).filter(|_| header.ends_with(b"`\n"))?;
        let (data, rest) = rest.split_at_checked(size)?;
        // A member begins at an even offset.
        self.rest = if size % 2 == 1 { rest.get(1..).unwrap_or_default() } else { rest };
        let name = header[..16].trim_ascii_end();
        let text = String::from_utf8_lossy;
        Some(match name {
            b"//" => {
                self.long_names = data;
                (Cow::Borrowed(""), &[])
            }
            // The index of symbols.
            b"/" | [b'/', b'S', b'Y', b'M', ..] => (Cow::Borrowed(""), &[]),
            [b'/', at @ ..] => {
                let name = self.long_names.get(number(at)?..)?;
                (text(without_slash(name.split(|&byte| byte == b'\n').next()?)), data)
            }
            [b'#', b'1', b'/', length @ ..] => {
                let (name, data) = data.split_at_checked(number(length)?)?;
                (text(crate::formats::bytes::before_nul(name)), data)
            }
            name => (text(without_slash(name)), data),
        })
    }
}

fn without_slash(name: &[u8]) -> &[u8] {
    name.strip_suffix(b"/").unwrap_or(name)
}

/// The name and the bytes of each object. An error ends the archive.
impl<'a> Iterator for Archive<'a> {
    type Item = Result<(Cow<'a, str>, &'a [u8]), &'static str>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let Some((name, data)) = self.member() else {
                self.rest = &[];
                return Some(Err("the header of a member is invalid, or the file is truncated"));
            };
            let is_index = name.is_empty() || name.starts_with("__.SYMDEF");
            if !is_index {
                return Some(Ok((name, data)));
            }
        }
        None
    }
}

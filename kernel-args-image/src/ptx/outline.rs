//! A PTX text without the bodies of its kernels.

use super::{DEFINED_TWICE, Entry, Error, Head, lexer::Lexer};
use alloc::vec::Vec;

/// The kernels of a PTX text without their bodies: owned, and much smaller than the text.
///
/// A kernel is parsed again when it is asked for, so that many of them take little memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outline {
    version: (u16, u16),
    /// Whether it has a section of debug information.
    debug_info: bool,
    /// What stands between `.entry` and each body, one after another. A body is left as `{}`.
    declarations: Vec<u8>,
    /// In the order of their names, each once.
    kernels: Vec<Place>,
}

/// Where a kernel's declaration stands. Numbers of 32 bits, since there may be millions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    /// In the text, after `.entry`.
    text: u32,
    /// In `declarations`.
    start: u32,
    /// Without the body.
    length: u32,
    /// From `start` on, blanks included.
    name_end: u32,
    /// Whether it uses dynamic shared memory.
    dynamic_shared: bool,
}

impl Outline {
    /// Reads a PTX text from bytes that may end with a NUL, and checks it as
    /// [`Module::parse_bytes`](super::Module::parse_bytes) does.
    ///
    /// # Errors
    /// As there, and where the text is 4 GiB large.
    pub fn read(bytes: &[u8]) -> Result<Self, Error> {
        let mut outline = Self {
            version: (0, 0),
            debug_info: false,
            declarations: Vec::new(),
            kernels: Vec::new(),
        };
        let head = Head::walk(bytes, |lexer, found| {
            const SIZE: &str = "a text of less than 4 GiB";
            let place = Place::new(
                found.at,
                outline.declarations.len(),
                &bytes[found.at..found.end],
            );
            let place = place.ok_or_else(|| lexer.error(found.at, SIZE))?;
            outline.kernels.push(place);
            let body: &[u8] = if found.entry.is_defined { b"{}" } else { b";" };
            outline.declarations.extend(&bytes[found.at..found.end]);
            outline.declarations.extend(body);
            Ok(())
        })?;
        outline.version = head.version;
        outline.debug_info = head.debug_info;
        for place in &mut outline.kernels {
            place.dynamic_shared = head.uses_dynamic_shared(place.text as usize);
        }
        outline.order(bytes)?;
        Ok(outline)
    }

    /// Sorts by name, and of a kernel that is declared and then defined keeps the definition.
    fn order(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let declarations = &self.declarations;
        let is_defined = |place: &Place| declarations.get(place.end()) == Some(&b'{');
        let mut twice = None;
        self.kernels.sort_unstable_by(|a, b| {
            (a.name(declarations), a.text).cmp(&(b.name(declarations), b.text))
        });
        self.kernels.dedup_by(|later, kept| {
            let same = later.name(declarations) == kept.name(declarations);
            if same && is_defined(later) {
                if is_defined(kept) {
                    twice = twice
                        .into_iter()
                        .chain([*later])
                        .min_by_key(|place: &Place| place.text);
                }
                *kept = *later;
            }
            same
        });
        match twice {
            None => Ok(()),
            Some(place) => Err(Lexer::new(bytes).error_at(
                place.text as usize,
                DEFINED_TWICE,
                place.name(declarations),
            )),
        }
    }

    /// Whether the text has a section of debug information.
    pub(crate) const fn has_debug_info(&self) -> bool {
        self.debug_info
    }

    /// The symbols of all kernels, in alphabetical order.
    #[must_use]
    pub fn symbols(&self) -> impl ExactSizeIterator<Item = &str> {
        self.kernels
            .iter()
            .map(|place| place.name(&self.declarations))
    }

    /// The kernel of this symbol.
    #[must_use]
    pub fn entry(&self, symbol: &str) -> Option<Entry<'_>> {
        self.nth(self.find(symbol)?)
    }

    /// The declaration of this kernel: what stands between `.entry` and its body, and at which byte of the text that
    /// was read.
    #[must_use]
    pub fn declaration(&self, symbol: &str) -> Option<(usize, &[u8])> {
        let place = self.kernels.get(self.find(symbol)?)?;
        let declaration = self.declarations.get(place.start as usize..place.end())?;
        Some((place.text as usize, declaration))
    }

    fn find(&self, symbol: &str) -> Option<usize> {
        self.kernels
            .binary_search_by(|place| place.name(&self.declarations).cmp(symbol))
            .ok()
    }

    /// The kernel at this place of [`symbols`](Self::symbols).
    pub(crate) fn nth(&self, index: usize) -> Option<Entry<'_>> {
        let place = self.kernels.get(index)?;
        let mut lexer = Lexer::new(self.declarations.get(place.start as usize..)?);
        Entry::parse(&mut lexer, self.version)
            .ok()
            .map(|(entry, _)| Entry {
                dynamic_shared: place.dynamic_shared,
                ..entry
            })
    }

    pub(crate) fn symbol(&self, index: usize) -> &str {
        self.kernels
            .get(index)
            .map_or("", |place| place.name(&self.declarations))
    }

    /// How much memory it takes, in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.declarations.len() + size_of::<Place>() * self.kernels.len()
    }
}

impl Place {
    fn new(text: usize, start: usize, declaration: &[u8]) -> Option<Self> {
        let mut lexer = Lexer::new(declaration);
        lexer.token().ok()?;
        // What follows the last declaration, two bytes at most, is in range as well.
        u32::try_from(start.checked_add(declaration.len())?.checked_add(2)?).ok()?;
        Some(Self {
            text: u32::try_from(text).ok()?,
            start: u32::try_from(start).ok()?,
            length: u32::try_from(declaration.len()).ok()?,
            name_end: u32::try_from(lexer.position()).ok()?,
            dynamic_shared: false,
        })
    }

    /// Where the body begins.
    const fn end(&self) -> usize {
        self.start as usize + self.length as usize
    }

    fn name<'d>(&self, declarations: &'d [u8]) -> &'d str {
        let start = self.start as usize;
        let word = declarations.get(start..start + self.name_end as usize);
        let word = word.map(|bytes| {
            let is_name = |&b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'%');
            let length = bytes.iter().rev().take_while(|b| is_name(b)).count();
            &bytes[bytes.len() - length..]
        });
        word.and_then(|bytes| core::str::from_utf8(bytes).ok())
            .unwrap_or_default()
    }
}

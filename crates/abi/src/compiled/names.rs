//! The names of a kernel in the table of a [`CompiledImage`].

use super::{
    glob,
    image::{CompiledImage, place_at},
};

/// A number of 3 bytes, read without a call. Names are shorter than 64 KiB.
macro_rules! short_at {
    ($bytes:expr, $at:expr) => {
        $bytes[$at] as usize | ($bytes[$at + 1] as usize) << 8 | ($bytes[$at + 2] as usize) << 16
    };
}

/// The positions of a kernel's names in the text of all names.
///
/// That text is a literal and not a `static`: clippy 1.95 panics if a user compares two constant `&str`s and the bytes
/// of one are in a `static` (`ConstValue::try_get_slice_bytes_for_diagnostics`).
#[derive(Clone, Copy)]
pub(super) struct Names {
    pub(super) text: &'static str,
    /// The start and the end of the readable name.
    pub(super) name: (usize, usize),
    /// The start and the end of the symbol, which can be the readable name.
    pub(super) symbol: (usize, usize),
    /// The start of the qualified name: `sim::step` of `void sim::step<float>(int)`.
    pub(super) qualified: usize,
    pub(super) unqualified: usize,
    /// The end of the qualified and of the unqualified name.
    pub(super) end: usize,
    pub(super) arguments_end: usize,
}

/// The size of the numbers of [`Names`] in bytes: one number of 4 bytes, six of 3 bytes.
pub(super) const NAMES: usize = 22;

impl Names {
    pub(super) const fn read(image: &CompiledImage, index: usize) -> Self {
        Self::read_at(image, place_at(image.table, 1 + index))
    }

    pub(super) const fn read_at(image: &CompiledImage, at: usize) -> Self {
        let table = image.table;
        let name = short_at!(table, at) | (table[at + 3] as usize) << 24;
        let name_end = name + short_at!(table, at + 4);
        let symbol_end = name_end + short_at!(table, at + 7);
        Self {
            text: image.names,
            name: (name, name_end),
            symbol: if symbol_end == name_end { (name, name_end) } else { (name_end, symbol_end) },
            qualified: name + short_at!(table, at + 10),
            unqualified: name + short_at!(table, at + 13),
            end: name + short_at!(table, at + 16),
            arguments_end: name + short_at!(table, at + 19),
        }
    }

    pub(super) const fn bytes(&self) -> &'static [u8] {
        self.text.as_bytes()
    }

    /// Returns whether one of the names matches `pattern` and ends with `suffix`.
    pub(super) const fn match_pattern(&self, pattern: &str, suffix: &str) -> bool {
        let (pattern, suffix) = (pattern.as_bytes(), suffix.as_bytes());
        let text = self.bytes();
        let (start, end) = self.symbol;
        glob::matches(pattern, suffix, text, start, end)
            || self.is_mangled()
                && (glob::matches(pattern, suffix, text, self.unqualified, self.end)
                    || glob::matches(pattern, suffix, text, self.qualified, self.end)
                    || glob::matches(pattern, suffix, text, self.unqualified, self.arguments_end)
                    || glob::matches(pattern, suffix, text, self.qualified, self.arguments_end))
    }

    /// Returns whether a part of one of the names matches `pattern`.
    pub(super) const fn match_part(&self, pattern: &[u8]) -> bool {
        let (start, end) = if self.is_mangled() { (self.qualified, self.arguments_end) } else { self.symbol };
        glob::matches_from(pattern, b"", self.bytes(), start, end, true)
    }

    /// Returns whether the symbol differs from the readable name.
    pub(super) const fn is_mangled(&self) -> bool {
        self.symbol.0 != self.name.0
    }

    pub(super) const fn name(&self) -> &'static str {
        self.part(self.name)
    }

    pub(super) const fn symbol(&self) -> &'static str {
        self.part(self.symbol)
    }

    const fn part(&self, (start, end): (usize, usize)) -> &'static str {
        self.text.split_at(end).0.split_at(start).1
    }
}

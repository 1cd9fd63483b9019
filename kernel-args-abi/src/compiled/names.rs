//! The names of a kernel in the table of a [`CompiledImage`].

use super::image::{CompiledImage, place_at};

/// A number of 3 bytes, without a call: names are shorter than 64 KiB.
macro_rules! short_at {
    ($bytes:expr, $at:expr) => {
        $bytes[$at] as usize | ($bytes[$at + 1] as usize) << 8 | ($bytes[$at + 2] as usize) << 16
    };
}

/// Where a kernel's names stand in the text of all names.
///
/// That text is a literal, and not in a `static` itself as the table is: clippy 1.95 panics where a user compares a constant `&str`
/// with another whose bytes are in a `static` (`ConstValue::try_get_slice_bytes_for_diagnostics`).
#[derive(Clone, Copy)]
pub(super) struct Names {
    text: &'static str,
    /// The readable name: from here to there.
    pub(super) name: (usize, usize),
    /// The symbol, which may be the same.
    pub(super) symbol: (usize, usize),
    /// Where the qualified name begins, `sim::step` of `void sim::step<float>(int)`.
    pub(super) qualified: usize,
    /// Where it begins without namespaces.
    pub(super) unqualified: usize,
    /// Where both end.
    pub(super) end: usize,
    /// Where the template arguments end.
    pub(super) arguments_end: usize,
}

/// How many bytes the numbers of [`Names`] take: one of 4 bytes, six of 3.
pub(super) const NAMES: usize = 22;

impl Names {
    pub(super) const fn read(image: &CompiledImage, index: usize) -> Self {
        let table = image.table;
        let at = place_at(table, 1 + index);
        let name = short_at!(table, at) | (table[at + 3] as usize) << 24;
        let name_end = name + short_at!(table, at + 4);
        let symbol_end = name_end + short_at!(table, at + 7);
        Self {
            text: image.names,
            name: (name, name_end),
            symbol: if symbol_end == name_end {
                (name, name_end)
            } else {
                (name_end, symbol_end)
            },
            qualified: name + short_at!(table, at + 10),
            unqualified: name + short_at!(table, at + 13),
            end: name + short_at!(table, at + 16),
            arguments_end: name + short_at!(table, at + 19),
        }
    }

    /// The text of all names, in which the places are.
    pub(super) const fn bytes(&self) -> &'static [u8] {
        self.text.as_bytes()
    }

    /// Whether the symbol is mangled, so that the readable name is another one.
    pub(super) const fn is_mangled(&self) -> bool {
        self.symbol.0 != self.name.0
    }

    /// The readable name.
    pub(super) const fn name(&self) -> &'static str {
        let (start, end) = self.name;
        self.text.split_at(end).0.split_at(start).1
    }

    /// The symbol.
    pub(super) const fn symbol(&self) -> &'static str {
        let (start, end) = self.symbol;
        self.text.split_at(end).0.split_at(start).1
    }
}

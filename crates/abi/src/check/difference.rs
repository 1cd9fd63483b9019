//! The ways in which a field and a parameter can differ.

use core::fmt;

/// One way in which a field and the kernel's parameter differ, ordered from most to least serious.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
#[repr(u8)]
#[non_exhaustive]
pub enum Difference {
    /// The number of bytes.
    Size,
    /// The kind of value: integer, float, pointer, struct.
    Class,
    /// The alignment.
    Alignment,
    /// The offset. A cubin records no alignments, so a wrong alignment shows only here.
    Offset,
    /// One is a pointer, the other is a value, or is used as one.
    Pointer,
    /// The C++ kind of value: a number instead of a vector, a float instead of an integer, `unsigned char` instead of
    /// `bool`.
    Type,
    /// A member of the struct: its type, its offset, or its name.
    Members,
    /// A variant of the enum: the kernel's enum has another value, or no such value.
    Variants,
    /// The name of the struct.
    Name,
    /// One type is signed, and its counterpart is unsigned.
    Signedness,
    /// What the pointer points to: by the types of both sides, or because the kernel accesses other elements.
    Pointee,
    /// The kernel may write or writes through the pointer, but the host type allows only reads.
    Constness,
    /// The field has the name of another parameter, of the same type.
    ParameterName,
}

impl Difference {
    /// All differences, the most serious first.
    pub const ALL: [Self; 13] = [
        Self::Size,
        Self::Class,
        Self::Alignment,
        Self::Offset,
        Self::Pointer,
        Self::Type,
        Self::Members,
        Self::Variants,
        Self::Name,
        Self::Signedness,
        Self::Pointee,
        Self::Constness,
        Self::ParameterName,
    ];

    const fn bit(self) -> u16 {
        1 << self as u8
    }
}

/// All ways in which a field and a parameter differ. Empty where they fit.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Differences(u16);

impl Differences {
    /// No difference: the two fit.
    pub const NONE: Self = Self(0);

    pub(super) const fn of(difference: Difference) -> Self {
        Self(difference.bit())
    }

    /// Returns whether the two fit.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set contains `difference`.
    pub const fn contains(self, difference: Difference) -> bool {
        self.0 & difference.bit() != 0
    }

    /// Returns the most serious difference.
    pub const fn first(self) -> Option<Difference> {
        if self.is_empty() { None } else { Some(Difference::ALL[self.0.trailing_zeros() as usize]) }
    }

    /// Adds a difference to the set.
    pub const fn with(self, difference: Difference) -> Self {
        Self(self.0 | difference.bit())
    }

    pub(super) const fn and(self, more: Self) -> Self {
        Self(self.0 | more.0)
    }

    /// Returns all differences in the set, the most serious first.
    pub fn iter(self) -> impl Iterator<Item = Difference> {
        Difference::ALL.into_iter().filter(move |difference| self.contains(*difference))
    }
}

impl fmt::Debug for Differences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_serious_comes_first() {
        let both = Differences::NONE.with(Difference::Constness).with(Difference::Class);
        assert_eq!(both.first(), Some(Difference::Class));
        assert!(both.iter().eq([Difference::Class, Difference::Constness]));
        assert_eq!(Differences::NONE.first(), None);
        assert!(Difference::ALL.is_sorted());
    }
}

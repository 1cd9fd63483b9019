//! Size and alignment of a type on the device, and C's rule for placing types one after another.
//!
//! The names follow [`core::alloc::Layout`]. Every function is `const` and checked: a layout can be computed, and
//! rejected, while a program compiles.

use core::fmt;

/// An alignment in bytes. Always a power of two.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Alignment {
    pub(crate) log2: u8,
}

impl Alignment {
    /// 1 byte.
    pub const ONE: Self = Self { log2: 0 };
    /// 2 bytes.
    pub const TWO: Self = Self { log2: 1 };
    /// 4 bytes.
    pub const FOUR: Self = Self { log2: 2 };
    /// 8 bytes.
    pub const EIGHT: Self = Self { log2: 3 };
    /// 16 bytes: the largest alignment for which a parameter's offset is the same on every GPU.
    pub const SIXTEEN: Self = Self { log2: 4 };

    /// The largest supported alignment: 2^28 bytes, as in rustc.
    pub const MAX: Self = Self { log2: 28 };

    /// Creates an alignment of `bytes`, or `None` if that is not a power of two from 1 to 2^28.
    #[must_use]
    pub const fn new(bytes: usize) -> Option<Self> {
        if bytes.is_power_of_two() && bytes.trailing_zeros() <= Self::MAX.log2 as u32 {
            Some(Self { log2: bytes.trailing_zeros() as u8 })
        } else {
            None
        }
    }

    /// Returns the alignment of a Rust type on the host.
    #[must_use]
    pub const fn of<T>() -> Self {
        some!(Self::new(align_of::<T>()), Self::MAX)
    }

    /// Returns the largest alignment that divides `offset`.
    #[must_use]
    pub const fn dividing(offset: usize) -> Self {
        let log2 = offset.trailing_zeros() as u8;
        if log2 < Self::MAX.log2 { Self { log2 } } else { Self::MAX }
    }

    /// Returns the alignment in bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        1 << self.log2
    }

    /// Sets the larger of two alignments.
    #[must_use]
    pub const fn max(self, other: Self) -> Self {
        if self.log2 >= other.log2 { self } else { other }
    }

    /// Returns the first multiple of this alignment at or after `offset`, or `None` if it exceeds `isize::MAX`.
    #[must_use]
    pub const fn round_up(self, offset: usize) -> Option<usize> {
        let mask = self.bytes() - 1;
        match offset.checked_add(mask) {
            Some(end) if end & !mask <= isize::MAX as usize => Some(end & !mask),
            _ => None,
        }
    }

    /// Returns whether `offset` is a multiple of this alignment.
    #[must_use]
    pub const fn divides(self, offset: usize) -> bool {
        offset & (self.bytes() - 1) == 0
    }
}

impl fmt::Debug for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.bytes(), f)
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.bytes(), f)
    }
}

/// The error for a layout larger than `isize::MAX` bytes, or an alignment that is not a power of two.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LayoutError;

impl fmt::Display for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a layout must fit in isize::MAX bytes and be aligned to a power of two")
    }
}

impl core::error::Error for LayoutError {}

/// Size and alignment of a type on the device, in bytes.
///
/// As in [`core::alloc::Layout`], the size need not be a multiple of the alignment: see
/// [`pad_to_align`](Self::pad_to_align).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layout {
    size: usize,
    align: Alignment,
}

impl Layout {
    /// Creates a layout of `size` bytes aligned to `align`.
    ///
    /// # Errors
    /// If `size`, rounded up to `align`, exceeds `isize::MAX`.
    pub const fn new(size: usize, align: Alignment) -> Result<Self, LayoutError> {
        some!(align.round_up(size), Err(LayoutError));
        Ok(Self { size, align })
    }

    /// Returns a layout of `size` bytes aligned to `align` bytes.
    ///
    /// # Errors
    /// If `align` is not a power of two up to 2^28, or `size` rounded up to it exceeds `isize::MAX`.
    pub const fn from_size_align(size: usize, align: usize) -> Result<Self, LayoutError> {
        Self::new(size, some!(Alignment::new(align), Err(LayoutError)))
    }

    /// Returns the layout of a Rust type on the host.
    #[must_use]
    pub const fn of<T>() -> Self {
        Self { size: size_of::<T>(), align: Alignment::of::<T>() }
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn size(self) -> usize {
        self.size
    }

    /// Returns the alignment.
    #[must_use]
    pub const fn align(self) -> Alignment {
        self.align
    }

    /// Places `next` after this layout: returns the combined layout, and the offset of `next` in it.
    ///
    /// The result has no tail padding.
    ///
    /// # Errors
    /// If the result exceeds `isize::MAX`.
    pub const fn extend(self, next: Self) -> Result<(Self, usize), LayoutError> {
        let offset = some!(next.align.round_up(self.size), Err(LayoutError));
        let size = some!(offset.checked_add(next.size), Err(LayoutError));
        Ok((ok!(Self::new(size, self.align.max(next.align))), offset))
    }

    /// Returns the layout with its size rounded up to its alignment, as C pads a struct.
    #[must_use]
    pub const fn pad_to_align(self) -> Self {
        // `new` excludes the second case.
        Self { size: some!(self.align.round_up(self.size), self), ..self }
    }

    /// Returns the layout of `[T; len]`, if this is the layout of `T`.
    ///
    /// # Errors
    /// If the result exceeds `isize::MAX`.
    pub const fn array(self, len: usize) -> Result<Self, LayoutError> {
        Self::new(some!(self.pad_to_align().size.checked_mul(len), Err(LayoutError)), self.align)
    }

    /// Returns the layout of a C struct with these fields, including tail padding, and the offset of each field.
    ///
    /// # Errors
    /// If the result exceeds `isize::MAX`.
    pub const fn repr_c<const N: usize>(fields: &[Self; N]) -> Result<(Self, [usize; N]), LayoutError> {
        let mut whole = Self { size: 0, align: Alignment::ONE };
        let mut offsets = [0; N];
        let mut i = 0;
        while i < N {
            (whole, offsets[i]) = ok!(whole.extend(fields[i]));
            i += 1;
        }
        Ok((whole.pad_to_align(), offsets))
    }

    /// Returns whether two layouts have the same size and alignment.
    #[must_use]
    pub const fn same(self, other: Self) -> bool {
        self.size == other.size && self.align.log2 == other.align.log2
    }
}

impl fmt::Debug for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes aligned to {}", self.size, self.align)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layouts() -> impl Strategy<Value = Layout> {
        (0usize..400, 0u8..8).prop_map(|(size, log2)| Layout::new(size, Alignment { log2 }).unwrap())
    }

    fn twin(layout: Layout) -> core::alloc::Layout {
        core::alloc::Layout::from_size_align(layout.size, layout.align.bytes()).unwrap()
    }

    proptest! {
        #[test]
        fn engine_is_the_standard_library(fields in proptest::collection::vec(layouts(), 12), len in 0usize..50) {
            let fields: [Layout; 12] = fields.try_into().unwrap();
            let (ours, offsets) = Layout::repr_c(&fields).unwrap();
            let mut theirs = core::alloc::Layout::from_size_align(0, 1).unwrap();
            for (field, offset) in fields.iter().zip(offsets) {
                let (longer, at) = theirs.extend(twin(*field)).unwrap();
                prop_assert_eq!(at, offset);
                theirs = longer;
            }
            prop_assert_eq!(twin(ours), theirs.pad_to_align());
            let array = ours.array(len).unwrap();
            prop_assert_eq!((array.size, array.align), (ours.size * len, ours.align));
        }

        #[test]
        fn layouts_are_the_same_if_size_and_alignment_are(size in 0usize..3, more in 0usize..3, log2 in 0u8..3, other in 0u8..3) {
            let of = |size, log2| Layout::new(size, Alignment { log2 }).unwrap();
            prop_assert_eq!(of(size, log2).same(of(more, other)), (size, log2) == (more, other));
        }

        #[test]
        fn alignments_are_powers_of_two(bytes in any::<usize>()) {
            prop_assert_eq!(Alignment::new(bytes).is_some(), bytes.is_power_of_two() && bytes <= 1 << 28);
        }

        #[test]
        fn no_larger_alignment_divides_an_offset(odd in any::<u16>(), power in 0..usize::BITS - 16) {
            let offset = (odd as usize | 1) << power;
            let align = Alignment::dividing(offset);
            prop_assert!(align.divides(offset));
            prop_assert!(align == Alignment::MAX || offset & align.bytes() != 0);
            prop_assert_eq!(Alignment::dividing(0), Alignment::MAX);
        }
    }

    #[test]
    fn overflow_is_an_error() {
        let huge = Layout::from_size_align(isize::MAX as usize - 7, 8).unwrap();
        assert_eq!(huge.extend(Layout::of::<u64>()), Err(LayoutError));
        assert_eq!(huge.array(2), Err(LayoutError));
        assert_eq!(Layout::from_size_align(isize::MAX as usize, 2), Err(LayoutError));
        assert_eq!(Layout::from_size_align(8, 3), Err(LayoutError));
        assert_eq!(Layout::repr_c(&[huge, huge]), Err(LayoutError));
        assert_eq!(Alignment::SIXTEEN.round_up(usize::MAX), None);
    }
}

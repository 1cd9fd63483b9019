//! How a C function takes a value: in which registers, or in memory. Two structs of the same bytes can differ in it.
//!
//! System V ABI for x86-64, "3.2.3 Parameter Passing"; Procedure Call Standard for the Arm 64-bit Architecture, "6.8.2
//! Parameter passing rules".

use crate::{
    class::Class,
    cpp::CppBase,
    signature::{Members, Parameter},
};

/// The rules of a processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Convention {
    /// x86-64.
    SystemV,
    /// AArch64.
    Aapcs64,
}

impl Convention {
    /// Of the processor that this crate is compiled for.
    pub const HOST: Self = if cfg!(target_arch = "aarch64") { Self::Aapcs64 } else { Self::SystemV };
}

/// A part of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leaf {
    /// An integer, a pointer or bytes.
    Integer,
    /// A floating-point number of up to 8 bytes.
    Float,
    /// A vector of the processor, or a floating-point number of 16 bytes: Rust has no such type.
    Wide,
}

/// What decides how a value is passed, by its parts.
#[derive(Clone, Copy, Debug)]
pub struct Passing {
    size: usize,
    /// Of each 8 bytes of a value with up to 16: System V's classes INTEGER and SSE, or SSE with SSEUP.
    halves: [Option<Leaf>; 2],
    /// Whether System V's class is MEMORY.
    in_memory: bool,
    /// The first part, the places of the parts, and whether all have its kind and size: a homogeneous aggregate has up
    /// to four.
    first: Option<(Leaf, usize)>,
    places: u8,
    is_homogeneous: bool,
    /// Whether compilers differ for a homogeneous aggregate.
    is_unclear: bool,
}

/// The largest value, in bytes, whose parts decide: four parts of 16.
const MOST: usize = 64;
const DEEPEST: usize = 16;

impl Passing {
    /// Of a value of this size, without parts.
    #[must_use]
    pub const fn new(size: usize) -> Self {
        Self {
            size,
            halves: [None; 2],
            in_memory: size > 16,
            first: None,
            places: 0,
            is_homogeneous: size <= MOST,
            is_unclear: false,
        }
    }

    /// Returns whether parts from this offset on decide.
    #[must_use]
    pub const fn counts(offset: usize) -> bool {
        offset < MOST
    }

    /// Adds a part.
    pub const fn add(&mut self, leaf: Leaf, offset: usize, size: usize) {
        if size == 0 || !Self::counts(offset) {
            return;
        }
        self.in_memory |= !offset.is_multiple_of(size);
        // A vector of more than 16 bytes, alone.
        self.in_memory &= !matches!(leaf, Leaf::Wide) || size != self.size;
        self.homogeneous(leaf, offset, size);
        let is_short = matches!(leaf, Leaf::Wide) && size <= 8;
        self.merge(if is_short { Leaf::Float } else { leaf }, offset, size);
    }

    /// Adds bytes, which need no alignment.
    pub const fn add_bytes(&mut self, offset: usize, size: usize) {
        if size > 0 {
            self.is_homogeneous = false;
            self.merge(Leaf::Integer, offset, size);
        }
    }

    /// Adds an array of unknown length at the end of a struct. GCC ignores it on x86-64, clang passes the struct in
    /// memory.
    pub const fn add_open_array(&mut self, is_gcc: bool) {
        self.in_memory |= !is_gcc;
        self.is_homogeneous = false;
    }

    /// Adds an array without elements.
    pub const fn add_empty_array(&mut self) {
        self.is_unclear = true;
    }

    const fn merge(&mut self, leaf: Leaf, offset: usize, size: usize) {
        let mut half = offset / 8;
        while half < 2 && half * 8 < offset.saturating_add(size) {
            self.halves[half] = Some(match (self.halves[half], leaf) {
                (None, leaf) => leaf,
                (Some(Leaf::Wide), _) | (_, Leaf::Wide) => Leaf::Wide,
                (Some(Leaf::Float), Leaf::Float) => Leaf::Float,
                _ => Leaf::Integer,
            });
            half += 1;
        }
    }

    const fn homogeneous(&mut self, leaf: Leaf, offset: usize, size: usize) {
        self.is_homogeneous &= match (self.first, leaf) {
            (_, Leaf::Integer) => false,
            (None, _) => true,
            (Some((first, of)), _) => first as u8 == leaf as u8 && of == size,
        };
        self.is_homogeneous &= offset.is_multiple_of(size) && offset / size < 4;
        if self.is_homogeneous {
            self.first = Some((leaf, size));
            self.places |= 1 << (offset / size);
        }
    }

    /// Returns the parts of a homogeneous aggregate: it has no padding.
    const fn elements(&self) -> Option<(Leaf, usize)> {
        let (_, size) = some!(self.first);
        let count = self.size / size;
        let is_whole = self.size.is_multiple_of(size) && count <= 4 && self.places == (1 << count) - 1;
        if self.is_homogeneous && is_whole { self.first } else { None }
    }

    /// Returns whether both are passed in the same way, of two values of one size.
    #[must_use]
    pub const fn is_like(&self, other: &Self, convention: Convention) -> bool {
        match convention {
            Convention::SystemV if self.in_memory || other.in_memory => self.in_memory == other.in_memory,
            Convention::SystemV => is_same(self.halves[0], other.halves[0]) && is_same(self.halves[1], other.halves[1]),
            Convention::Aapcs64 => match (self.elements(), other.elements()) {
                (None, None) => true,
                (Some((leaf, size)), Some((other_leaf, other_size))) => {
                    leaf as u8 == other_leaf as u8 && size == other_size && !self.is_unclear && !other.is_unclear
                }
                _ => false,
            },
        }
    }

    /// Of a value as Rust declares it: bytes for what is not compared, and the bits of a number of 16 bits.
    #[must_use]
    pub const fn of(value: &Parameter<'_>) -> Self {
        let mut passing = Self::new(value.size);
        passing.add_value(value, 0, DEEPEST);
        passing
    }

    const fn add_value(&mut self, value: &Parameter<'_>, start: usize, depth: usize) {
        let element = value.element();
        let mut at = start;
        while element.size > 0 && at < start.saturating_add(value.size) && Self::counts(at) {
            self.add_element(&element, at, depth);
            at = at.saturating_add(element.size);
        }
    }

    const fn add_element(&mut self, value: &Parameter<'_>, start: usize, depth: usize) {
        let Parameter { cpp, size, members, .. } = *value;
        match cpp.base {
            _ if cpp.is_pointer() => self.add(Leaf::Integer, start, size),
            CppBase::Float { bits: 32 | 64 } => self.add(Leaf::Float, start, size),
            _ if members.is_known() && depth > 0 => self.add_members(members, start, depth - 1),
            base => match base.builtin() {
                Some(row) if row.components > 0 && matches!(row.element.as_bytes(), b"f32" | b"f64") => {
                    let size = row.size / row.components;
                    let mut i = 0;
                    while i < row.components {
                        self.add(Leaf::Float, start + i * size, size);
                        i += 1;
                    }
                }
                _ if matches!(base, CppBase::Unknown) || matches!(value.class, Class::Bytes) => {
                    self.add_bytes(start, size);
                }
                _ => self.add(Leaf::Integer, start, size),
            },
        }
    }

    const fn add_members(&mut self, members: Members<'_>, start: usize, depth: usize) {
        let mut i = 0;
        while let Some(member) = members.get_unspelled(i) {
            if let Some(offset) = member.offset {
                self.add_value(&member, start.saturating_add(offset), depth);
            }
            i += 1;
        }
    }
}

const fn is_same(a: Option<Leaf>, b: Option<Leaf>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a as u8 == b as u8,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{Convention::*, *};

    /// From the kind, the offset and the size of each part; `b` is bytes.
    fn passing(size: usize, parts: &[(char, usize, usize)]) -> Passing {
        let mut passing = Passing::new(size);
        for &(kind, offset, size) in parts {
            match kind {
                'i' => passing.add(Leaf::Integer, offset, size),
                'f' => passing.add(Leaf::Float, offset, size),
                'w' => passing.add(Leaf::Wide, offset, size),
                _ => passing.add_bytes(offset, size),
            }
        }
        passing
    }

    #[test]
    fn structs_of_the_same_bytes_can_be_passed_in_other_ways() {
        for (size, one, other, system_v, aapcs64) in [
            // Bytes instead of floating-point numbers.
            (8, &[('f', 0, 8)][..], &[('b', 0, 8)][..], false, false),
            (8, &[('f', 0, 4), ('i', 4, 4)], &[('b', 0, 4), ('i', 4, 4)], true, true),
            (12, &[('f', 0, 8), ('i', 8, 4)], &[('b', 0, 8), ('i', 8, 4)], false, true),
            // A field for padding.
            (16, &[('f', 0, 4), ('f', 8, 8)], &[('f', 0, 4), ('b', 4, 4), ('f', 8, 8)], false, true),
            (16, &[('i', 0, 4), ('f', 8, 8)], &[('i', 0, 4), ('b', 4, 4), ('f', 8, 8)], true, true),
            // Numbers of 16 bits.
            (4, &[('f', 0, 2), ('f', 2, 2)], &[('i', 0, 2), ('i', 2, 2)], false, false),
            (8, &[('f', 0, 2), ('i', 4, 4)], &[('i', 0, 2), ('i', 4, 4)], true, true),
            // Up to four equal numbers are homogeneous, also in a union.
            (32, &[('f', 0, 8), ('f', 8, 8), ('f', 16, 8), ('f', 24, 8)], &[('b', 0, 32)], true, false),
            (40, &[('f', 0, 8), ('f', 8, 8), ('f', 16, 8), ('f', 24, 8), ('f', 32, 8)], &[('b', 0, 40)], true, true),
            (8, &[('f', 0, 8), ('f', 0, 8)], &[('b', 0, 8)], false, false),
            (8, &[('f', 0, 8), ('f', 0, 4)], &[('b', 0, 8)], false, true),
            (24, &[('f', 0, 8), ('f', 16, 8)], &[('b', 0, 24)], true, true),
            // A vector is in one register.
            (16, &[('w', 0, 16)], &[('f', 0, 4), ('f', 4, 4), ('f', 8, 4), ('f', 12, 4)], false, false),
            (32, &[('w', 0, 32)], &[('b', 0, 32)], false, false),
            (8, &[('w', 0, 8)], &[('f', 0, 4), ('f', 4, 4)], true, false),
            // A member that is not aligned.
            (12, &[('i', 0, 4), ('i', 4, 8)], &[('b', 0, 12)], false, true),
        ] {
            let (one_, other_) = (passing(size, one), passing(size, other));
            let found = [SystemV, Aapcs64].map(|convention| one_.is_like(&other_, convention));
            assert_eq!(found, [system_v, aapcs64], "{one:?} {other:?}");
            assert!(one_.is_like(&one_, SystemV) && one_.is_like(&one_, Aapcs64));
        }
    }

    #[test]
    fn compilers_differ_for_arrays_without_elements() {
        let float = passing(4, &[('f', 0, 4)]);
        let (mut empty, mut of_gcc, mut of_clang) = (float, float, float);
        empty.add_empty_array();
        of_gcc.add_open_array(true);
        of_clang.add_open_array(false);
        let found = [empty, of_gcc, of_clang].map(|one| [SystemV, Aapcs64].map(|of| one.is_like(&float, of)));
        assert_eq!(found, [[true, false], [true, false], [false, false]]);
    }
}

//! Writes numbers, texts and C++ types of a table, which `kernel_args_abi::signature::reader` reads.

use crate::prelude::*;
use kernel_args_abi::{
    CppBase, CppType, Parameter,
    signature::{
        reader::{IN_DECLARATION, INLINE, STORED, TO_ARRAY, base},
        stored::CLASSES,
    },
};

pub(crate) struct Writer<'w> {
    pub(crate) bytes: &'w mut Vec<u8>,
    /// A text that borrows from the declaration is written as a position in it.
    pub(crate) declaration: &'w [u8],
    /// The kernel's readable name. A type name that borrows from it is written as a position in it.
    pub(crate) name: &'w [u8],
}

impl<'w> Writer<'w> {
    pub(crate) const fn new(bytes: &'w mut Vec<u8>) -> Self {
        Self { bytes, declaration: &[], name: &[] }
    }

    pub(crate) fn number(&mut self, number: usize) {
        self.unsigned(number as u128);
    }

    pub(crate) fn integer(&mut self, integer: i128) {
        self.unsigned((integer << 1 ^ integer >> 127).cast_unsigned());
    }

    fn unsigned(&mut self, mut number: u128) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// A number of 3 bytes. Names are shorter than 64 KiB.
    pub(crate) fn short(&mut self, number: usize) {
        self.bytes.extend([number as u8, (number >> 8) as u8, (number >> 16) as u8]);
    }

    pub(crate) fn text(&mut self, text: &str) {
        if let Some((at, length)) = place_in(self.declaration, text.as_bytes()) {
            self.number(at << 2 | IN_DECLARATION);
            self.number(length);
        } else {
            self.number(text.len() << 2 | INLINE);
            self.bytes.extend(text.as_bytes());
        }
    }

    /// Without the lengths of an array. `named` is the position of the name of the type, if it is stored.
    pub(crate) fn ty(&mut self, parameter: &Parameter<'_>, named: Option<u32>) {
        self.number(parameter.size);
        self.number(parameter.offset.map_or(0, |offset| offset + 1));
        let power = parameter.align.map_or(0, |align| align.bytes().trailing_zeros() + 1);
        self.bytes.extend([power as u8, index(&CLASSES, parameter.class)]);
        match named {
            Some(place) => {
                self.bytes.push(base::SPELLED);
                self.number((place as usize) << 2 | STORED);
            }
            None => self.base(parameter.cpp.base),
        }
        let CppType { depth, const_mask, rows, .. } = parameter.cpp;
        let to_array = if rows[0] > 0 { TO_ARRAY } else { 0 };
        self.bytes.extend([depth | to_array, const_mask]);
        if to_array > 0 {
            self.lengths(rows);
        }
    }

    /// The number of dimensions, and the lengths. The reader starts with the last length.
    pub(crate) fn lengths(&mut self, lengths: [u32; 3]) {
        let dimensions = lengths.into_iter().take_while(|&length| length > 0).count();
        self.number(dimensions);
        for &length in lengths[..dimensions].iter().rev() {
            self.number(length as usize);
        }
    }

    fn base(&mut self, of: CppBase<'_>) {
        let (number, bits) = match of {
            CppBase::Void => (base::VOID, None),
            CppBase::FunctionType => (base::FUNCTION, None),
            CppBase::Bool => (base::BOOL, None),
            CppBase::Char => (base::CHAR, None),
            CppBase::Integer { signed: true, bits } => (base::SIGNED, Some(bits)),
            CppBase::Integer { bits, .. } => (base::UNSIGNED, Some(bits)),
            CppBase::Long { signed: true } => (base::LONG, None),
            CppBase::Long { .. } => (base::UNSIGNED_LONG, None),
            CppBase::Float { bits } => (base::FLOAT, Some(bits)),
            CppBase::Named(name) => {
                let Some((at, length)) = place_in(self.name, name.as_bytes()) else {
                    // A name from debug information.
                    self.bytes.push(base::SPELLED);
                    return self.text(name);
                };
                self.bytes.push(base::NAMED);
                self.number(at);
                return self.number(length);
            }
            _ => (base::UNKNOWN, None),
        };
        self.bytes.push(number);
        if let Some(bits) = bits {
            self.number(bits.into());
        }
    }
}

pub(crate) const fn flag(bit: u8, is_set: bool) -> u8 {
    if is_set { bit } else { 0 }
}

pub(super) fn index<T: PartialEq + Copy>(all: &[T], value: T) -> u8 {
    all.iter().position(|known| *known == value).unwrap_or_default() as u8
}

/// If `part` borrows from `whole`: its position and length.
fn place_in(whole: &[u8], part: &[u8]) -> Option<(usize, usize)> {
    let at = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let found = whole.get(at..at.checked_add(part.len())?)?;
    (!part.is_empty() && core::ptr::eq(found, part)).then_some((at, part.len()))
}

#[cfg(test)]
mod tests {
    use super::Writer;
    use alloc::vec::Vec;
    use kernel_args_abi::signature::reader::Reader;

    #[test]
    fn integers_of_any_size_are_read_as_they_are_written() {
        let mut bytes = Vec::new();
        let all = [0, 1, -1, 63, 64, -64, -65, i128::from(u64::MAX), i128::MAX, i128::MIN];
        for integer in all {
            Writer::new(&mut bytes).integer(integer);
        }
        let reader = &mut Reader::new(&bytes, 0);
        assert_eq!(all.map(|_| reader.integer()), all);
        assert!(reader.is_at_end());
    }
}

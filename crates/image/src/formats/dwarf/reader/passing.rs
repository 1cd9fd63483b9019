//! How C passes a value, from the entries of its type.

use super::{Die, Error, FLOAT_NOT_IN_RUST, Position, Type, Units};
use gimli::constants as dw;
use kernel_args_abi::passing::{Leaf, Passing};

const DEEPEST: usize = 16;
const LONGEST_CHAIN: usize = 64;
const MEMBERS: &str = "members that Rust cannot declare";

#[derive(Clone, Copy)]
pub(super) struct Passed {
    pub(super) passing: Passing,
    /// The first part that Rust has no type for.
    pub(super) contains: &'static str,
    /// In bytes, as far as the entries show it.
    pub(super) align: u64,
    is_gcc: bool,
    /// Whether no part decides.
    is_large: bool,
}

impl Passed {
    /// `is_gcc` is whether GCC compiles the function.
    pub(super) fn read(units: &Units<'_>, place: Position, size: usize, is_gcc: bool) -> Result<Self, Error> {
        let is_large = !Passing::counts(size - size.min(1));
        let mut passed = Self { passing: Passing::new(size), contains: MEMBERS, align: 1, is_gcc, is_large };
        passed.add(units, Some(place), 0, DEEPEST)?;
        // Of a packed struct, the entries do not show it.
        if !(size as u64).is_multiple_of(passed.align) {
            passed.align = 1;
        }
        Ok(passed)
    }

    /// Adds a part of the value. Returns its size.
    fn add(&mut self, units: &Units<'_>, mut at: Option<Position>, start: usize, depth: usize) -> Result<usize, Error> {
        for _ in 0..LONGEST_CHAIN {
            let Some(place) = at else { break };
            let entry = units.entry(place)?;
            self.align = self.align.max(entry.alignment().unwrap_or(1));
            let size = entry.byte_size().and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
            match entry.tag {
                dw::DW_TAG_base_type => {
                    self.number(&entry, start, size);
                    return Ok(size);
                }
                dw::DW_TAG_array_type => return self.array(units, &entry, start, depth),
                dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_union_type => {
                    if depth == 0 {
                        break;
                    }
                    if entry.tag == dw::DW_TAG_union_type {
                        self.contains("a union");
                    }
                    let mut children = units.walk(place)?;
                    while let Some(child) = children.next_child()? {
                        self.member(units, &child, start, depth - 1)?;
                    }
                    return Ok(size);
                }
                dw::DW_TAG_pointer_type
                | dw::DW_TAG_reference_type
                | dw::DW_TAG_rvalue_reference_type
                | dw::DW_TAG_unspecified_type => {
                    let size = units.address_size(place).into();
                    self.passing.add(Leaf::Integer, start, size);
                    return Ok(size);
                }
                // A pointer to a member function is two integers.
                dw::DW_TAG_ptr_to_member_type => {
                    self.passing.add_bytes(start, 1);
                    return Ok(units.address_size(place).into());
                }
                dw::DW_TAG_enumeration_type if size > 0 => {
                    self.passing.add(Leaf::Integer, start, size);
                    return Ok(size);
                }
                _ => at = entry.ty(units),
            }
        }
        self.contains("a member of unknown type");
        Ok(0)
    }

    fn contains(&mut self, what: &'static str) {
        if self.contains == MEMBERS {
            self.contains = what;
        }
    }

    fn number(&mut self, entry: &Die<'_>, start: usize, size: usize) {
        let (leaf, parts) = match entry.encoding() {
            Some(dw::DW_ATE_float) if size <= 8 => (Leaf::Float, 1),
            Some(dw::DW_ATE_complex_float) if size <= 16 => (Leaf::Float, 2),
            Some(dw::DW_ATE_complex_float) => (Leaf::Wide, 2),
            Some(dw::DW_ATE_float | dw::DW_ATE_decimal_float) => (Leaf::Wide, 1),
            _ => (Leaf::Integer, 1),
        };
        match (leaf, parts, size) {
            (Leaf::Integer, ..) | (Leaf::Float, 1, 4 | 8) => {}
            (Leaf::Float, 1, _) => self.contains("a floating-point number of 16 bits"),
            (_, 2, _) => self.contains("a complex number"),
            _ => self.contains(FLOAT_NOT_IN_RUST),
        }
        let size = size / parts;
        self.align = self.align.max(size as u64);
        for part in 0..parts {
            self.passing.add(leaf, start + part * size, size);
        }
    }

    fn array<'s>(&mut self, units: &Units<'s>, entry: &Die<'s>, start: usize, depth: usize) -> Result<usize, Error> {
        let is_vector = entry.is(dw::DW_AT_GNU_vector);
        let mut count = 1usize;
        let mut dimensions = units.walk(entry.place)?;
        while let Some(dimension) = dimensions.next_child()? {
            if dimension.tag != dw::DW_TAG_subrange_type {
                continue;
            }
            let length = dimension.length();
            match length {
                None => self.passing.add_open_array(self.is_gcc),
                Some(0) => self.passing.add_empty_array(),
                Some(_) => {}
            }
            let length = length.unwrap_or(0);
            if length == 0 {
                self.contains("an array without a length");
            }
            count = count.saturating_mul(length.try_into().unwrap_or(usize::MAX));
        }
        if is_vector {
            let mut element = Self { passing: Passing::new(0), ..*self };
            let size = element.add(units, entry.ty(units), 0, depth)?.saturating_mul(count);
            self.contains("a vector of the processor");
            self.align = self.align.max(size as u64);
            self.passing.add(Leaf::Wide, start, size);
            return Ok(size);
        }
        // All elements have one alignment, and the same parts.
        let mut size = 0usize;
        for index in 0..count {
            let at = size.saturating_mul(index).saturating_add(start);
            if index > 0 && (!Passing::counts(at) || self.is_large) {
                break;
            }
            size = self.add(units, entry.ty(units), at, depth)?;
            if size == 0 {
                break;
            }
        }
        Ok(size.saturating_mul(count))
    }

    fn member<'s>(&mut self, units: &Units<'s>, child: &Die<'s>, start: usize, depth: usize) -> Result<(), Error> {
        let is_part = match child.tag {
            dw::DW_TAG_member => !child.is_static(),
            tag => tag == dw::DW_TAG_inheritance || tag == dw::DW_TAG_variant_part,
        };
        if !is_part {
            return Ok(());
        }
        self.align = self.align.max(child.alignment().unwrap_or(1));
        if child.is_bit_field() {
            self.contains("bit fields");
            let integer = child.byte_size().or(Type::read(units, child.ty(units))?.size);
            if let Some((first, end)) = child.bit_field(integer)
                && let (Ok(first), Ok(end)) = (usize::try_from(first), usize::try_from(end))
            {
                self.passing.add_bytes(start.saturating_add(first), end.saturating_sub(first));
            }
            return Ok(());
        }
        match child.offset().and_then(|offset| usize::try_from(offset).ok()) {
            Some(offset) if child.tag != dw::DW_TAG_variant_part => {
                self.add(units, child.ty(units), start.saturating_add(offset), depth)?;
            }
            _ => self.contains("a member at an unknown place"),
        }
        Ok(())
    }
}

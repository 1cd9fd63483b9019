//! The attributes of an entry.

use super::{Die, RawValue, Slice};
use gimli::{Attribute, DwAt, DwAte, constants as dw};

impl<'s> Die<'s> {
    fn attribute(&self, name: DwAt) -> Option<&Attribute<Slice<'s>>> {
        self.attributes.iter().find(|attribute| attribute.name() == name)
    }

    pub(super) fn value(&self, name: DwAt) -> Option<RawValue<'s>> {
        self.attribute(name).map(Attribute::value)
    }

    pub(super) fn number(&self, name: DwAt) -> Option<u64> {
        self.attribute(name)?.udata_value()
    }

    pub(super) fn byte_size(&self) -> Option<u64> {
        self.number(dw::DW_AT_byte_size)
    }

    pub(super) fn alignment(&self) -> Option<u64> {
        self.number(dw::DW_AT_alignment)
    }

    pub(super) fn is(&self, name: DwAt) -> bool {
        matches!(self.value(name), Some(RawValue::Flag(true)))
    }

    pub(super) fn is_declaration(&self) -> bool {
        self.is(dw::DW_AT_declaration)
    }

    pub(super) fn is_static(&self) -> bool {
        self.is_declaration() || self.is(dw::DW_AT_external)
    }

    /// Returns the length of a dimension of an array. C++ arrays start at 0.
    pub(super) fn length(&self) -> Option<u64> {
        self.number(dw::DW_AT_count).or_else(|| self.number(dw::DW_AT_upper_bound)?.checked_add(1))
    }

    pub(super) fn encoding(&self) -> Option<DwAte> {
        match self.value(dw::DW_AT_encoding)? {
            RawValue::Encoding(encoding) => Some(encoding),
            _ => None,
        }
    }

    /// Returns the value of an enumerator. Compilers write negative values as signed numbers.
    pub(super) fn constant(&self) -> Option<i128> {
        match self.value(dw::DW_AT_const_value)? {
            RawValue::Sdata(value) => Some(value.into()),
            _ => self.number(dw::DW_AT_const_value).map(Into::into),
        }
    }

    /// Returns the offset of a member: a number, or the expression that DWARF 2 uses for it: take an address, add `N`.
    /// Without one, the member is at the beginning. `None` for other expressions.
    pub(super) fn offset(&self) -> Option<u64> {
        let Some(attribute) = self.attribute(dw::DW_AT_data_member_location) else {
            return Some(0);
        };
        match attribute.raw_value() {
            RawValue::Block(expression) | RawValue::Exprloc(gimli::Expression(expression)) => {
                leb128(expression.slice().strip_prefix(&[dw::DW_OP_plus_uconst.0])?)
            }
            _ => attribute.udata_value(),
        }
    }

    pub(super) fn is_bit_field(&self) -> bool {
        let names = [dw::DW_AT_bit_size, dw::DW_AT_bit_offset, dw::DW_AT_data_bit_offset];
        names.into_iter().any(|name| self.number(name).is_some())
    }

    /// Returns the first byte that contains bits of a bit field, and the end of the last one. `integer` is the size of
    /// its integer.
    ///
    /// DWARF 5, "5.7.6 Data Member Entries". Before DWARF 4, a bit field begins at the most significant bit of its
    /// integer.
    pub(super) fn bit_field(&self, integer: Option<u64>) -> Option<(u64, u64)> {
        let offset = self.offset()?;
        let size = self.number(dw::DW_AT_bit_size)?;
        let start = if let Some(start) = self.number(dw::DW_AT_data_bit_offset) {
            offset.checked_mul(8)?.checked_add(start)?
        } else {
            let end = offset.checked_add(integer?)?.checked_mul(8)?;
            end.checked_sub(self.number(dw::DW_AT_bit_offset)?)?.checked_sub(size)?
        };
        Some((start / 8, start.checked_add(size)?.div_ceil(8)))
    }
}

fn leb128(bytes: &[u8]) -> Option<u64> {
    let (last, rest) = bytes.split_last()?;
    let is_whole = last & 0x80 == 0 && rest.iter().all(|byte| byte & 0x80 != 0);
    if !is_whole || bytes.len() > 9 {
        return None;
    }
    Some(bytes.iter().rev().fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f)))
}

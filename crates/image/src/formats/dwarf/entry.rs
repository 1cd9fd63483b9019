//! The attributes of an entry that describe types.

use core::ops::Range;
use gimli::{Attribute, AttributeValue, DebugInfoOffset, DwAte, DwTag, EndianSlice, LittleEndian, constants as dw};

pub(super) type Slice<'s> = EndianSlice<'s, LittleEndian>;

pub(super) type RawValue<'s> = AttributeValue<Slice<'s>>;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Position {
    pub(super) unit: u32,
    /// The offset from the beginning of the unit, in bytes.
    pub(super) offset: usize,
}

impl Position {
    pub(super) const fn at(self, offset: usize) -> Self {
        Self { offset, ..self }
    }
}

#[derive(Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each is an attribute that is there or not")]
pub(super) struct Die<'s> {
    pub(super) place: Position,
    pub(super) tag: DwTag,
    pub(super) has_children: bool,
    pub(super) name: Option<RawValue<'s>>,
    pub(super) linkage_name: Option<RawValue<'s>>,
    pub(super) ty: Option<Position>,
    /// The entry that this one completes: its declaration, or its abstract origin.
    pub(super) completes: Option<Position>,
    pub(super) byte_size: Option<u64>,
    pub(super) encoding: Option<DwAte>,
    pub(super) offset: Offset,
    pub(super) count: Option<u64>,
    pub(super) alignment: Option<u64>,
    pub(super) value: Option<i128>,
    pub(super) bits: BitField,
    pub(super) is_virtual: bool,
    pub(super) is_declaration: bool,
    /// Whether a member is static.
    pub(super) is_external: bool,
    pub(super) is_artificial: bool,
    pub(super) string_offsets: Option<usize>,
}

/// The place of a bit field, in bits. DWARF 5, "5.7.6 Data Member Entries".
#[derive(Clone, Copy, PartialEq, Default)]
pub(super) struct BitField {
    pub(super) size: Option<u64>,
    /// From the beginning of the struct, since DWARF 4.
    pub(super) start: Option<u64>,
    /// From the most significant bit of its integer, before DWARF 4.
    pub(super) from_end: Option<u64>,
}

impl BitField {
    pub(super) const fn exists(self) -> bool {
        self.size.is_some() || self.start.is_some() || self.from_end.is_some()
    }

    /// The bytes that contain its bits. `offset` and `integer` are the place and the size of its integer.
    pub(super) fn bytes(self, offset: Offset, integer: Option<u64>) -> Option<Range<u64>> {
        let size = self.size?;
        let start = match (self.start, self.from_end, offset) {
            (Some(start), _, Offset::None) => start,
            (Some(start), _, Offset::Bytes(offset)) => offset.checked_mul(8)?.checked_add(start)?,
            (None, from_end, Offset::None | Offset::Bytes(_)) => {
                let offset = match offset {
                    Offset::Bytes(offset) => offset,
                    _ => 0,
                };
                let end = offset.checked_add(integer?)?.checked_mul(8)?;
                end.checked_sub(from_end?)?.checked_sub(size)?
            }
            (.., Offset::Unclear) => return None,
        };
        Some(start / 8..start.checked_add(size)?.div_ceil(8))
    }
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Offset {
    /// Not specified: the member is at the beginning.
    None,
    Bytes(u64),
    /// An expression that is not a constant.
    Unclear,
}

impl<'s> Die<'s> {
    pub(super) const fn new(place: Position, tag: DwTag, has_children: bool) -> Self {
        Self {
            place,
            tag,
            has_children,
            name: None,
            linkage_name: None,
            ty: None,
            completes: None,
            byte_size: None,
            encoding: None,
            offset: Offset::None,
            count: None,
            alignment: None,
            value: None,
            bits: BitField { size: None, start: None, from_end: None },
            is_virtual: false,
            is_declaration: false,
            is_external: false,
            is_artificial: false,
            string_offsets: None,
        }
    }

    /// `global` resolves a reference across units.
    pub(super) fn set(
        &mut self,
        attribute: &Attribute<Slice<'s>>,
        global: impl Fn(DebugInfoOffset<usize>) -> Option<Position>,
    ) {
        let value = attribute.value();
        let reference = || match value {
            AttributeValue::UnitRef(offset) => Some(self.place.at(offset.0)),
            AttributeValue::DebugInfoRef(offset) => global(offset),
            _ => None,
        };
        let is_set = || matches!(value, AttributeValue::Flag(true));
        match attribute.name() {
            dw::DW_AT_name => self.name = Some(value),
            dw::DW_AT_linkage_name | dw::DW_AT_MIPS_linkage_name => {
                self.linkage_name = Some(value);
            }
            dw::DW_AT_type => self.ty = reference(),
            dw::DW_AT_specification | dw::DW_AT_abstract_origin => self.completes = reference(),
            dw::DW_AT_byte_size => self.byte_size = attribute.udata_value(),
            dw::DW_AT_encoding => {
                self.encoding = match value {
                    AttributeValue::Encoding(encoding) => Some(encoding),
                    _ => None,
                }
            }
            dw::DW_AT_data_member_location => self.offset = Offset::read(attribute),
            dw::DW_AT_count => self.count = attribute.udata_value(),
            // C++ arrays start at 0.
            dw::DW_AT_upper_bound if self.count.is_none() => {
                let bound = attribute.udata_value();
                self.count = bound.and_then(|bound| bound.checked_add(1));
            }
            // Compilers write negative values as signed numbers.
            dw::DW_AT_const_value => {
                self.value = match value {
                    AttributeValue::Sdata(value) => Some(value.into()),
                    _ => attribute.udata_value().map(Into::into),
                }
            }
            dw::DW_AT_alignment => self.alignment = attribute.udata_value(),
            dw::DW_AT_bit_size => self.bits.size = attribute.udata_value(),
            dw::DW_AT_bit_offset => self.bits.from_end = attribute.udata_value(),
            dw::DW_AT_data_bit_offset => self.bits.start = attribute.udata_value(),
            dw::DW_AT_virtuality => {
                self.is_virtual = !matches!(value, AttributeValue::Virtuality(dw::DW_VIRTUALITY_none));
            }
            dw::DW_AT_declaration => self.is_declaration = is_set(),
            dw::DW_AT_external => self.is_external = is_set(),
            dw::DW_AT_artificial => self.is_artificial = is_set(),
            dw::DW_AT_str_offsets_base => {
                self.string_offsets = match value {
                    AttributeValue::DebugStrOffsetsBase(base) => Some(base.0),
                    _ => None,
                }
            }
            _ => {}
        }
    }
}

impl Offset {
    /// A number, or the expression that DWARF 2 uses for it: take an address, add `N`.
    fn read(attribute: &Attribute<Slice<'_>>) -> Self {
        const PLUS: u8 = dw::DW_OP_plus_uconst.0;
        let expression = match attribute.raw_value() {
            AttributeValue::Block(bytes) => bytes,
            AttributeValue::Exprloc(expression) => expression.0,
            _ => return attribute.udata_value().map_or(Self::Unclear, Self::Bytes),
        };
        match expression.slice().split_first() {
            Some((&PLUS, number)) => leb128(number).map_or(Self::Unclear, Self::Bytes),
            _ => Self::Unclear,
        }
    }
}

fn leb128(bytes: &[u8]) -> Option<u64> {
    let (last, rest) = bytes.split_last()?;
    let is_whole = last & 0x80 == 0 && rest.iter().all(|byte| byte & 0x80 != 0);
    if !is_whole || bytes.len() > 9 {
        return None;
    }
    let digits = bytes.iter().rev();
    Some(digits.fold(0, |number, byte| number << 7 | u64::from(byte & 0x7f)))
}

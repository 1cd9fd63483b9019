//! What a table says of the members of structs and the variants of enums: each struct and enum stands once behind the kernels,
//! for all that take it.
//!
//! | bytes | of a struct or enum |
//! |---|---|
//! | 4 | how many members or variants it has |
//! | 4 for each | where that stands, from the first struct or enum on |
//!
//! A variant is its value, as a number that is doubled, and 1 less than that of the opposite if it is negative; then its name. A
//! member is numbers and texts as `decode` has them: its name, size, offset, alignment, class, C++ type, the lengths of an array,
//! its own members. The name is first because it is looked for.
//!
//! The members of a parameter or member are a number: 0 where they are not known, then the reasons for which they are not told
//! apart, then four times the place of a struct or enum and its kind.

use super::{
    decode::CLASSES,
    reader::{PLACE, Reader, number_at},
};
use crate::{
    cpp::CppType,
    layout::Alignment,
    signature::{Members, Opaque, Parameter, Variant},
};

/// The number of the first struct.
const FIRST: usize = 1 + Opaque::ALL.len();

/// The kinds of what has a place: a struct; an enum of a signed or unsigned integer, or of one of which that is not known.
const STRUCT: usize = 0;
const SIGNED: usize = 1;
const UNSIGNED: usize = 2;
#[cfg(feature = "read")]
const ENUM: usize = 3;

/// A struct or enum of a table.
#[derive(Clone, Copy)]
pub(crate) struct Struct<'a> {
    /// All structs and enums of the table.
    structs: &'a [u8],
    at: usize,
}

impl<'a> Struct<'a> {
    pub(crate) const fn len(self) -> usize {
        number_at(self.structs, self.at)
    }

    /// Where the member or variant of this index stands.
    const fn reader(self, index: usize) -> Option<Reader<'a>> {
        if index >= self.len() {
            return None;
        }
        let at = number_at(self.structs, self.at + PLACE * (1 + index));
        Some(Reader::new(self.structs, at))
    }

    /// The variant of an enum.
    pub(crate) const fn variant(self, index: usize) -> Option<Variant<'a>> {
        let Some(mut reader) = self.reader(index) else {
            return None;
        };
        let value = reader.integer();
        Some(Variant {
            name: reader.text(&[]),
            value,
        })
    }

    /// Whether the member of this index has this name: by its first bytes, for many are asked.
    pub(crate) const fn is_named(self, index: usize, name: &[u8]) -> bool {
        match self.reader(index) {
            Some(reader) => reader.is_text(name),
            None => false,
        }
    }

    /// The member of a struct.
    pub(crate) const fn get(self, index: usize) -> Option<Parameter<'a>> {
        let Some(mut reader) = self.reader(index) else {
            return None;
        };
        let name = reader.text(&[]);
        let size = reader.number();
        let offset = reader.number();
        let align = match reader.byte() {
            0 => None,
            more => Some(Alignment { log2: more - 1 }),
        };
        let class = CLASSES[reader.byte() as usize];
        let base = reader.base("");
        let (depth, const_mask) = (reader.byte(), reader.byte());
        let mut extents = [0; 3];
        let mut dimensions = reader.byte() as usize;
        while dimensions > 0 {
            dimensions -= 1;
            extents[dimensions] = reader.number() as u32;
        }
        let members = members(self.structs, reader.number());
        Some(Parameter {
            name,
            kernel_name: "",
            spelling: "",
            offset: Some(offset),
            size,
            align,
            class,
            cpp: CppType {
                base,
                depth,
                const_mask,
                extents,
            },
            members,
        })
    }
}

/// The members that a number stands for, in a table with these structs.
pub(super) const fn members(structs: &[u8], number: usize) -> Members<'_> {
    match number {
        0 => Members::UNKNOWN,
        _ if number < FIRST => Members::opaque(Opaque::ALL[number - 1]),
        _ => {
            let found = Struct {
                structs,
                at: (number - FIRST) / 4,
            };
            match (number - FIRST) % 4 {
                STRUCT => Members::of_table(found),
                SIGNED => Members::of_table_enum(found, Some(true)),
                UNSIGNED => Members::of_table_enum(found, Some(false)),
                _ => Members::of_table_enum(found, None),
            }
        }
    }
}

#[cfg(feature = "read")]
pub(super) use encode::Structs;

#[cfg(feature = "read")]
mod encode {
    use super::{
        super::encode::Writer, CLASSES, ENUM, FIRST, Members, Opaque, Parameter, SIGNED, STRUCT,
        UNSIGNED, Variant,
    };
    use alloc::{collections::BTreeMap, vec::Vec};

    /// The structs and enums of a table.
    #[derive(Clone, Debug, Default)]
    pub(in super::super) struct Structs {
        pub(in super::super) bytes: Vec<u8>,
        /// The structs and enums that have been written, by the places of their members and variants.
        known: BTreeMap<Vec<u32>, usize>,
        /// The members and variants that have been written.
        members: BTreeMap<Vec<u8>, u32>,
    }

    impl Structs {
        /// The number of these members, which are written unless they have been.
        pub(in super::super) fn number(&mut self, members: Members<'_>) -> usize {
            if let Some(why) = members.why_opaque() {
                let reason = Opaque::ALL.iter().position(|known| *known == why);
                return 1 + reason.unwrap_or_default();
            }
            if members.is_enum() {
                let places = members.variants().map(|variant| self.variant(variant));
                let places = places.collect();
                let kind = match members.is_signed() {
                    Some(true) => SIGNED,
                    Some(false) => UNSIGNED,
                    None => ENUM,
                };
                return FIRST + 4 * self.list(places) + kind;
            }
            if !members.is_known() {
                return 0;
            }
            let places = members.iter().map(|member| self.member(&member)).collect();
            FIRST + 4 * self.list(places) + STRUCT
        }

        /// Where a list of these places stands, which is written unless it has been.
        fn list(&mut self, places: Vec<u32>) -> usize {
            if let Some(&at) = self.known.get(&places) {
                return at;
            }
            let at = self.bytes.len();
            self.bytes.extend(narrow(places.len()).to_le_bytes());
            let bytes = places.iter().flat_map(|place| place.to_le_bytes());
            self.bytes.extend(bytes);
            self.known.insert(places, at);
            at
        }

        /// Where a variant stands, which is written unless it has been.
        fn variant(&mut self, variant: Variant<'_>) -> u32 {
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes);
            writer.integer(variant.value);
            writer.text(variant.name);
            self.place(bytes)
        }

        /// Where a member stands, which is written unless it has been.
        fn member(&mut self, member: &Parameter<'_>) -> u32 {
            let own = self.number(member.members);
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes);
            writer.text(member.name);
            writer.number(member.size);
            writer.number(member.offset.unwrap_or_default());
            writer.align(member.align);
            let class = CLASSES.iter().position(|&class| class == member.class);
            writer.byte(class.unwrap_or_default() as u8);
            writer.base(member.cpp.base);
            writer.byte(member.cpp.depth);
            writer.byte(member.cpp.const_mask);
            let lengths = member.cpp.extents.into_iter();
            let lengths: Vec<u32> = lengths.take_while(|&length| length > 0).collect();
            writer.byte(lengths.len() as u8);
            // They are read from the last one on.
            for length in lengths.into_iter().rev() {
                writer.number(length as usize);
            }
            writer.number(own);
            self.place(bytes)
        }

        /// Where these bytes stand, which are written unless they have been.
        fn place(&mut self, bytes: Vec<u8>) -> u32 {
            if let Some(&at) = self.members.get(&bytes) {
                return at;
            }
            let at = narrow(self.bytes.len());
            self.bytes.extend(&bytes);
            self.members.insert(bytes, at);
            at
        }
    }

    fn narrow(number: usize) -> u32 {
        u32::try_from(number).unwrap_or(u32::MAX)
    }
}

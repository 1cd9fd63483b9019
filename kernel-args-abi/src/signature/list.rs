//! Parameters that own their texts and members.

use super::{
    Members, Opaque, Parameter, Variant,
    described::{Descriptions, Referent},
};
use crate::{
    class::Class,
    cpp::{CppBase, CppType},
    layout::Alignment,
};
use alloc::{string::String, vec::Vec};

/// Parameters with their members that own all that they are made of: [`Parameter`] borrows.
///
/// A parameter or member takes 72 bytes and its texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ParameterList {
    text: String,
    rows: Vec<Row>,
    variants: Vec<RowVariant>,
    /// How many of the rows, the last ones, are the parameters; the rest are members.
    parameters: u32,
    descriptions: Descriptions,
}

/// A piece of the list's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Text {
    start: u32,
    length: u32,
}

/// A variant of an enum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct RowVariant {
    pub(crate) name: Text,
    pub(crate) value: i128,
}

/// One parameter or member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Row {
    pub(crate) name: Text,
    pub(crate) spelling: Text,
    pub(crate) offset: Option<u32>,
    pub(crate) size: u32,
    pub(crate) align: Option<Alignment>,
    pub(crate) class: Class,
    pub(crate) cpp: Cpp,
    pub(crate) members: RowMembers,
}

/// A [`CppType`] whose name is a piece of the list's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Cpp {
    pub(crate) base: Base,
    pub(crate) depth: u8,
    pub(crate) const_mask: u8,
    pub(crate) extents: [u32; 3],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    Unknown,
    Void,
    Bool,
    Char,
    Integer { signed: bool, bits: u16 },
    Long { signed: bool },
    Float { bits: u16 },
    Named(Text),
}

/// The [`Members`] of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RowMembers {
    Unknown,
    Opaque(Opaque),
    Rows(Rows),
    /// And whether the enum is a signed integer, if that is told.
    Variants(Rows, Option<bool>),
}

/// Which rows, or variants.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Rows {
    first: u32,
    count: u32,
}

/// Some rows of a list.
#[derive(Clone, Copy)]
pub(super) struct Range<'a> {
    list: &'a ParameterList,
    rows: Rows,
}

/// Some variants of a list.
#[derive(Clone, Copy)]
pub(super) struct VariantRange<'a> {
    list: &'a ParameterList,
    rows: Rows,
    is_signed: Option<bool>,
}

impl ParameterList {
    /// A copy of these parameters. `None` where they take 4 GiB.
    #[must_use]
    pub fn new(parameters: &[Parameter<'_>]) -> Option<Self> {
        let mut list = Self::default();
        let parameters = list.copy(Members::of(parameters))?;
        list.parameters = parameters.count;
        Some(list)
    }

    /// The parameters, in order.
    #[must_use]
    pub fn parameters(&self) -> Vec<Parameter<'_>> {
        let first = self.rows.len() - self.parameters as usize;
        let rows = self.rows.get(first..).unwrap_or_default();
        rows.iter().map(|row| self.parameter(row)).collect()
    }

    fn copy(&mut self, members: Members<'_>) -> Option<Rows> {
        let mut rows = Vec::with_capacity(members.len());
        for member in members.iter() {
            rows.push(self.row(&member)?);
        }
        self.push_rows(rows)
    }

    fn row(&mut self, parameter: &Parameter<'_>) -> Option<Row> {
        let CppType {
            base,
            depth,
            const_mask,
            extents,
        } = parameter.cpp;
        let members = match parameter.members.why_opaque() {
            Some(why) => RowMembers::Opaque(why),
            None if parameter.members.is_known() => RowMembers::Rows(self.copy(parameter.members)?),
            None if parameter.members.is_enum() => {
                let mut variants = Vec::new();
                for variant in parameter.members.variants() {
                    let name = self.push_text(variant.name)?;
                    let value = variant.value;
                    variants.push(RowVariant { name, value });
                }
                RowMembers::Variants(self.push_variants(variants)?, parameter.members.is_signed())
            }
            None => RowMembers::Unknown,
        };
        Some(Row {
            name: self.push_text(parameter.name)?,
            spelling: self.push_text(parameter.spelling)?,
            offset: match parameter.offset {
                Some(offset) => Some(u32::try_from(offset).ok()?),
                None => None,
            },
            size: u32::try_from(parameter.size).ok()?,
            align: parameter.align,
            class: parameter.class,
            cpp: Cpp {
                base: self.base(base)?,
                depth,
                const_mask,
                extents,
            },
            members,
        })
    }

    pub(crate) fn base(&mut self, base: CppBase<'_>) -> Option<Base> {
        Some(match base {
            CppBase::Unknown => Base::Unknown,
            CppBase::Void => Base::Void,
            CppBase::Bool => Base::Bool,
            CppBase::Char => Base::Char,
            CppBase::Integer { signed, bits } => Base::Integer { signed, bits },
            CppBase::Long { signed } => Base::Long { signed },
            CppBase::Float { bits } => Base::Float { bits },
            CppBase::Named(name) => Base::Named(self.push_text(name)?),
        })
    }

    /// Appends a text. `None` where the list is full.
    pub(crate) fn push_text(&mut self, text: &str) -> Option<Text> {
        let start = u32::try_from(self.text.len()).ok()?;
        u32::try_from(self.text.len().checked_add(text.len())?).ok()?;
        self.text.push_str(text);
        Some(Text {
            start,
            length: text.len() as u32,
        })
    }

    /// Appends the members of one struct. `None` where the list is full.
    pub(crate) fn push_rows(&mut self, rows: Vec<Row>) -> Option<Rows> {
        let place = Rows {
            first: u32::try_from(self.rows.len()).ok()?,
            count: u32::try_from(rows.len()).ok()?,
        };
        place.first.checked_add(place.count)?;
        self.rows.extend(rows);
        Some(place)
    }

    pub(super) const fn descriptions(&self) -> &Descriptions {
        &self.descriptions
    }

    #[cfg(all(feature = "debug-info", feature = "generate"))]
    pub(crate) const fn descriptions_mut(&mut self) -> &mut Descriptions {
        &mut self.descriptions
    }

    /// Appends the variants of one enum. `None` where the list is full.
    pub(crate) fn push_variants(&mut self, variants: Vec<RowVariant>) -> Option<Rows> {
        let place = Rows {
            first: u32::try_from(self.variants.len()).ok()?,
            count: u32::try_from(variants.len()).ok()?,
        };
        place.first.checked_add(place.count)?;
        self.variants.extend(variants);
        Some(place)
    }

    /// The rows as members.
    #[cfg_attr(not(feature = "debug-info"), allow(dead_code))]
    pub(crate) const fn members(&self, rows: Rows) -> Members<'_> {
        Members::of_list(Range { list: self, rows })
    }

    /// How much memory it takes, in bytes.
    #[must_use]
    pub const fn weight(&self) -> usize {
        self.text.capacity()
            + self.rows.capacity() * size_of::<Row>()
            + self.variants.capacity() * size_of::<RowVariant>()
            + self.descriptions.weight()
    }

    pub(crate) const fn text(&self, text: Text) -> &str {
        let (start, length) = (text.start as usize, text.length as usize);
        match self.text.as_str().split_at_checked(start) {
            Some((_, rest)) => match rest.split_at_checked(length) {
                Some((text, _)) => text,
                None => "",
            },
            None => "",
        }
    }

    pub(super) const fn parameter(&self, row: &Row) -> Parameter<'_> {
        let base = match row.cpp.base {
            Base::Unknown => CppBase::Unknown,
            Base::Void => CppBase::Void,
            Base::Bool => CppBase::Bool,
            Base::Char => CppBase::Char,
            Base::Integer { signed, bits } => CppBase::Integer { signed, bits },
            Base::Long { signed } => CppBase::Long { signed },
            Base::Float { bits } => CppBase::Float { bits },
            Base::Named(name) => CppBase::Named(self.text(name)),
        };
        Parameter {
            name: self.text(row.name),
            kernel_name: "",
            spelling: self.text(row.spelling),
            offset: match row.offset {
                Some(offset) => Some(offset as usize),
                None => None,
            },
            size: row.size as usize,
            align: row.align,
            class: row.class,
            cpp: CppType {
                base,
                depth: row.cpp.depth,
                const_mask: row.cpp.const_mask,
                extents: row.cpp.extents,
            },
            members: match row.members {
                RowMembers::Unknown => Members::UNKNOWN,
                RowMembers::Opaque(why) => Members::opaque(why),
                RowMembers::Rows(rows) => Members::of_list(Range { list: self, rows }),
                RowMembers::Variants(rows, is_signed) => {
                    Members::of_listed_variants(VariantRange {
                        list: self,
                        rows,
                        is_signed,
                    })
                }
            },
        }
    }
}

#[cfg(all(feature = "debug-info", feature = "generate"))]
impl Rows {
    /// The number of the first row.
    pub(crate) const fn first(self) -> u32 {
        self.first
    }
}

impl<'a> Range<'a> {
    pub(super) fn referent(self, index: usize) -> Option<Referent<'a>> {
        let row = u32::try_from(index).ok()?;
        if row < self.rows.count {
            Referent::of_row(self.list, self.rows.first + row)
        } else {
            None
        }
    }

    pub(super) const fn len(self) -> usize {
        self.rows.count as usize
    }

    pub(super) const fn get(self, index: usize) -> Option<Parameter<'a>> {
        let rows = self.list.rows.as_slice();
        let at = self.rows.first as usize + index;
        if index < self.len() && at < rows.len() {
            Some(self.list.parameter(&rows[at]))
        } else {
            None
        }
    }
}

impl<'a> VariantRange<'a> {
    pub(super) const fn is_signed(self) -> Option<bool> {
        self.is_signed
    }

    pub(super) const fn get(self, index: usize) -> Option<Variant<'a>> {
        let variants = self.list.variants.as_slice();
        let at = self.rows.first as usize + index;
        if index < self.rows.count as usize && at < variants.len() {
            let RowVariant { name, value } = variants[at];
            let name = self.list.text(name);
            return Some(Variant { name, value });
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;

    /// 8 times the debug information of an image is what its reader may allocate: see `dwarf::budget`.
    const _: () = assert!(size_of::<Row>() <= 72);

    #[test]
    fn a_list_gives_back_what_it_was_made_of() {
        let float = CppType::of(CppBase::Float { bits: 32 });
        let inner = [
            Parameter::field("x", "f32", 0, Layout::of::<f32>(), Class::Float, float),
            Parameter {
                cpp: float.pointer(true).array(2),
                ..Parameter::record(8, 16)
            },
        ];
        let variants = [("Fast", -1), ("Exact", i128::MAX)];
        let variants = variants.map(|(name, value)| Variant { name, value });
        let outer = [
            Parameter::record(0, 48).with_members(Members::of(&inner)),
            Parameter {
                cpp: CppType::named("U"),
                members: Members::opaque(Opaque::Union),
                ..Parameter::record(48, 4)
            },
            Parameter::record(52, 1).with_members(Members::of(&[])),
            Parameter::record(53, 1).with_members(Members::of_enum(&variants, Some(true))),
        ];
        let parameters = [
            Parameter {
                offset: None,
                cpp: CppType::named("sim::Größe"),
                members: Members::of(&outer),
                ..outer[0]
            },
            Parameter {
                name: "out",
                spelling: ".param .u64 k_param_1",
                cpp: CppType::of(CppBase::Long { signed: true }).pointer(false),
                ..Parameter::record(64, 8)
            },
        ];
        let list = ParameterList::new(&parameters).unwrap();
        assert_eq!(list.parameters(), parameters);
        assert_eq!(list.clone().parameters(), parameters);
        let read = list.parameters();
        assert_eq!(
            read[0].members.get(0).unwrap().members.get(1),
            Some(inner[1])
        );
        assert_eq!(
            read[0].members.get(1).unwrap().members.why_opaque(),
            Some(Opaque::Union)
        );
        let of_enum = read[0].members.get(3).unwrap().members;
        assert!(of_enum.is_enum() && !of_enum.is_known() && of_enum.is_empty());
        assert!(of_enum.variants().eq(variants));
        assert_ne!(of_enum, Members::UNKNOWN);
        assert_eq!(read[0].members.get(4), None);
        assert!(!read[1].members.is_known() && read[0].members.get(2).unwrap().members.is_known());
        assert_ne!(read[0].members, Members::UNKNOWN);
        assert_ne!(read[0].members.get(2).unwrap().members, Members::UNKNOWN);
        assert!(ParameterList::default().parameters().is_empty());
        assert!(list.weight() >= list.text.len());
    }
}

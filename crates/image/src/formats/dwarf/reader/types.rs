//! C++ types from type entries. DWARF 5, "5. Type Entries".

use super::{Die, Error, FLOAT_NOT_IN_RUST, Position, Type, Units};
use crate::mangled::demangle;
use crate::prelude::*;
use gimli::{DwAte, DwTag, constants as dw};
use kernel_args_abi::{Class, CppBase, CppType, cpp::scalar};

/// The most entries of one type: qualifiers, pointers, typedefs, arrays.
const LONGEST_CHAIN: usize = 64;

const NAMED: CppType<'static> = CppType::named("");

#[derive(PartialEq)]
enum Link {
    Pointer,
    Const,
    Array(u32),
}

impl<'s> Type<'s> {
    fn void() -> Self {
        Self {
            cpp: CppType::of(CppBase::Void),
            name: Cow::Borrowed(""),
            named_by: None,
            size: None,
            class: Class::Unknown,
            alignment: None,
            aggregate: None,
            alias: "",
            unlike_c: None,
        }
    }

    /// Returns the type at a position; `None` is `void`. A pointee is identified, but not read.
    pub(super) fn read(units: &Units<'s>, place: Option<Position>) -> Result<Self, Error> {
        let mut links = Vec::new();
        let mut at = place;
        let mut alias = "";
        let mut alignment = None;
        let mut address_size = 8;
        let mut is_reference = false;
        for _ in 0..LONGEST_CHAIN {
            let Some(place) = at else {
                return Ok(Self::void().with(&links, alignment, address_size));
            };
            let entry = units.entry(place)?;
            // Only an alignment of the value itself counts, not of a pointee.
            if !links.contains(&Link::Pointer) {
                alignment = alignment.max(entry.alignment());
            }
            match entry.tag {
                dw::DW_TAG_const_type => links.push(Link::Const),
                dw::DW_TAG_volatile_type
                | dw::DW_TAG_restrict_type
                | dw::DW_TAG_atomic_type
                | dw::DW_TAG_immutable_type
                | dw::DW_TAG_packed_type => {}
                dw::DW_TAG_typedef | dw::DW_TAG_template_alias => {
                    if let Some(name) = entry.value(dw::DW_AT_name) {
                        alias = units.text(place, name)?;
                    }
                }
                dw::DW_TAG_pointer_type | dw::DW_TAG_reference_type | dw::DW_TAG_rvalue_reference_type => {
                    address_size = units.address_size(place);
                    is_reference |= entry.tag != dw::DW_TAG_pointer_type && !links.contains(&Link::Pointer);
                    links.push(Link::Pointer);
                    alias = "";
                }
                dw::DW_TAG_array_type => {
                    let mut dimensions = units.walk(place)?;
                    while let Some(dimension) = dimensions.next_child()? {
                        if dimension.tag == dw::DW_TAG_subrange_type {
                            // An array of unknown length has no bytes.
                            let length = dimension.length().and_then(|length| u32::try_from(length).ok());
                            links.push(Link::Array(length.unwrap_or(0)));
                        }
                        if links.len() > LONGEST_CHAIN {
                            return Ok(Self::unknown());
                        }
                    }
                    alias = "";
                }
                _ => {
                    let mut ty = Self::base(units, &entry, alias)?.with(&links, alignment, address_size);
                    if is_reference {
                        ty.unlike_c = Some("a reference");
                    }
                    return Ok(ty);
                }
            }
            at = entry.ty(units);
        }
        Ok(Self::unknown())
    }

    fn unknown() -> Self {
        Self { cpp: CppType::UNKNOWN, ..Self::void() }
    }

    fn base(units: &Units<'s>, entry: &Die<'s>, alias: &'s str) -> Result<Self, Error> {
        let name = name(units, entry)?;
        let (size, of) = (entry.byte_size(), entry.ty(units));
        let ty = Self { size, ..Self::unknown() };
        Ok(match entry.tag {
            dw::DW_TAG_unspecified_type if name == "void" => Self::void(),
            dw::DW_TAG_subroutine_type => Self { cpp: CppType::of(CppBase::FunctionType), ..ty },
            dw::DW_TAG_base_type => {
                let bits = size.and_then(|bytes| u16::try_from(bytes).ok()?.checked_mul(8)).unwrap_or(0);
                let (base, class) = scalar_of(name, entry.encoding(), bits);
                let cpp = CppType::of(base);
                let is_float = entry.encoding() == Some(dw::DW_ATE_float) && !matches!(bits, 32 | 64);
                let unlike_c = is_float.then_some(FLOAT_NOT_IN_RUST);
                Self { cpp, class, alias, unlike_c, ..ty }
            }
            dw::DW_TAG_enumeration_type => Self {
                class: Class::Integer,
                aggregate: Some(entry.place),
                size: match (size, of) {
                    (None, Some(_)) => Self::integer_of(units, of)?.0,
                    (size, _) => size,
                },
                ..ty
            }
            .named([name, alias], entry.place),
            dw::DW_TAG_structure_type | dw::DW_TAG_class_type | dw::DW_TAG_interface_type | dw::DW_TAG_union_type => {
                Self { class: Class::Bytes, aggregate: Some(entry.place), ..ty }.named([name, alias], entry.place)
            }
            // `decltype(nullptr)`, a pointer to `void`.
            dw::DW_TAG_unspecified_type if name.contains("nullptr") => {
                let address_size = units.address_size(entry.place);
                Self::void().with(&[Link::Pointer], None, address_size)
            }
            // One integer, or two for a member function. Itanium C++ ABI, "2.3 Member Pointers".
            dw::DW_TAG_ptr_to_member_type => {
                let address_size = u64::from(units.address_size(entry.place));
                let (size, class) = if underlying(units, of, dw::DW_TAG_subroutine_type)?.is_some() {
                    (2 * address_size, Class::Bytes)
                } else {
                    (address_size, Class::Integer)
                };
                Self { size: Some(size), class, ..ty }
            }
            _ => ty,
        })
    }

    /// Returns its size, and whether it is signed.
    pub(super) fn integer_of(units: &Units<'s>, place: Option<Position>) -> Result<(Option<u64>, Option<bool>), Error> {
        let Some(entry) = underlying(units, place, dw::DW_TAG_base_type)? else {
            return Ok((None, None));
        };
        let is_signed = entry.encoding().and_then(|encoding| match encoding {
            dw::DW_ATE_signed | dw::DW_ATE_signed_char => Some(true),
            dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char | dw::DW_ATE_boolean | dw::DW_ATE_UTF => Some(false),
            _ => None,
        });
        Ok((entry.byte_size(), is_signed))
    }

    fn named(self, names: [&'s str; 2], place: Position) -> Self {
        for name in names {
            let name = if name.starts_with("_Z") { demangle(name).map(Cow::Owned) } else { Some(Cow::Borrowed(name)) };
            if let Some(name) = name.filter(|name| is_name(name)) {
                return Self { cpp: NAMED, name, named_by: Some(place), ..self };
            }
        }
        self
    }

    fn with(mut self, links: &[Link], alignment: Option<u64>, address_size: u8) -> Self {
        let mut is_const = false;
        for link in links.iter().rev() {
            match *link {
                Link::Const => is_const = true,
                Link::Pointer => {
                    self.cpp = self.cpp.pointer(is_const);
                    self.class = Class::Pointer;
                    self.size = Some(u64::from(address_size));
                    self.aggregate = None;
                    self.unlike_c = None;
                    is_const = false;
                }
                Link::Array(length) => {
                    self.unlike_c = Some("a vector of the processor");
                    self.cpp = self.cpp.array(length);
                    self.size = self.size.and_then(|size| size.checked_mul(u64::from(length)));
                }
            }
        }
        self.alignment = alignment;
        self
    }
}

/// Returns the first entry with this tag, through typedefs, qualifiers and pointers.
fn underlying<'s>(units: &Units<'s>, mut at: Option<Position>, tag: DwTag) -> Result<Option<Die<'s>>, Error> {
    for _ in 0..LONGEST_CHAIN {
        let Some(place) = at else { break };
        let entry = units.entry(place)?;
        if entry.tag == tag {
            return Ok(Some(entry));
        }
        at = entry.ty(units);
    }
    Ok(None)
}

fn name<'s>(units: &Units<'s>, entry: &Die<'s>) -> Result<&'s str, Error> {
    let declaration = match (entry.value(dw::DW_AT_name), entry.completes(units)) {
        (None, Some(place)) => &units.entry(place)?,
        _ => entry,
    };
    units.name(declaration)
}

/// Returns whether C++ can have this name, which EDG (`__C2`) or a demangler (`{unnamed type#1}`, `'unnamed'`) did not
/// make.
fn is_name(name: &str) -> bool {
    let made = name.strip_prefix("__C").is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()));
    name.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '(')) && !made && !name.contains(['{', '\''])
}

fn scalar_of(name: &str, encoding: Option<DwAte>, bits: u16) -> (CppBase<'static>, Class) {
    let by_name = scalar(name.as_bytes());
    let integer = |signed| by_name.unwrap_or(CppBase::Integer { signed, bits });
    match encoding {
        Some(dw::DW_ATE_boolean) if bits == 8 => (CppBase::Bool, Class::Integer),
        Some(dw::DW_ATE_signed | dw::DW_ATE_signed_char) => (integer(true), Class::Integer),
        Some(dw::DW_ATE_unsigned | dw::DW_ATE_unsigned_char | dw::DW_ATE_UTF) => (integer(false), Class::Integer),
        Some(dw::DW_ATE_float) if matches!(name, "__bf16" | "__nv_bfloat16") => (CppBase::Unknown, Class::Float),
        Some(dw::DW_ATE_float) if matches!(bits, 16 | 32 | 64) => (CppBase::Float { bits }, Class::Float),
        _ => (CppBase::Unknown, Class::Unknown),
    }
}

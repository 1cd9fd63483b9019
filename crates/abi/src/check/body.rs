//! Whether the code of a kernel contradicts the type of a field or member.
//!
//! An error needs evidence that no right program can show: [`Contradiction::is_certain`]. Everything else is a remark,
//! which is an error only if the struct asks for it. The guide's chapter `checks` lists them. What is certain, and why:
//!
//! - *A write through a shared borrow* changes memory that user code promised not to change.
//! - *A wrong floating-point format.* The code computes with elements, and the bits of one format are noise in a
//!   different format. Vectors that fill one element, the upper halves of `float`, and a 0, which has the same bits in
//!   all formats, are no evidence.
//! - *Floats whose bits are addresses.* The code accesses memory at what it loads.
//! - *Memory, a texture and a surface* instead of each other. The instruction takes a handle of one kind, or an
//!   address.
//! - *A pointer and an integer that are exchanged.* The code accesses memory through the integer, and never through the
//!   pointer. One of the two alone can be right: a hash of an address, an address in an integer.

use super::{
    cursor::Cursor,
    difference::{Difference, Differences},
    member_mismatch::NAMES,
};
use crate::{
    bytes::{ends_with, same},
    class::Class,
    cpp::{CppBase, CppType},
    signature::{ElementClass, Elements, Meaning, Parameter, Slot, SlotKind},
};

/// How the code of a kernel contradicts a type, the most serious first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Contradiction {
    /// The code uses a texture or surface object instead of a pointer, or the wrong one of these objects.
    Object,
    /// The type is a pointer to `const`, and the code writes through it.
    Written,
    /// The type is a pointer to floats, and the code uses what it loads as addresses.
    Addresses,
    /// The code computes with floating-point numbers of another format.
    Format,
    /// A remark: the type is a pointer, and the code computes with it as an integer.
    Integer,
    /// The type is an integer, and the code accesses memory through it. A remark, unless the integer is a texture or
    /// surface object.
    Memory,
    /// A remark: the code accesses elements of another size or kind.
    Elements,
}

impl Contradiction {
    /// Returns whether no right program can show it. Otherwise it is a remark.
    pub const fn is_certain(self) -> bool {
        matches!(self, Self::Object | Self::Written | Self::Addresses | Self::Format)
    }
}

/// Returns how the code contradicts a type, if it does.
pub const fn contradiction(ty: CppType<'_>, meaning: Option<Meaning>, slot: &Slot<'_>) -> Option<Contradiction> {
    let is_object = match (slot.kind, meaning) {
        (SlotKind::Texture, Some(Meaning::Surface)) | (SlotKind::Surface, Some(Meaning::Texture)) => true,
        (SlotKind::Texture | SlotKind::Surface, _) => ty.depth > 0,
        _ => false,
    };
    if is_object {
        return Some(Contradiction::Object);
    }
    if ty.depth == 0 {
        let is_integer = matches!(ty.base, CppBase::Integer { .. } | CppBase::Long { .. });
        return if is_integer && is_accessed(slot) { Some(Contradiction::Memory) } else { None };
    }
    if matches!(slot.kind, SlotKind::Integer) {
        return Some(Contradiction::Integer);
    }
    if ty.is_shared() && slot.written.is_certain() {
        return Some(Contradiction::Written);
    }
    // A pointer to an array can be a pointer to a vector or a struct.
    if ty.depth > 1 || ty.rows[0] > 0 {
        return None;
    }
    let primitive = primitive(ty.base);
    if slot.indirect.is_some() && matches!(primitive, Some(Primitive { float, .. }) if float.is_float()) {
        return Some(Contradiction::Addresses);
    }
    match slot.elements {
        Some(elements) if is_other_format(elements, primitive) => Some(Contradiction::Format),
        Some(elements) if contradicts(elements, ty.base) => Some(Contradiction::Elements),
        _ => None,
    }
}

const fn is_accessed(slot: &Slot<'_>) -> bool {
    matches!(slot.kind, SlotKind::Pointer) && (slot.read.is_certain() || slot.written.is_certain())
}

/// Returns whether the code accesses no memory through a value.
const fn is_only_a_number(slot: &Slot<'_>) -> bool {
    let is_accessed = slot.read.is_possible() || slot.written.is_possible();
    matches!(slot.kind, SlotKind::Unknown | SlotKind::Integer) && !is_accessed && !slot.escapes
}

/// Returns whether the code computes with another floating-point format.
const fn is_other_format(elements: Elements, primitive: Option<Primitive>) -> bool {
    let Primitive { float, size } = some!(primitive, false);
    let is_vector_in_one = elements.size == size && elements.class.size() < size as usize;
    let is_upper_half =
        matches!((elements.class, float), (ElementClass::BF16, ElementClass::F32)) && elements.step.is_multiple_of(4);
    float.is_float()
        && elements.class.is_float()
        && elements.is_computed
        && elements.class as u8 != float as u8
        && !is_vector_in_one
        && !is_upper_half
}

/// Returns the pointee by the code, if the code computes with floating-point numbers of another format than it
/// declares.
pub(super) const fn computed_format(kernel: &Parameter<'_>) -> Option<CppBase<'static>> {
    let elements = some!(some!(kernel.body.at(0)).elements);
    let is_other = kernel.cpp.depth == 1 && is_other_format(elements, primitive(kernel.cpp.base));
    if is_other { Some(elements.class.float()) } else { None }
}

/// Returns whether only the code of a kernel can show something about a parameter: that it is a pointer or an object,
/// or that it is written.
pub const fn is_untyped(kernel: &Parameter<'_>) -> bool {
    let is_written = kernel.cpp.depth == 1 && !kernel.cpp.is_shared();
    let is_number = matches!(kernel.cpp.base, CppBase::Integer { signed: false, bits: 64 }) && !kernel.cpp.is_pointer();
    if is_written || is_number && kernel.members.stands_for().is_none() && !kernel.cpp.is_array() {
        return true;
    }
    let is_struct = matches!(kernel.class, Class::Bytes) && !kernel.cpp.base.is_builtin();
    kernel.size >= 8
        && !matches!(kernel.class, Class::Float)
        && !kernel.members.is_described()
        && (is_struct || kernel.cpp.is_unknown())
}

/// Returns how the code contradicts a field or member at this offset, if it is an error.
pub(super) const fn refused_at(
    host: &Parameter<'_>,
    kernel: &Parameter<'_>,
    offset: usize,
    is_strict: bool,
) -> Option<Contradiction> {
    let can_differ = host.cpp.depth > 0 || is_strict || host.members.stands_for().is_some();
    if !can_differ || host.cpp.is_array() || !kernel.body.is_known() {
        return None;
    }
    let meaning = host.members.stands_for();
    let found = some!(contradiction(host.cpp, meaning, &some!(kernel.body.facts(offset))));
    // A texture or surface object is no address.
    let is_object = matches!((found, meaning), (Contradiction::Memory, Some(Meaning::Texture | Meaning::Surface)));
    if found.is_certain() || is_strict || is_object { Some(found) } else { None }
}

pub(super) const fn compare(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Differences {
    Differences::of(match refused_at(host, kernel, 0, host.is_strict) {
        None => return Differences::NONE,
        // Otherwise something else shows the type of the parameter. C++ has no type for textures and surfaces.
        Some(found) if !kernel.cpp.is_unknown() && !matches!(found, Contradiction::Object) => return Differences::NONE,
        Some(Contradiction::Object | Contradiction::Integer | Contradiction::Memory) => Difference::Pointer,
        Some(Contradiction::Written) => Difference::Constness,
        Some(Contradiction::Addresses | Contradiction::Format | Contradiction::Elements) => Difference::Pointee,
    })
}

/// Returns whether a field is an integer, which can be an address, and the code uses the parameter as a pointer.
pub(super) const fn is_conversion(host: &Parameter<'_>, kernel: &Parameter<'_>) -> bool {
    if host.cpp.depth > 0 || host.cpp.is_unknown() || !kernel.cpp.is_unknown() {
        return false;
    }
    matches!(kernel.body.facts(0), Some(slot) if matches!(slot.kind, SlotKind::Pointer))
}

/// A pointer and an integer that are exchanged, as far as the fields show them. A pointer that the code does not
/// compute with, and a `u64`, which can be an address, show less: one of the two must be [`STRONG`].
#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    pub(super) pointer: u8,
    pub(super) integer: u8,
}

const WEAK: u8 = 1;
const STRONG: u8 = 2;

impl Exchange {
    pub(crate) const NONE: Self = Self { pointer: 0, integer: 0 };

    /// Returns what a field or member shows. Without a slot, the code does not use its bytes.
    const fn of(host: &Parameter<'_>, slot: Option<Slot<'_>>) -> Self {
        let mut own = Self::NONE;
        if host.size != 8 || host.cpp.is_array() {
            return own;
        }
        if host.cpp.depth > 0 {
            own.pointer = match slot {
                None => WEAK,
                Some(slot) if matches!(slot.kind, SlotKind::Integer) => STRONG,
                Some(slot) if is_only_a_number(&slot) => WEAK,
                Some(_) => 0,
            };
        } else if let Some(slot) = slot
            && matches!(contradiction(host.cpp, None, &slot), Some(Contradiction::Memory))
            && !ends_with(host.spelling.as_bytes(), b"CUdeviceptr")
        {
            let is_count = matches!(host.members.stands_for(), Some(Meaning::Count));
            own.integer = if is_count || host.cpp.base.is_signed() { STRONG } else { WEAK };
        }
        own
    }

    pub(crate) const fn and(self, host: &Parameter<'_>, kernel: &Parameter<'_>) -> Self {
        if !kernel.body.is_known() || !kernel.cpp.is_unknown() {
            return self;
        }
        self.with(Self::of(host, kernel.body.facts(0)))
    }

    const fn with(self, own: Self) -> Self {
        Self {
            pointer: if own.pointer > self.pointer { own.pointer } else { self.pointer },
            integer: if own.integer > self.integer { own.integer } else { self.integer },
        }
    }

    pub(crate) const fn has_integer(self) -> bool {
        self.integer > 0
    }

    pub(crate) const fn is_certain(self) -> bool {
        self.pointer > 0 && self.integer > 0 && (self.pointer == STRONG || self.integer == STRONG)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BodyMismatch<'a> {
    pub(crate) path: [&'a str; NAMES],
    pub(crate) member: Parameter<'a>,
    pub(crate) slot: Slot<'a>,
    pub(crate) found: Contradiction,
    pub(crate) exchanged: Option<&'a str>,
}

/// Returns the first pointer in a struct that the code contradicts, if the members of the kernel's struct are unknown.
pub(crate) const fn first_in_struct<'a>(host: &Parameter<'a>, kernel: &Parameter<'a>) -> Option<BodyMismatch<'a>> {
    let may_contain = host.members.is_known() || host.cpp.is_array();
    if !may_contain || kernel.members.is_described() || kernel.body.is_empty() || host.size != kernel.size {
        return None;
    }
    let mut cursor = Cursor::EMPTY;
    cursor.restart(host);
    let (mut exchange, mut first) = (Exchange::NONE, None);
    let (mut pointer, mut integer) = ("", "");
    while let Some(item) = cursor.peek() {
        let member = item.element();
        let is_opaque = member.members.why_opaque().is_some();
        let is_plain = is_opaque || !member.members.is_known() && member.cpp.depth == 0;
        if cursor.is_too_deep {
            return None;
        } else if item.opens() && !is_plain {
            cursor.open(&item);
            continue;
        } else if !is_opaque {
            let slot = kernel.body.at(item.offset);
            if let Some(slot) = slot
                && let Some(found) = refused_at(&member, kernel, item.offset, host.is_strict)
            {
                return Some(BodyMismatch {
                    path: cursor.place_of(member, 0).path,
                    member,
                    slot,
                    found,
                    exchanged: None,
                });
            }
            let own = Exchange::of(&member, slot);
            exchange = exchange.with(own);
            let (is_pointer, is_integer) = (own.pointer > 0, own.integer > 0);
            if is_pointer && pointer.is_empty() {
                pointer = member.name;
            }
            if is_integer && integer.is_empty() {
                integer = member.name;
            }
            if let (Some(slot), None) = (slot, first)
                && (is_pointer || is_integer)
            {
                let found = if is_pointer { Contradiction::Integer } else { Contradiction::Memory };
                first =
                    Some(BodyMismatch { path: cursor.place_of(member, 0).path, member, slot, found, exchanged: None });
            }
        }
        cursor.pass();
    }
    match first {
        Some(first) if exchange.is_certain() => {
            let other = if matches!(first.found, Contradiction::Integer) { integer } else { pointer };
            Some(BodyMismatch { exchanged: Some(other), ..first })
        }
        _ => None,
    }
}

#[derive(Clone, Copy)]
struct Primitive {
    /// The class of a float. Unknown for an integer.
    float: ElementClass,
    /// 0 for `long`.
    size: u8,
}

/// Returns whether no access through a pointer to `pointee` shows these elements.
pub const fn contradicts(elements: Elements, pointee: CppBase<'_>) -> bool {
    let primitive = some!(primitive(pointee), false);
    if elements.class.is_float() {
        return elements.class as u8 != primitive.float as u8;
    }
    if matches!((elements.class, elements.size), (ElementClass::Integer, 4 | 8)) && primitive.float.is_float() {
        return true;
    }
    let size = primitive.size;
    match (elements.size, elements.step) {
        (1, _) => size >= 2,
        (2, _) => size >= 4,
        // Half of an element of 8 bytes is read at every 8th byte only.
        (4, 4) => size == 8,
        (8, 8) => matches!(elements.class, ElementClass::Integer) && size == 4,
        _ => false,
    }
}

const fn primitive(base: CppBase<'_>) -> Option<Primitive> {
    let (float, size) = match base {
        CppBase::Bool => (ElementClass::Unknown, 1),
        // Buffers of bytes can contain anything.
        CppBase::Integer { bits: bits @ (16 | 32 | 64), .. } => (ElementClass::Unknown, bits as u8 / 8),
        CppBase::Long { .. } => (ElementClass::Unknown, 0),
        CppBase::Float { bits: 16 } => (ElementClass::F16, 2),
        CppBase::Float { bits: 32 } => (ElementClass::F32, 4),
        CppBase::Float { bits: 64 } => (ElementClass::F64, 8),
        CppBase::Named(name) if same(name, "__half") => (ElementClass::F16, 2),
        CppBase::Named(name) if same(name, "__nv_bfloat16") => (ElementClass::BF16, 2),
        _ => return None,
    };
    Some(Primitive { float, size })
}

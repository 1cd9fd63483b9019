//! What the code of a kernel does with a parameter.
//!
//! PTX contains it even without debug information or C++ names. `kernel_args_image` derives it, and claims only what
//! holds for every launch that reaches the instruction.

use super::reader::List;
use crate::cpp::CppBase;
use core::fmt;

/// What the code of a kernel does with a parameter.
#[derive(Clone, Copy)]
pub struct Body<'a>(BodySource<'a>);

#[derive(Clone, Copy)]
enum BodySource<'a> {
    Unknown,
    Slice(&'a [Slot<'a>]),
    Stored(List<'a>),
}

/// What the code of a kernel does with 8 bytes of a parameter: a pointer, or a member of a struct.
///
/// `Default` is a slot about which nothing is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Slot<'a> {
    /// The offset in the parameter, in bytes: a multiple of 8.
    pub offset: usize,
    /// What the value is used as.
    pub kind: SlotKind,
    /// Whether the kernel reads memory through the value.
    pub read: Certainty,
    /// Whether the kernel writes memory through the value. An atomic operation reads and writes.
    pub written: Certainty,
    /// Whether an access that certainly uses the value is atomic.
    pub is_atomic: bool,
    /// Whether the value gets to code or memory that was not analysed. Further accesses are then possible.
    pub escapes: bool,
    /// The elements behind a pointer, if all accesses agree.
    pub elements: Option<Elements>,
    /// An access that shows the elements, if one does.
    pub access: Option<Evidence<'a>>,
    /// A certain write.
    pub write: Option<Evidence<'a>>,
    /// The arithmetic that shows that the value is an integer.
    pub arithmetic: Option<Evidence<'a>>,
    /// An access at an address that was loaded through the value.
    pub indirect: Option<Evidence<'a>>,
}

/// The use of 8 bytes of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum SlotKind {
    /// The code does not show it.
    #[default]
    Unknown,
    /// A pointer: it is dereferenced, converted to an address of global memory, or declared as a pointer in PTX.
    Pointer,
    /// An integer: it is multiplied, divided or shifted as 64 bits, and never dereferenced.
    Integer,
    /// A texture object: it is sampled.
    Texture,
    /// A surface object: it is loaded from or stored to.
    Surface,
    /// A part of a tensor map.
    TensorMap,
}

impl SlotKind {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Unknown, Self::Pointer, Self::Integer, Self::Texture, Self::Surface, Self::TensorMap];
}

/// Whether the code contains an access through a parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub enum Certainty {
    /// No instruction does it.
    #[default]
    Never,
    /// An instruction does it through one of several parameters, or through a value whose origin is unclear.
    Possible,
    /// An instruction does it, and can do it through this parameter only.
    Certain,
}

impl Certainty {
    /// Every degree.
    pub const ALL: [Self; 3] = [Self::Never, Self::Possible, Self::Certain];

    /// Returns whether it is certain.
    pub const fn is_certain(self) -> bool {
        matches!(self, Self::Certain)
    }

    /// Returns whether it is possible or certain.
    pub const fn is_possible(self) -> bool {
        !matches!(self, Self::Never)
    }
}

/// What the accesses through a pointer show about the elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Elements {
    /// The arithmetic that they take part in.
    pub class: ElementClass,
    /// Whether the code computes with the elements. Otherwise the class is the type in the opcode, which copies have
    /// too.
    pub is_computed: bool,
    /// The size of each access in bytes. For floats that the code computes with: of the smallest access.
    pub size: u8,
    /// The number of bytes that divides all distances between accesses with a variable index. 0 if it varies, or if no
    /// index is variable.
    pub step: u32,
}

/// The arithmetic of elements behind a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[non_exhaustive]
pub enum ElementClass {
    /// The code does not show it.
    #[default]
    Unknown,
    /// Arithmetic of integers, or a conversion of an integer to a float.
    Integer,
    /// `__half`.
    F16,
    /// `__nv_bfloat16`.
    BF16,
    /// `float`.
    F32,
    /// `double`.
    F64,
}

impl ElementClass {
    /// Every class.
    pub const ALL: [Self; 6] = [Self::Unknown, Self::Integer, Self::F16, Self::BF16, Self::F32, Self::F64];

    /// Returns the C++ type of a floating-point number, otherwise unknown.
    pub(crate) const fn float(self) -> CppBase<'static> {
        match self {
            Self::Unknown | Self::Integer => CppBase::Unknown,
            Self::F16 => CppBase::Named("__half"),
            Self::BF16 => CppBase::Named("__nv_bfloat16"),
            Self::F32 => CppBase::Float { bits: 32 },
            Self::F64 => CppBase::Float { bits: 64 },
        }
    }

    /// Returns the size of a floating-point number in bytes, otherwise 0.
    pub const fn size(self) -> usize {
        match self {
            Self::Unknown | Self::Integer => 0,
            Self::F16 | Self::BF16 => 2,
            Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Returns whether it is a floating-point type.
    pub const fn is_float(self) -> bool {
        self.size() > 0
    }
}

impl Elements {
    /// Returns the C++ type of the elements, as far as the accesses show it: the signedness of an integer is not known,
    /// and numbers that are only copied are integers.
    ///
    /// `None` if the accesses can be to parts of larger elements.
    pub const fn scalar(self) -> Option<CppBase<'static>> {
        let bits = match (self.class, self.size) {
            (class, _) if class.is_float() => return Some(class.float()),
            (_, size @ (1 | 2 | 4 | 8)) => 8 * size as u16,
            _ => return None,
        };
        let is_whole = self.step == 0 || self.step == self.size as u32;
        if is_whole { Some(CppBase::Integer { signed: false, bits }) } else { None }
    }

    /// [`scalar`](Self::scalar) in words: `float`, `32-bit integer`, `4-byte element`.
    pub const fn name(self) -> Option<&'static str> {
        let is_integer = matches!(self.class, ElementClass::Integer);
        Some(match self.scalar() {
            Some(CppBase::Integer { bits: 8, .. }) => "byte",
            Some(CppBase::Integer { bits: 16, .. }) if is_integer => "16-bit integer",
            Some(CppBase::Integer { bits: 32, .. }) if is_integer => "32-bit integer",
            Some(CppBase::Integer { bits: 64, .. }) if is_integer => "64-bit integer",
            Some(CppBase::Integer { bits: 16, .. }) => "2-byte element",
            Some(CppBase::Integer { bits: 32, .. }) => "4-byte element",
            Some(CppBase::Integer { .. }) => "8-byte element",
            Some(base) => base.spelling(),
            None => return None,
        })
    }
}

/// An instruction that shows something about a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Evidence<'a> {
    /// The instruction without operands: `st.global.f32`.
    pub opcode: &'a str,
    /// The source file, if PTX contains it (`-lineinfo`), otherwise empty.
    pub file: &'a str,
    /// The line in the source file, otherwise 0.
    pub line: u32,
}

impl<'a> Slot<'a> {
    /// Returns a slot at `offset` about which nothing is known.
    pub const fn at(offset: usize) -> Self {
        Self {
            offset,
            kind: SlotKind::Unknown,
            read: Certainty::Never,
            written: Certainty::Never,
            is_atomic: false,
            escapes: false,
            elements: None,
            access: None,
            write: None,
            arithmetic: None,
            indirect: None,
        }
    }

    /// Returns whether the kernel only reads through the pointer.
    pub const fn is_only_read(&self) -> bool {
        self.read.is_certain() && !self.written.is_possible() && !self.escapes
    }
}

impl<'a> Body<'a> {
    /// The code was not analysed.
    pub const UNKNOWN: Self = Self(BodySource::Unknown);

    /// The kernel never loads the parameter.
    pub const UNUSED: Self = Self(BodySource::Slice(&[]));

    /// The kernel uses these slots, sorted by offset.
    pub const fn of(slots: &'a [Slot<'a>]) -> Self {
        Self(BodySource::Slice(slots))
    }

    pub(super) const fn stored(body: List<'a>) -> Self {
        Self(BodySource::Stored(body))
    }

    /// Returns whether the code was analysed.
    pub const fn is_known(self) -> bool {
        !matches!(self.0, BodySource::Unknown)
    }

    /// Returns whether the kernel never loads the parameter.
    pub const fn is_unused(self) -> bool {
        self.is_known() && self.is_empty()
    }

    /// Returns the number of slots that the kernel uses. 0 if the code is not known.
    pub const fn len(self) -> usize {
        match self.0 {
            BodySource::Unknown => 0,
            BodySource::Slice(slots) => slots.len(),
            BodySource::Stored(body) => body.len(),
        }
    }

    /// Returns whether no slot is used, or the code is not known.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the slot at `index`.
    pub const fn get(self, index: usize) -> Option<Slot<'a>> {
        match self.0 {
            BodySource::Slice(slots) if index < slots.len() => Some(slots[index]),
            BodySource::Stored(body) => body.slot(index),
            _ => None,
        }
    }

    /// Returns the slot at this offset without its evidence. A comparison that succeeds does not need it.
    pub(crate) const fn facts(self, offset: usize) -> Option<Slot<'a>> {
        self.find(offset, false)
    }

    /// Returns the slot at this offset in the parameter.
    pub const fn at(self, offset: usize) -> Option<Slot<'a>> {
        self.find(offset, true)
    }

    const fn find(self, offset: usize, has_evidence: bool) -> Option<Slot<'a>> {
        let mut index = 0;
        loop {
            let slot = match self.0 {
                BodySource::Stored(body) if !has_evidence => body.facts(index),
                _ => self.get(index),
            };
            match slot {
                Some(slot) if slot.offset < offset => index += 1,
                Some(slot) if slot.offset == offset => return Some(slot),
                _ => return None,
            }
        }
    }

    /// Returns the slots in order.
    pub fn slots(self) -> impl Iterator<Item = Slot<'a>> {
        (0..).map_while(move |index| self.get(index))
    }
}

impl PartialEq for Body<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.is_known() == other.is_known() && self.slots().eq(other.slots())
    }
}

impl Eq for Body<'_> {}

impl fmt::Debug for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_known() { f.debug_list().entries(self.slots()).finish() } else { f.write_str("Unknown") }
    }
}

//! The kinds of mistakes.

/// A kind of mistake in a struct of arguments, or a kind of different correct spelling.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Kind {
    SwapNeighbours,
    SwapApart,
    SwapSameType,
    Move,
    Drop,
    Add,
    Width,
    IntForFloat,
    Alignment,
    Length,
    StructSize,
    StructName,
    StructInside,
    SwapMembers,
    Members,
    Pointee,
    Constness,
    Signedness,
    Bool,
    ValueForPointer,
    PointerForValue,
    HalfFormat,
    EnumWidth,
    EnumValue,
    VectorScalar,
    // Correct, with a different spelling:
    MutForConst,
    AddressForPointer,
    VoidPointer,
    LongLong,
    IntegerForEnum,
    BoolForByte,
    Optional,
    NonZero,
}

impl Kind {
    pub(crate) const MISTAKES: [Self; 25] = [
        Self::SwapNeighbours,
        Self::SwapApart,
        Self::SwapSameType,
        Self::Move,
        Self::Drop,
        Self::Add,
        Self::Width,
        Self::IntForFloat,
        Self::Alignment,
        Self::Length,
        Self::StructSize,
        Self::StructName,
        Self::StructInside,
        Self::SwapMembers,
        Self::Members,
        Self::Pointee,
        Self::Constness,
        Self::Signedness,
        Self::Bool,
        Self::ValueForPointer,
        Self::PointerForValue,
        Self::HalfFormat,
        Self::EnumWidth,
        Self::EnumValue,
        Self::VectorScalar,
    ];

    /// Different correct spellings of a struct, which must be accepted.
    pub(crate) const RIGHT: [Self; 8] = [
        Self::MutForConst,
        Self::AddressForPointer,
        Self::VoidPointer,
        Self::LongLong,
        Self::IntegerForEnum,
        Self::BoolForByte,
        Self::Optional,
        Self::NonZero,
    ];

    /// Whether only debug information shows the mistake, at least in some kernels.
    pub(crate) fn is_for_debug_info(self) -> bool {
        matches!(
            self,
            Self::SwapSameType
                | Self::SwapMembers
                | Self::StructInside
                | Self::StructName
                | Self::Pointee
                | Self::Constness
                | Self::Signedness
                | Self::Bool
                | Self::EnumValue
                | Self::VectorScalar
        )
    }

    pub(crate) fn is_right(self) -> bool {
        Self::RIGHT.contains(&self)
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::SwapNeighbours => "swap two neighbours",
            Self::SwapApart => "swap two apart",
            Self::SwapSameType => "swap two of one type",
            Self::Move => "move one over several",
            Self::Drop => "drop one",
            Self::Add => "add one",
            Self::Width => "width of a scalar",
            Self::IntForFloat => "int for float, float for int",
            Self::Alignment => "alignment",
            Self::Length => "length of vector or array",
            Self::StructSize => "size of a struct",
            Self::StructName => "name of a struct",
            Self::StructInside => "inside of a struct, same size",
            Self::SwapMembers => "swap two members of one type",
            Self::Members => "members of a struct as fields",
            Self::Pointee => "pointee",
            Self::Constness => "const pointer for a mutable one",
            Self::Signedness => "signedness",
            Self::Bool => "integer for bool",
            Self::ValueForPointer => "value for pointer",
            Self::PointerForValue => "pointer for value",
            Self::HalfFormat => "f16 for bf16",
            Self::EnumWidth => "width of an enum",
            Self::EnumValue => "value of a variant",
            Self::VectorScalar => "int vector for float vector",
            Self::MutForConst => "mutable pointer for a const one",
            Self::AddressForPointer => "u64 for a pointer",
            Self::VoidPointer => "void pointer",
            Self::LongLong => "i64 for isize",
            Self::IntegerForEnum => "integer for enum",
            Self::BoolForByte => "bool for a byte",
            Self::Optional => "Option of a pointer",
            Self::NonZero => "NonZero for an integer",
        }
    }
}

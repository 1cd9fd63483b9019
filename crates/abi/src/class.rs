//! The kind of value that a parameter is.

/// The kind of value that a parameter is, as far as its source specifies it. The width is the parameter's size.
///
/// PTX specifies it for scalars (`.u32`, `.f64`); vectors and structs are arrays of `.b8`. PTX ISA, "Kernel Function
/// Parameters".
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum Class {
    /// Unknown: a cubin's records, or `cuFuncGetParamInfo`.
    Unknown,
    /// Untyped bits of a scalar's width: `.b16`, `.b32`, `.b64`, `.b128`.
    Bits,
    /// An integer of either signedness, a `bool`, an enum, or an unmarked pointer.
    Integer,
    /// A floating-point number, including 16-bit types.
    Float,
    /// A device pointer.
    Pointer,
    /// An aggregate: vector, struct or array. `.align A .b8 name[N]`.
    Bytes,
}

impl Class {
    /// Returns whether two classes are equal. (`==` is not `const`.)
    #[must_use]
    pub const fn same(self, other: Self) -> bool {
        self as u8 == other as u8
    }

    /// Returns the name in documentation and JSON.
    #[doc(hidden)]
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Bits => "bits",
            Self::Integer => "integer",
            Self::Float => "float",
            Self::Pointer => "pointer",
            Self::Bytes => "bytes",
        }
    }
}

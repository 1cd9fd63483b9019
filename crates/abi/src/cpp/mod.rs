//! The C++ type of a parameter, as far as a mangled kernel name or a Rust type determines it.
//!
//! Types are flat and `Copy`, so they can be built and compared while a program compiles.
//!
//! | to change | open |
//! |---|---|
//! | a CUDA vector type | its row in `cuda_types.rs`, and its row in the table of the tests, `types.rs` of the generator |

#[macro_use]
mod cuda_types;

mod agree;
mod argument;
mod builtin;
pub mod name;
mod path;
mod scalar;

#[doc(hidden)]
pub use builtin::{BUILTINS, Builtin};
#[doc(hidden)]
pub use name::builtin;

pub(crate) use argument::{Argument, argument_end, integer_or_float, same_scalar, trim};
pub(crate) use builtin::vectors_of;
#[doc(hidden)]
pub use scalar::{rust_integer, rust_scalar, scalar};

use crate::message::{Message, Text};
use core::fmt;

/// A C++ type without its pointers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum CppBase<'a> {
    /// Unknown: matches everything.
    Unknown,
    /// `void`, behind a pointer.
    Void,
    /// A function, behind a pointer.
    FunctionType,
    /// `bool`.
    Bool,
    /// `char`: signed on x86, unsigned on Arm.
    Char,
    /// An integer of known width.
    Integer {
        /// Whether it is signed.
        signed: bool,
        /// The width in bits.
        bits: u16,
    },
    /// `long` or `unsigned long`: 32 bits if the kernel was compiled on Windows, otherwise 64 bits.
    Long {
        /// Whether it is signed.
        signed: bool,
    },
    /// `float` (32 bits) or `double` (64 bits).
    Float {
        /// The width in bits.
        bits: u16,
    },
    /// A struct, class, union, enum or built-in vector by its C++ name, with namespaces and template arguments if
    /// known: `float4`, `__half`, `sim::Params<float>`.
    Named(&'a str),
}

/// A C++ type: a base and the pointers around it.
///
/// Top-level `const` is dropped, as in a C++ function type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct CppType<'a> {
    /// The type without its pointers.
    pub base: CppBase<'a>,
    /// The number of pointers: 2 for `float**`.
    pub depth: u8,
    /// Bit `i` is set if the pointee of the `i`-th pointer, counted from the inside, is `const`: `1` for
    /// `float const*`, `2` for `float* const*`.
    pub const_mask: u8,
    /// The lengths of an array, the outermost first, then 0: `[2, 3, 0]` for `double[2][3]`. In C++ only members of
    /// structs are arrays: a Rust array passed by value is a struct around an array.
    pub extents: [u32; 3],
    /// The lengths of the array behind the outermost pointer: `[3, 4, 0]` for `int (*)[3][4]`. Arrays behind inner
    /// pointers are not recorded: `int (**)[3]` has the base `int` and depth 2.
    pub rows: [u32; 3],
}

impl<'a> CppType<'a> {
    /// An unknown type: matches everything.
    pub const UNKNOWN: Self = Self::of(CppBase::Unknown);

    /// The maximum number of pointers: `T********`.
    pub const MAX_DEPTH: u8 = 8;

    /// Returns whether it is a stream.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_stream(&self) -> bool {
        matches!(self.base, CppBase::Named(name) if self.depth == 1 && crate::bytes::same(name, name::STREAM))
    }

    /// Returns a type that is not a pointer.
    #[must_use]
    pub const fn of(base: CppBase<'a>) -> Self {
        Self { base, depth: 0, const_mask: 0, extents: [0; 3], rows: [0; 3] }
    }

    /// Returns an integer of `bits` bits.
    #[must_use]
    pub const fn integer(signed: bool, bits: u16) -> Self {
        Self::of(CppBase::Integer { signed, bits })
    }

    /// Returns a struct, enum or built-in vector by its C++ name.
    #[must_use]
    pub const fn named(name: &'a str) -> Self {
        Self::of(CppBase::Named(name))
    }

    /// Sets a pointer to this type. [`UNKNOWN`](Self::UNKNOWN) if it exceeds [`MAX_DEPTH`](Self::MAX_DEPTH).
    #[must_use]
    pub const fn pointer(self, to_const: bool) -> Self {
        if self.depth == Self::MAX_DEPTH {
            return Self::UNKNOWN;
        }
        let const_mask = self.const_mask | (to_const as u8) << self.depth;
        Self { depth: self.depth + 1, const_mask, extents: [0; 3], rows: self.extents, ..self }
    }

    /// Sets an array of `length` elements of this type. Dimensions after the third are merged into it.
    /// [`UNKNOWN`](Self::UNKNOWN) if it has no elements, or more than `u32::MAX`.
    #[must_use]
    pub const fn array(self, length: u32) -> Self {
        let [first, second, third] = self.extents;
        let innermost = if third == 0 { second } else { some!(second.checked_mul(third), Self::UNKNOWN) };
        let whole = Self { extents: [length, first, innermost], ..self };
        if length == 0 || whole.elements_or_none().is_none() { Self::UNKNOWN } else { whole }
    }

    /// Returns whether it is an array.
    #[must_use]
    pub const fn is_array(self) -> bool {
        self.extents[0] > 0
    }

    /// Returns the number of values: the product of an array's lengths, otherwise 1.
    #[must_use]
    pub const fn elements(self) -> usize {
        some!(self.elements_or_none(), 0) as usize
    }

    const fn elements_or_none(self) -> Option<u32> {
        let mut elements = 1u32;
        let mut i = 0;
        while i < self.extents.len() && self.extents[i] > 0 {
            elements = some!(elements.checked_mul(self.extents[i]));
            i += 1;
        }
        Some(elements)
    }

    /// Returns the element type of an array, otherwise the type itself.
    #[must_use]
    pub const fn element(self) -> Self {
        Self { extents: [0; 3], ..self }
    }

    /// Returns whether it is a pointer.
    #[must_use]
    pub const fn is_pointer(self) -> bool {
        self.depth > 0
    }

    /// Returns whether it is the address of a function, which is no memory.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_function(self) -> bool {
        matches!(self.base, CppBase::FunctionType) && self.depth == 1
    }

    /// Returns the pointer to `const` as a pointer to memory that is not `const`.
    #[must_use]
    pub const fn to_mutable(self) -> Option<Self> {
        if self.is_shared() {
            Some(Self { const_mask: self.const_mask & !(1 << (self.depth - 1)), ..self })
        } else {
            None
        }
    }

    /// Returns whether the type is unknown.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        matches!(self.base, CppBase::Unknown) && self.depth == 0
    }

    /// Returns whether it is a pointer to `const`.
    #[must_use]
    pub const fn is_shared(self) -> bool {
        self.depth > 0 && self.points_to_const(self.depth - 1)
    }

    /// Returns whether the pointee of a pointer, counted from the inside, is `const`.
    pub(crate) const fn points_to_const(self, level: u8) -> bool {
        self.const_mask >> level & 1 == 1
    }

    /// Appends what follows the base, as demanglers spell it: ` const*`, ` (*)[4]`.
    pub(crate) const fn push_shape(self, text: &mut Text) {
        let to_array = self.rows[0] > 0;
        let mut level = 0;
        while level < self.depth {
            text.push(if self.points_to_const(level) { " const" } else { "" });
            level += 1;
            text.push(if to_array && level == self.depth { " (*" } else { "*" });
        }
        push_lengths(text, self.extents);
        if to_array {
            text.push(")");
            push_lengths(text, self.rows);
        }
    }
}

const fn push_lengths(text: &mut Text, lengths: [u32; 3]) {
    let mut i = 0;
    while i < lengths.len() && lengths[i] > 0 {
        text.push("[");
        text.push_number(lengths[i] as usize);
        text.push("]");
        i += 1;
    }
}

impl fmt::Display for CppBase<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spelling())
    }
}

impl<'a> CppBase<'a> {
    /// Returns whether both have names, which can mean one type.
    pub(crate) const fn has_name_of(self, other: CppBase<'_>) -> bool {
        matches!((self, other), (Self::Named(own), CppBase::Named(other)) if name::agree(own, other))
    }

    /// Returns the C++ spelling.
    #[must_use]
    pub const fn spelling(self) -> &'a str {
        match self {
            Self::Unknown => "?",
            Self::Void => "void",
            Self::FunctionType => "function",
            Self::Bool => "bool",
            Self::Char => "char",
            Self::Long { signed: true } => "long",
            Self::Long { signed: false } => "unsigned long",
            Self::Float { bits: 32 } => "float",
            Self::Float { bits: 64 } => "double",
            Self::Float { .. } => "floating-point",
            Self::Integer { signed, bits } => match (signed, bits) {
                (true, 8) => "signed char",
                (false, 8) => "unsigned char",
                (true, 16) => "short",
                (false, 16) => "unsigned short",
                (true, 32) => "int",
                (false, 32) => "unsigned int",
                (true, 64) => "long long",
                (false, 64) => "unsigned long long",
                (true, 128) => "__int128",
                (false, 128) => "unsigned __int128",
                _ => "integer",
            },
            Self::Named(name) => name,
        }
    }

    pub(crate) const fn is_signed(self) -> bool {
        matches!(self, Self::Integer { signed: true, .. } | Self::Long { signed: true })
    }

    /// Returns the row of a built-in CUDA type.
    pub(crate) const fn builtin(self) -> Option<&'static Builtin> {
        match self {
            Self::Named(name) => builtin(name),
            _ => None,
        }
    }

    /// Returns whether it is a built-in CUDA type, possibly without a row.
    pub(crate) const fn is_builtin(self) -> bool {
        matches!(self, Self::Named(name) if name::is_builtin(name))
    }
}

impl fmt::Display for CppType<'_> {
    /// Returns the type as C++ demanglers spell it: `float const*`, `float (*)[4]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shape = Message::<160>::new();
        self.push_shape(&mut shape);
        write!(f, "{}{shape}", self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;

    #[test]
    fn types_are_spelled_as_demanglers_do() {
        let float = CppType::of(CppBase::Float { bits: 32 });
        for (ty, spelled) in [
            (float, "float"),
            (float.pointer(true), "float const*"),
            (float.pointer(false).pointer(true), "float* const*"),
            (CppType::of(CppBase::Void).pointer(false), "void*"),
            (CppType::integer(false, 64), "unsigned long long"),
            (CppType::named("sim::Params"), "sim::Params"),
            (float.array(3).array(2), "float[2][3]"),
            (float.pointer(true).array(4), "float const*[4]"),
            (float.array(3).array(2).pointer(false), "float (*)[2][3]"),
            (float.array(4).pointer(true), "float const (*)[4]"),
            (float.pointer(false).array(2).pointer(true).array(5), "float* const (*[5])[2]"),
            (float.array(7).pointer(false).pointer(false), "float**"),
        ] {
            assert_eq!(ty.to_string(), spelled);
        }
    }

    #[test]
    fn an_array_has_the_product_of_its_lengths() {
        let int = CppType::integer(true, 32);
        assert_eq!((int.elements(), int.is_array()), (1, false));
        let array = int.array(5).array(4).array(3);
        assert_eq!((array.elements(), array.extents), (60, [3, 4, 5]));
        assert_eq!(array.array(2).extents, [2, 3, 20]);
        assert_eq!(array.array(2).elements(), 120);
        assert_eq!(array.element(), int);
        for unknown in [int.array(0), int.array(u32::MAX).array(2), int.array(1 << 12).array(1 << 12).array(1 << 12)] {
            assert!(unknown.is_unknown());
        }
        let to_array = array.pointer(true);
        assert!(to_array.is_pointer() && !to_array.is_array());
        assert_eq!((to_array.base, to_array.rows), (int.base, [3, 4, 5]));
        assert_eq!(to_array.pointer(false).rows, [0; 3]);
    }

    #[test]
    fn a_pointer_too_deep_is_unknown() {
        let mut ty = CppType::integer(true, 32);
        for _ in 0..CppType::MAX_DEPTH {
            ty = ty.pointer(false);
            assert!(ty.is_pointer());
        }
        assert!(ty.pointer(false).is_unknown());
    }
}

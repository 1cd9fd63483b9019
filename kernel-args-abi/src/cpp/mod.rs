//! The C++ type of a parameter, as far as a mangled kernel name or a Rust type determines it.
//!
//! Flat and `Copy`, so that a type can be built and compared while a program compiles.

#[macro_use]
mod cuda_types;

mod argument;
mod builtin;
mod bytes;
#[cfg(feature = "read")]
pub mod mangled;
pub(crate) mod name;
mod scalar;

#[doc(hidden)]
pub use builtin::{BUILTINS, Builtin};
#[doc(hidden)]
pub use name::builtin;

pub(crate) use builtin::vectors_of;
pub(crate) use bytes::equal;

use core::fmt;

/// What a C++ type is when its pointers are taken off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[non_exhaustive]
pub enum CppBase<'a> {
    /// Not known: agrees with everything.
    Unknown,
    /// `void`, behind a pointer.
    Void,
    /// `bool`.
    Bool,
    /// `char`: signed on x86, unsigned on Arm.
    Char,
    /// An integer of known width.
    Integer {
        /// Whether it is signed.
        signed: bool,
        /// Its width.
        bits: u16,
    },
    /// `long` or `unsigned long`: 64 bits, but 32 where the kernel was compiled on Windows.
    Long {
        /// Whether it is signed.
        signed: bool,
    },
    /// `float` (32 bits) or `double` (64 bits).
    Float {
        /// Its width.
        bits: u16,
    },
    /// A struct, class, union, enum or built-in vector by its C++ name, qualified and with template
    /// arguments where they are known: `float4`, `__half`, `sim::Params<float>`.
    Named(&'a str),
}

/// A C++ type: a base and the pointers around it.
///
/// Top-level `const` is dropped, as C++ drops it from a function's type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct CppType<'a> {
    /// The type when all pointers are taken off.
    pub base: CppBase<'a>,
    /// How many pointers are around it: 2 for `float**`.
    pub depth: u8,
    /// Bit `i`: whether what the `i`-th pointer from the inside points to is `const`. `1` for
    /// `float const*`, `2` for `float* const*`.
    pub const_mask: u8,
}

impl<'a> CppType<'a> {
    /// A type that is not known: agrees with everything.
    pub const UNKNOWN: Self = Self::of(CppBase::Unknown);

    /// The deepest pointer that is represented: `T********`.
    pub const MAX_DEPTH: u8 = 8;

    /// A type that is no pointer.
    #[must_use]
    pub const fn of(base: CppBase<'a>) -> Self {
        Self {
            base,
            depth: 0,
            const_mask: 0,
        }
    }

    /// An integer of `bits`.
    #[must_use]
    pub const fn integer(signed: bool, bits: u16) -> Self {
        Self::of(CppBase::Integer { signed, bits })
    }

    /// A struct, enum or built-in vector by its C++ name.
    #[must_use]
    pub const fn named(name: &'a str) -> Self {
        Self::of(CppBase::Named(name))
    }

    /// The type of a pointer to this one; [`UNKNOWN`](Self::UNKNOWN) past [`MAX_DEPTH`](Self::MAX_DEPTH).
    #[must_use]
    pub const fn pointer(self, to_const: bool) -> Self {
        if self.depth == Self::MAX_DEPTH {
            return Self::UNKNOWN;
        }
        Self {
            base: self.base,
            depth: self.depth + 1,
            const_mask: self.const_mask | (to_const as u8) << self.depth,
        }
    }

    /// Whether it is a pointer.
    #[must_use]
    pub const fn is_pointer(self) -> bool {
        self.depth > 0
    }

    /// Whether it is not known at all.
    #[must_use]
    pub const fn is_unknown(self) -> bool {
        matches!(self.base, CppBase::Unknown) && self.depth == 0
    }
}

impl fmt::Display for CppBase<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spelling())
    }
}

impl<'a> CppBase<'a> {
    /// How C++ spells it.
    #[must_use]
    pub const fn spelling(self) -> &'a str {
        match self {
            Self::Unknown => "?",
            Self::Void => "void",
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
}

impl fmt::Display for CppType<'_> {
    /// The type as C++ demanglers spell it: `float const*`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.base.fmt(f)?;
        for level in 0..self.depth {
            f.write_str(if self.const_mask >> level & 1 == 1 {
                " const*"
            } else {
                "*"
            })?;
        }
        Ok(())
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
        ] {
            assert_eq!(ty.to_string(), spelled);
        }
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

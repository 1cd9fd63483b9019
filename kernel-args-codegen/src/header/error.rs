//! Why a header cannot be written.

use crate::bytes::bytes;
use alloc::{boxed::Box, string::String};
use core::fmt;

/// Why a header cannot be written: what cannot be declared in C++, where it stands, and what to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderError {
    /// `shade.light.direction`; empty where it is about the header itself.
    pub(super) place: String,
    pub(super) problem: Box<Problem>,
}

impl HeaderError {
    pub(super) fn new(place: impl Into<String>, problem: Problem) -> Self {
        Self {
            place: place.into(),
            problem: Box::new(problem),
        }
    }

    /// The kernel or type, and the member in it: `shade.light.direction`. Empty where the error is about the header itself.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

/// A type by how its source spells it, and where it was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    pub(super) spelling: String,
    pub(super) place: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Problem {
    /// A name that C++ does not have.
    Name {
        name: String,
        because: String,
        help: String,
    },
    /// A type whose C++ type is not known.
    Unknown { spelling: String },
    /// A pointer to such a type.
    UnknownPointee { spelling: String },
    /// A pointer to a struct or enum that is not declared.
    Undeclared { name: String },
    /// A struct whose members are not known.
    Members { name: String },
    /// An enum whose variants are not known.
    Variants { name: String },
    /// An enum of 128 bits.
    WideEnum { name: String },
    /// Two types of one name.
    TwoTypes {
        name: String,
        first: Origin,
        second: Origin,
    },
    /// A type that the header does not declare, with two sizes or alignments.
    TwoLayouts {
        name: String,
        first: (usize, Option<usize>),
        second: (usize, Option<usize>),
    },
    /// A type with the name of one of CUDA's, and another size or alignment.
    NotCuda {
        name: String,
        size: usize,
        align: usize,
        cuda: (usize, usize),
    },
    /// C++ puts a member elsewhere.
    Elsewhere {
        told: usize,
        after: usize,
        align: usize,
    },
    /// C++ gives a struct another size.
    Size { told: usize, cpp: usize },
    /// C++ gives a struct a larger alignment.
    Alignment { told: usize, cpp: usize },
    /// A member whose offset is not known.
    Offset,
    /// A symbol that is not one of a kernel that can be declared.
    Symbol {
        because: &'static str,
        help: &'static str,
    },
    /// A symbol that tells another type.
    SymbolType { symbol: String, told: String },
    /// A symbol that tells another number of parameters.
    SymbolCount { symbol: usize, told: usize },
    /// Two things of one name.
    Taken { name: String },
    /// A kernel has no parameter of this name.
    NoParameter { name: String },
    /// An option of the header.
    Option {
        what: &'static str,
        given: String,
        help: &'static str,
    },
}

impl fmt::Display for HeaderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the header cannot be written: ")?;
        if !self.place.is_empty() {
            write!(f, "`{}`: ", self.place)?;
        }
        self.problem.fmt(f)
    }
}

impl core::error::Error for HeaderError {}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&*self.spelling, &*self.place) {
            ("", place) => write!(f, "that of `{place}`"),
            (spelling, place) if spelling.ends_with(place) => write!(f, "`{spelling}`"),
            (spelling, place) => write!(f, "`{spelling}` of `{place}`"),
        }
    }
}

impl fmt::Display for Problem {
    #[allow(clippy::too_many_lines, reason = "one sentence for each problem")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name {
                name,
                because,
                help,
            } => write!(
                f,
                "C++ cannot declare the name `{name}`: {because}\n  help: {help}"
            ),
            Self::Unknown { spelling } => write!(
                f,
                "its C++ type is not known{}\n  help: a Rust struct tells it, and an image with debug information \
                 (`nvcc -G`, `--device-debug`)",
                Spelled(spelling)
            ),
            Self::UnknownPointee { spelling } => write!(
                f,
                "the C++ type that it points to is not known{}\n  help: point to one element, or to a struct that holds \
                 the array: `#[derive(Clone, Copy, DeviceType)] #[repr(C)] struct Row([f32; 4]);`",
                Spelled(spelling)
            ),
            Self::Undeclared { name } => write!(
                f,
                "it points to `{name}`, which the header does not declare\n  help: add it to the list: \
                 `cpp::device_type::<{name}>()`; or declare its name alone: `.forward_declare_pointees()`; or include the \
                 file that declares it: `.include(\"file.cuh\", &[\"{name}\"])`"
            ),
            Self::Members { name } => write!(
                f,
                "the members of `{name}` are not known\n  help: derive `DeviceType` for it, or read an image with debug \
                 information (`nvcc -G`, `--device-debug`); or include the file that declares it: \
                 `.include(\"file.cuh\", &[\"{name}\"])`"
            ),
            Self::Variants { name } => write!(
                f,
                "the variants of the enum `{name}` are not known\n  help: derive `DeviceType` for it, or read an image \
                 with debug information (`nvcc -G`, `--device-debug`); or include the file that declares it: \
                 `.include(\"file.cuh\", &[\"{name}\"])`"
            ),
            Self::WideEnum { name } => write!(
                f,
                "`{name}` is an enum of 128 bits, which C++ compilers do not have\n  help: use `repr(u64)` or `repr(i64)`"
            ),
            Self::TwoTypes {
                name,
                first,
                second,
            } => write!(
                f,
                "two types are called `{name}` in C++: {first}, and {second}\n  help: give one of them another name: \
                 `#[device_type(cpp = \"…\")]`. The instances of a generic struct are named one by one by structs around \
                 them: `#[derive(Clone, Copy, DeviceType)] #[repr(transparent)] #[device_type(cpp = \"{name}U32\")] \
                 struct {name}U32({name}<u32>);`"
            ),
            Self::TwoLayouts {
                name,
                first,
                second,
            } => write!(
                f,
                "`{name}` has {}, and elsewhere {}\n  help: a compiler has one of them: take the same Rust type in all \
                 places (a `CUtensorMap` of CUDA 13 is `TensorMap`, one of CUDA 12 `TensorMapA64`)",
                Extent(*first),
                Extent(*second)
            ),
            Self::NotCuda {
                name,
                size,
                align,
                cuda,
            } => write!(
                f,
                "`{name}` is a type of CUDA's of {} bytes, aligned to {}; this one has {size} bytes, aligned to {align}\n  \
                 help: give it another name in C++: `#[device_type(cpp = \"…\")]`",
                cuda.0, cuda.1
            ),
            Self::Elsewhere { told, after, align } => write!(
                f,
                "it lies at byte {told}, where C++ cannot put it: the member before it ends at byte {after}, and it is \
                 aligned to {align}\n  help: declare the struct by hand, and include the file: \
                 `.include(\"file.cuh\", &[\"…\"])`"
            ),
            Self::Size { told, cpp } => write!(
                f,
                "it has {}, and {} if it is declared in C++\n  help: declare the struct by hand, and include the file: \
                 `.include(\"file.cuh\", &[\"…\"])`",
                bytes(*told),
                bytes(*cpp)
            ),
            Self::Alignment { told, cpp } => write!(
                f,
                "it is aligned to {told}, and to {cpp} if it is declared in C++\n  help: declare the struct by hand, and \
                 include the file: `.include(\"file.cuh\", &[\"…\"])`"
            ),
            Self::Offset => f.write_str(
                "its offset is not known\n  help: a Rust struct tells it, and an image with debug information \
                 (`nvcc -G`, `--device-debug`)",
            ),
            Self::Symbol { because, help } => write!(f, "{because}\n  help: {help}"),
            Self::SymbolType { symbol, told } => write!(
                f,
                "the symbol says that it is `{symbol}`, here it is `{told}`\n  help: give the field that type; of a struct \
                 or an enum its name: `#[device_type(cpp = \"{symbol}\")]`"
            ),
            Self::SymbolCount { symbol, told } => write!(
                f,
                "the symbol tells {symbol} parameters, here there are {told}\n  help: give the struct one field for each \
                 parameter"
            ),
            Self::Taken { name } => write!(
                f,
                "the header has something else of the name `{name}`\n  help: give one of them another name, or put the \
                 types in a namespace: `.namespace(\"…\")`"
            ),
            Self::NoParameter { name } => write!(
                f,
                "it has no parameter `{name}`\n  help: name the parameter as the struct's field"
            ),
            Self::Option { what, given, help } => {
                write!(f, "`{given}` is no {what}\n  help: {help}")
            }
        }
    }
}

/// A size, and an alignment if it is known.
struct Extent((usize, Option<usize>));

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (size, align) = self.0;
        write!(f, "{size} bytes")?;
        match align {
            Some(align) => write!(f, ", aligned to {align}"),
            None => Ok(()),
        }
    }
}

/// A type in brackets, if its source spells it.
struct Spelled<'a>(&'a str);

impl fmt::Display for Spelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, " (`{}`)", self.0)
    }
}

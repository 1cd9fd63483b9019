//! Why a header cannot be written.

use crate::writers::counts::bytes;
use alloc::{boxed::Box, string::String};
use core::fmt;

/// Why a header cannot be written: what C++ cannot declare, its position, and what to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderError {
    pub(super) place: String,
    pub(super) problem: Box<Problem>,
}

impl HeaderError {
    pub(super) fn new(place: impl Into<String>, problem: Problem) -> Self {
        Self { place: place.into(), problem: Box::new(problem) }
    }

    /// The kernel or type, and the member in it: `shade.light.direction`. Empty if the error concerns the header
    /// itself.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Origin {
    pub(super) spelling: String,
    pub(super) place: String,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Problem {
    Name { name: String, because: String, help: String },
    Unknown { spelling: String },
    UnknownPointee { spelling: String },
    Undeclared { name: String },
    Parts { of: &'static str, name: String },
    WideEnum { name: String },
    TwoTypes { name: String, first: Origin, second: Origin },
    TwoLayouts { name: String, first: (usize, Option<usize>), second: (usize, Option<usize>) },
    NotCuda { name: String, size: usize, align: usize, cuda: (usize, usize) },
    Elsewhere { offset: usize, after: usize, align: usize },
    Size { expected: usize, cpp: usize },
    Alignment { expected: usize, cpp: usize },
    Offset,
    Symbol { because: &'static str, help: &'static str },
    SymbolType { symbol: String, declared: String },
    SymbolCount { symbol: usize, declared: usize },
    Taken { name: String },
    NoParameter { name: String },
    Option { what: &'static str, given: String, help: &'static str },
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
            ("", place) => write!(f, "the type of `{place}`"),
            (spelling, place) if spelling.ends_with(place) => write!(f, "`{spelling}`"),
            (spelling, place) => write!(f, "`{spelling}` of `{place}`"),
        }
    }
}

const BY_HAND: &str = "\n  help: declare the struct by hand, and include the file: `.include(\"file.cuh\", &[\"…\"])`";
const FROM_RUST: &str = "\n  help: use a Rust struct, or an image with debug information (`nvcc -G`, `--device-debug`)";

impl fmt::Display for Problem {
    #[allow(clippy::too_many_lines, reason = "one sentence for each problem")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { name, because, help } => {
                write!(f, "C++ cannot declare the name `{name}`: {because}\n  help: {help}")
            }
            Self::Unknown { spelling } => {
                write!(f, "its C++ type is unknown{}{FROM_RUST}", Spelled(spelling))
            }
            Self::UnknownPointee { spelling } => write!(
                f,
                "the C++ type that it points to is unknown{}\n  help: point to a number, a vector, or a struct \
                 with `#[derive(DeviceType)]`",
                Spelled(spelling)
            ),
            Self::Undeclared { name } => write!(
                f,
                "it points to `{name}`, which the header does not declare\n  help: add it to the list: \
                 `cpp::device_type::<{name}>()`; or declare its name alone: `.forward_declare_pointees()`; or include the \
                 file that declares it: `.include(\"file.cuh\", &[\"{name}\"])`"
            ),
            Self::Parts { of, name } => write!(
                f,
                "the {of} `{name}` are unknown\n  help: derive `DeviceType` for it, or read an image with debug \
                 information (`nvcc -G`, `--device-debug`); or include the file that declares it: \
                 `.include(\"file.cuh\", &[\"{name}\"])`"
            ),
            Self::WideEnum { name } => write!(
                f,
                "`{name}` is an enum of 128 bits, which C++ compilers do not support\n  help: use `repr(u64)` or `repr(i64)`"
            ),
            Self::TwoTypes { name, first, second } => write!(
                f,
                "two types are called `{name}` in C++: {first}, and {second}\n  help: give one of them another name: \
                 `#[device_type(cpp = \"…\")]`. To name the instances of a generic struct, wrap each one in a \
                 struct: `#[derive(Clone, Copy, DeviceType)] #[repr(transparent)] #[device_type(cpp = \"{name}U32\")] \
                 struct {name}U32({name}<u32>);`"
            ),
            Self::TwoLayouts { name, first, second } => write!(
                f,
                "`{name}` has two layouts: {}, and {}\n  help: use the same Rust type everywhere \
                 (a `CUtensorMap` of CUDA 13 is `TensorMap`, one of CUDA 12 `TensorMapA64`)",
                Extent(*first),
                Extent(*second)
            ),
            Self::NotCuda { name, size, align, cuda } => write!(
                f,
                "`{name}` is a CUDA type of {} bytes, aligned to {}; this one has {size} bytes, aligned to {align}\n  \
                 help: give it another name in C++: `#[device_type(cpp = \"…\")]`",
                cuda.0, cuda.1
            ),
            Self::Elsewhere { offset, after, align } => write!(
                f,
                "C++ cannot put it at byte {offset}: the previous member ends at byte {after}, and its alignment is {align}{BY_HAND}"
            ),
            Self::Size { expected, cpp } => {
                write!(f, "it has {}, but {} in C++{BY_HAND}", bytes(*expected), bytes(*cpp))
            }
            Self::Alignment { expected, cpp } => write!(f, "it is aligned to {expected}, but to {cpp} in C++{BY_HAND}"),
            Self::Offset => write!(f, "its offset is unknown{FROM_RUST}"),
            Self::Symbol { because, help } => write!(f, "{because}\n  help: {help}"),
            Self::SymbolType { symbol, declared } => write!(
                f,
                "its type is `{symbol}` in the symbol, but `{declared}` here\n  help: give the field that type; for a \
                 struct or an enum, write its name: `#[device_type(cpp = \"{symbol}\")]`"
            ),
            Self::SymbolCount { symbol, declared } => write!(
                f,
                "the symbol has {symbol} parameters, but the struct has {declared}\n  help: give the struct one field for each \
                 parameter"
            ),
            Self::Taken { name } => write!(
                f,
                "the header already declares `{name}`\n  help: give one of them another name, or put the \
                 types in a namespace: `.namespace(\"…\")`"
            ),
            Self::NoParameter { name } => {
                write!(f, "it has no parameter `{name}`\n  help: use the name of the struct's field")
            }
            Self::Option { what, given, help } => {
                write!(f, "`{given}` is not a valid {what}\n  help: {help}")
            }
        }
    }
}

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

struct Spelled<'a>(&'a str);

impl fmt::Display for Spelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        write!(f, " (`{}`)", self.0)
    }
}

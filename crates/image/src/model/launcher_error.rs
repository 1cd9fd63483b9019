//! Why a library or a function of it cannot be read: every sentence about launchers.

use crate::formats::dwarf;
use crate::prelude::*;
use core::fmt::Display;

/// Why a library, or a function of it, cannot be read. The text is what is wrong, then mostly `help:` on a line of its
/// own.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum LauncherError {
    /// An archive that only names its objects.
    ThinArchive,
    /// Neither an object in the ELF format nor an archive.
    NoLibrary(OtherFormat),
    /// A member of an archive that is no object in the ELF format.
    NoObject(OtherFormat),
    /// An archive that ends too early, or contradicts itself: the reason.
    InvalidArchive(&'static str),
    /// An object that contradicts itself: the reason.
    Invalid(&'static str),
    /// An object for another processor.
    Processor,
    /// An object of a compiler that leaves the code to the linker.
    OnlyLto,
    /// An object without debug information.
    NoDebugInfo,
    /// An object whose debug information cannot be read.
    DebugInfo(dwarf::Error),
    /// An error of a member of an archive.
    Member {
        /// The member.
        name: String,
        /// Its error.
        error: Box<Self>,
    },
    /// Two objects define the function.
    Twice([String; 2]),
    /// Rust cannot call the function: the reason.
    NotCallable(String),
    /// The debug information of this object does not contain the function.
    NotDescribed(String),
    /// The library has only a C++ function of this name.
    OnlyCpp {
        /// The name that was looked for.
        symbol: String,
        /// The name in C++.
        found: String,
    },
    /// The part of the library that can be read does not export the function.
    NotExportedByRest {
        /// An object that cannot be read.
        place: String,
        /// Its error.
        error: Box<Self>,
    },
    /// The library does not export the function.
    NotExported {
        /// The functions with the nearest names.
        nearest: Vec<String>,
    },
}

/// What a file is that is no object of Linux.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum OtherFormat {
    /// LLVM bitcode.
    Bitcode,
    /// An object or a library for Windows.
    Windows,
    /// Something else.
    Unknown,
}

impl OtherFormat {
    pub(super) fn of(bytes: &[u8]) -> Self {
        const BITCODE: [&[u8]; 2] = [b"BC\xc0\xde", b"\xde\xc0\x17\x0b"];
        // The machines x86-64 and ARM64, which an object begins with; an object of `cl.exe /GL` or `/bigobj`; a DLL.
        const WINDOWS: [&[u8]; 4] = [b"\x64\x86", b"\x64\xaa", b"\0\0\xff\xff", b"MZ"];
        let begins = |magics: &[&[u8]]| magics.iter().any(|magic| bytes.starts_with(magic));
        match bytes {
            _ if begins(&BITCODE) => Self::Bitcode,
            _ if begins(&WINDOWS) => Self::Windows,
            _ => Self::Unknown,
        }
    }

    const fn texts(self) -> [&'static str; 2] {
        match self {
            Self::Bitcode => [": it is LLVM bitcode for the linker's optimizer", LTO],
            Self::Windows => [
                ": it is for Windows, whose debug information (PDB) is not read",
                "compile the same source on Linux with `-g`, and name that object; there, `long` has 8 bytes and `wchar_t` 4",
            ],
            Self::Unknown => ["", "name an object, a static library or a shared library of Linux"],
        }
    }
}

const WRAP: &str = "write an `extern \"C\"` function around it that takes pointers, numbers, enums and structs of these, and returns a number or nothing";
const DEBUG: &str = "compile it with `-g` (`-g2` or more, without `-gsplit-dwarf`); the program can link a library without debug information that is compiled from the same source";
const LTO: &str = "compile it with `-fno-lto`, or with `-ffat-lto-objects`";

display!(error LauncherError, |this, f| {
    let mut say = |what: &dyn Display, help: &str| match help {
        "" => what.fmt(f),
        help => write!(f, "{what}\nhelp: {help}"),
    };
    match this {
        Self::ThinArchive => {
            say(&"it is a thin archive, which only names its objects", "make it without `ar`'s option `T`")
        }
        Self::NoLibrary(other) => {
            let [instead, help] = other.texts();
            say(&format_args!("it is neither an object in the ELF format nor an archive of objects{instead}"), help)
        }
        Self::NoObject(other) => {
            let [instead, help] = other.texts();
            say(&format_args!("it is no object in the ELF format{instead}"), help)
        }
        Self::InvalidArchive(what) => say(&format_args!("the archive is invalid: {what}"), "make it again with `ar`"),
        Self::Invalid(what) => say(&format_args!("it cannot be read: {what}"), ""),
        Self::Processor => say(&"it is for another processor", "compile it for x86-64 or AArch64"),
        Self::OnlyLto => say(&"it contains code for the linker's optimizer only", LTO),
        Self::NoDebugInfo => say(&"it has no debug information", DEBUG),
        Self::DebugInfo(error) => say(&format_args!("it has {error}"), DEBUG),
        Self::Member { name, error } => say(&format_args!("{name}: {error}"), ""),
        Self::Twice([first, second]) => say(
            &format_args!("{first} and {second} both define it, and the linker uses one of them"),
            "remove one from the library, or rename one",
        ),
        Self::NotCallable(what) => say(what, WRAP),
        Self::NotDescribed(place) => say(&format_args!("the debug information of {place} does not contain it"), DEBUG),
        Self::OnlyCpp { symbol, found } => say(
            &format_args!("the library has only a C++ function of this name, `{found}`"),
            &format!("declare it `extern \"C\"` in C++, which gives it the symbol `{symbol}`"),
        ),
        Self::NotExportedByRest { place, error } => {
            say(&format_args!("the library does not export it, as far as it can be read; {place}: {error}"), "")
        }
        Self::NotExported { nearest } if nearest.is_empty() => {
            say(&"the library does not export it", "name the library that the linker takes it from")
        }
        Self::NotExported { nearest } => say(
            &format_args!("the library does not export it; the nearest are `{}`", nearest.join("`, `")),
            "write one of these, or name the library that the linker takes it from",
        ),
    }
});

//! Why a header cannot be written.

use crate::prelude::*;

/// Why a header cannot be written, where, and what to write instead.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HeaderError {
    pub(super) place: String,
    pub(super) problem: String,
}

impl HeaderError {
    pub(super) fn new(place: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { place: place.into(), problem: problem.into() }
    }

    /// Returns the kernel or type, and the member in it: `shade.light.direction`. Empty for an option of the header.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }
}

display!(error HeaderError, |this, f| {
    f.write_str("the header cannot be written: ")?;
    if !this.place.is_empty() {
        write!(f, "`{}`: ", this.place)?;
    }
    f.write_str(&this.problem)
});

#[derive(Clone)]
pub(super) struct Origin {
    pub(super) spelling: String,
    pub(super) place: String,
}

display!(Origin, |this, f| match (&*this.spelling, &*this.place) {
    ("", place) => write!(f, "the type of `{place}`"),
    (spelling, place) if spelling.ends_with(place) => write!(f, "`{spelling}`"),
    (spelling, place) => write!(f, "`{spelling}` of `{place}`"),
});

pub(super) const BY_HAND: &str =
    "\n  help: declare the struct by hand, and include the file: `.include(\"file.cuh\", &[\"…\"])`";
pub(super) const FROM_RUST: &str =
    "\n  help: use a Rust struct, or an image with debug information (`nvcc -G`, `--device-debug`)";

pub(super) fn not_a_name(name: &str, because: &str, help: &str) -> String {
    format!("C++ cannot declare the name `{name}`: {because}\n  help: {help}")
}

pub(super) fn two_types(name: &str, first: &Origin, second: &Origin) -> String {
    format!(
        "two types are called `{name}` in C++: {first}, and {second}\n  help: give one of them another name: \
         `#[device_type(cpp = \"…\")]`. To name the instances of a generic struct, wrap each one in a \
         struct: `#[derive(Clone, Copy, DeviceType)] #[repr(transparent)] #[device_type(cpp = \"{name}U32\")] \
         struct {name}U32({name}<u32>);`"
    )
}

/// `of` is `members of` or `variants of the enum`.
pub(super) fn unknown_parts(of: &str, name: &str) -> String {
    format!(
        "the {of} `{name}` are unknown\n  help: derive `DeviceType` for it, or read an image with debug \
         information (`nvcc -G`, `--device-debug`); or include the file that declares it: \
         `.include(\"file.cuh\", &[\"{name}\"])`"
    )
}

pub(super) fn spelled(spelling: &str) -> String {
    if spelling.is_empty() { String::new() } else { format!(" (`{spelling}`)") }
}

pub(super) fn extent((size, align): (usize, Option<usize>)) -> String {
    let size = size.to_string() + " bytes";
    align.map_or(size.clone(), |align| format!("{size}, aligned to {align}"))
}

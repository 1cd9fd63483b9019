use crate::marshal::Value;
use kernel_args_abi::{CppType, Parameter};

/// One argument of a launch, as the kernel receives it.
#[derive(Clone, Copy)]
pub struct Argument<'a> {
    pub(super) parameter: &'a Parameter<'a>,
    pub(super) bytes: &'a [u8],
    pub(super) elements: Option<usize>,
}

impl<'a> Argument<'a> {
    /// Returns the name of the field; the index of an argument of an [`ArgList`](crate::ArgList).
    #[must_use]
    pub fn name(&self) -> &'a str {
        self.parameter.name
    }

    /// Returns the Rust type of the field, as the source spells it.
    #[must_use]
    pub fn rust_type(&self) -> &'a str {
        self.parameter.spelling
    }

    /// Returns the C++ type of the parameter: `float const*`.
    #[must_use]
    pub fn cpp_type(&self) -> CppType<'a> {
        self.parameter.cpp
    }

    /// Returns the offset of the parameter in bytes by C's rule. Above an alignment of 16 bytes, the offset on the
    /// device can differ.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.parameter.offset.unwrap_or(0)
    }

    /// Returns the bytes that the kernel receives.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> Value<'a> {
        Value::of(self.parameter, self.bytes)
    }

    /// For a slice or a view, its length in elements. `None` for any other argument, also for a pointer without a
    /// length.
    #[must_use]
    pub fn elements(&self) -> Option<usize> {
        self.elements
    }

    /// Returns the parameter with everything that is known about it.
    #[must_use]
    pub fn parameter(&self) -> &'a Parameter<'a> {
        self.parameter
    }
}

debug_as_display!(Argument<'_>);

// `name = value`, with the length of a slice: `x = 0x7f0000000000 [1024]`.
display!(Argument<'_>, |this, f| {
    write!(f, "{} = {}", this.name(), this.value())?;
    match this.elements {
        Some(elements) => write!(f, " [{elements}]"),
        None => Ok(()),
    }
});

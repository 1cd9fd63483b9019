//! One model of a list of parameters, whoever it came from: a Rust struct, PTX, a cubin, the driver.

use crate::{
    class::Class,
    cpp::CppType,
    layout::{Alignment, Layout},
};

/// One parameter of a kernel, or one field of a struct that is passed to it.
///
/// What its source cannot tell is `None` or `Unknown`, and agrees with everything: the driver tells
/// offset and size only, a cubin the same, PTX no offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter<'a> {
    /// The field's name; of a kernel, PTX's name (`saxpy_param_2`), or empty.
    pub name: &'a str,
    /// How its source spells it: the Rust type, or PTX's declaration (`.param .u32 saxpy_param_2`).
    pub spelling: &'a str,
    /// Bytes from the block's beginning. Where an alignment is above 16 bytes it depends on the GPU.
    pub offset: Option<usize>,
    /// Bytes.
    pub size: usize,
    /// The alignment.
    pub align: Option<Alignment>,
    /// The kind of value.
    pub class: Class,
    /// The C++ type.
    pub cpp: CppType<'a>,
}

impl<'a> Parameter<'a> {
    /// A parameter of which offset and size alone are known, as a cubin and the driver tell them.
    #[must_use]
    pub const fn record(offset: usize, size: usize) -> Self {
        Self {
            name: "",
            spelling: "",
            offset: Some(offset),
            size,
            align: None,
            class: Class::Unknown,
            cpp: CppType::UNKNOWN,
        }
    }

    /// Size and alignment, where both are known and a layout.
    #[must_use]
    pub const fn layout(&self) -> Option<Layout> {
        match self.align {
            Some(align) => match Layout::new(self.size, align) {
                Ok(layout) => Some(layout),
                Err(_) => None,
            },
            None => None,
        }
    }

    /// A field of a Rust struct.
    #[must_use]
    pub const fn field(
        name: &'a str,
        spelling: &'a str,
        offset: usize,
        layout: Layout,
        class: Class,
        cpp: CppType<'a>,
    ) -> Self {
        Self {
            name,
            spelling,
            offset: Some(offset),
            size: layout.size(),
            align: Some(layout.align()),
            class,
            cpp,
        }
    }
}

/// A named list of parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signature<'a> {
    /// The kernel's entry, or the struct.
    pub name: &'a str,
    /// In order.
    pub parameters: &'a [Parameter<'a>],
}

//! One model of a list of parameters, wherever it comes from: a Rust struct, PTX, a cubin, the driver.

mod members;
#[doc(hidden)]
pub mod reader;
#[doc(hidden)]
pub mod stored;

pub use members::{Members, Opaque, Referent, Variant};
pub use stored::StoredType;

use crate::{
    class::Class,
    cpp::CppType,
    layout::{Alignment, Layout},
    param_layout::next_offset,
};

/// One parameter of a kernel, one field of a struct that is passed to it, or one member of a struct that is passed by
/// value.
///
/// What its source does not contain is `None` or `Unknown`, and agrees with everything: the driver and a cubin have
/// offsets and sizes only, PTX has no offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter<'a> {
    /// The field's name; of a kernel, the name in C++ where debug information tells it, else PTX's name
    /// (`saxpy_param_2`), or empty.
    pub name: &'a str,
    /// Of a field, the name of the kernel's parameter that it says it is: `#[kernel_args(name = "in")]`; of a member
    /// likewise. Empty where it does not say.
    pub kernel_name: &'a str,
    /// How its source spells it: the Rust type, or PTX's declaration (`.param .u32 saxpy_param_2`).
    pub spelling: &'a str,
    /// Bytes from the block's beginning; of a member, from the beginning of its struct. Where a parameter's alignment is
    /// above 16 bytes it depends on the GPU.
    pub offset: Option<usize>,
    /// Bytes.
    pub size: usize,
    /// The alignment.
    pub align: Option<Alignment>,
    /// The kind of value.
    pub class: Class,
    /// The C++ type.
    pub cpp: CppType<'a>,
    /// The members, where it is a struct by value, or an array of such: those of one element. The variants of an enum.
    pub members: Members<'a>,
}

impl<'a> Parameter<'a> {
    /// A parameter of which offset and size alone are known, as in a cubin and from the driver.
    #[must_use]
    pub const fn record(offset: usize, size: usize) -> Self {
        Self {
            name: "",
            kernel_name: "",
            spelling: "",
            offset: Some(offset),
            size,
            align: None,
            class: Class::Unknown,
            cpp: CppType::UNKNOWN,
            members: Members::UNKNOWN,
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
            kernel_name: "",
            spelling,
            offset: Some(offset),
            size: layout.size(),
            align: Some(layout.align()),
            class,
            cpp,
            members: Members::UNKNOWN,
        }
    }

    /// The same with these members.
    #[must_use]
    pub const fn with_members(self, members: Members<'a>) -> Self {
        Self { members, ..self }
    }

    /// The same, which is the kernel's parameter of this name, whatever its own is.
    #[must_use]
    pub const fn with_kernel_name(self, kernel_name: &'a str) -> Self {
        Self {
            kernel_name,
            ..self
        }
    }

    /// The name that it has in C++: the one that it says it has there, else its own without `r#`.
    #[must_use]
    pub const fn cpp_name(&self) -> &'a str {
        match (self.kernel_name.as_bytes(), self.name.as_bytes()) {
            ([], [b'r', b'#', ..]) => self.name.split_at(2).1,
            ([], _) => self.name,
            _ => self.kernel_name,
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

/// The offsets of a list of parameters, in order: each as its source has it, else as it follows from the one before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets {
    base: Option<usize>,
    /// Where the last parameter ends, if that is known.
    end: Option<usize>,
}

impl Offsets {
    /// From the beginning of a block, which is at `base` in the constant bank if that is known.
    pub(crate) const fn new(base: Option<usize>) -> Self {
        Self { base, end: Some(0) }
    }

    /// After parameter `index` of `parameters`, at the offset that its source has; from the beginning of the block where
    /// `index` is `None`.
    pub(crate) const fn after(
        base: Option<usize>,
        parameters: &[Parameter<'_>],
        index: Option<usize>,
    ) -> Self {
        let mut offsets = Self::new(base);
        if let Some(index) = index {
            offsets.end = end(parameters[index].offset, parameters[index].size);
        }
        offsets
    }

    /// Where a parameter of this alignment would lie next.
    pub(crate) const fn place(&self, align: Alignment) -> Option<usize> {
        match self.end {
            Some(end) => next_offset(self.base, end, align),
            None => None,
        }
    }

    /// The offset of the next parameter.
    pub(crate) const fn next(&mut self, parameter: &Parameter<'_>) -> Option<usize> {
        let offset = match (parameter.offset, parameter.align) {
            (Some(offset), _) => Some(offset),
            (None, Some(align)) => self.place(align),
            (None, None) => None,
        };
        self.end = end(offset, parameter.size);
        offset
    }
}

const fn end(offset: Option<usize>, size: usize) -> Option<usize> {
    match offset {
        Some(offset) => offset.checked_add(size),
        None => None,
    }
}

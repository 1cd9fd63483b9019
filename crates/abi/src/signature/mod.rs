//! One model of parameter lists for all sources: a Rust struct, PTX, a cubin, the driver.

mod body;
mod members;
mod pointee;
#[doc(hidden)]
pub mod reader;
#[doc(hidden)]
pub mod stored;

pub use body::{Body, Certainty, ElementClass, Elements, Evidence, Slot, SlotKind};
pub use members::{Meaning, Members, Opaque, Referent, Variant};
pub use pointee::Pointee;
pub use stored::StoredType;

use crate::{
    bytes::{is_equal, same},
    class::Class,
    cpp::CppType,
    layout::{Alignment, Layout},
    param_layout::next_offset,
};

/// One parameter of a kernel, one field of a struct of arguments, or one member of a struct that is passed by value.
///
/// Data that the source does not contain is `None` or `Unknown`, and matches everything: the driver and cubins provide
/// only offsets and sizes, PTX has no offsets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parameter<'a> {
    /// The name. For a kernel: the C++ name if debug information contains it, otherwise PTX's name (`saxpy_param_2`),
    /// or empty.
    pub name: &'a str,
    /// For a field or member with an explicit name, the name of the kernel's parameter or member:
    /// `#[kernel_args(name = "in")]`. Otherwise empty.
    pub kernel_name: &'a str,
    /// Whether `kernel_name` follows from a field that is spread or flattened. The kernel need not have such a name.
    pub has_implied_name: bool,
    /// The spelling in the source: the Rust type, or PTX's declaration (`.param .u32 saxpy_param_2`).
    pub spelling: &'a str,
    /// The offset in bytes from the beginning of the block or, for a member, of its struct. Above 16 bytes of
    /// alignment, it depends on the GPU.
    pub offset: Option<usize>,
    /// The size in bytes.
    pub size: usize,
    /// The alignment.
    pub align: Option<Alignment>,
    /// The kind of value.
    pub class: Class,
    /// The C++ type.
    pub cpp: CppType<'a>,
    /// The members of a struct by value or, for an array of structs, of one element. The variants of an enum.
    pub members: Members<'a>,
    /// For a pointer, or an array of pointers: what it points to.
    pub pointee: Pointee<'a>,
    /// What the code of the kernel does with it. Unknown for a field.
    pub body: Body<'a>,
    /// For a field: whether a remark about the code of a kernel is an error too.
    pub is_strict: bool,
}

impl<'a> Parameter<'a> {
    /// Returns a parameter with known offset and size only, as from a cubin or the driver.
    #[must_use]
    pub const fn record(offset: usize, size: usize) -> Self {
        Self {
            name: "",
            kernel_name: "",
            has_implied_name: false,
            spelling: "",
            offset: Some(offset),
            size,
            align: None,
            class: Class::Unknown,
            cpp: CppType::UNKNOWN,
            members: Members::UNKNOWN,
            pointee: Pointee::UNKNOWN,
            body: Body::UNKNOWN,
            is_strict: false,
        }
    }

    /// Size and alignment, if both are known and form a valid layout.
    #[must_use]
    pub const fn layout(&self) -> Option<Layout> {
        match Layout::new(self.size, some!(self.align)) {
            Ok(layout) => Some(layout),
            Err(_) => None,
        }
    }

    /// Places parameters by C's rule. Returns `false` if one of them is large, or its alignment unknown or above 16
    /// bytes: [`ParamLayout`](crate::param_layout::ParamLayout) places these, with more calls.
    #[doc(hidden)]
    pub const fn place(parameters: &mut [Self]) -> bool {
        const MOST: usize = 1 << 30;
        let (mut end, mut i) = (0, 0);
        while i < parameters.len() {
            let parameter = &mut parameters[i];
            let align = some!(parameter.align, false);
            if align.log2 > Alignment::SIXTEEN.log2 || parameter.size > MOST || end > MOST {
                return false;
            }
            let mask = (1 << align.log2) - 1;
            let offset = (end + mask) & !mask;
            parameter.offset = Some(offset);
            end = offset + parameter.size;
            i += 1;
        }
        true
    }

    /// Returns a field of a Rust struct.
    #[must_use]
    pub const fn field(
        name: &'a str,
        spelling: &'a str,
        offset: usize,
        layout: Layout,
        class: Class,
        cpp: CppType<'a>,
    ) -> Self {
        Self { name, spelling, align: Some(layout.align()), class, cpp, ..Self::record(offset, layout.size()) }
    }

    /// Returns whether this parameter from debug information cannot be `declared`, in the kernel's image: its size
    /// differs, or it is an integer instead of a floating-point number, or the reverse.
    #[must_use]
    pub const fn contradicts(&self, declared: &Parameter<'_>) -> bool {
        self.size != declared.size
            || matches!(
                (self.class, declared.class),
                (Class::Float, Class::Integer | Class::Pointer) | (Class::Integer | Class::Pointer, Class::Float)
            )
    }

    /// Sets the members.
    #[must_use]
    pub const fn with_members(self, members: Members<'a>) -> Self {
        Self { members, ..self }
    }

    /// Sets what the pointer points to.
    #[must_use]
    pub const fn with_pointee(self, pointee: Pointee<'a>) -> Self {
        Self { pointee, ..self }
    }

    /// Sets the explicit name of the kernel's parameter, independent of the field's own name.
    #[must_use]
    pub const fn with_kernel_name(self, kernel_name: &'a str) -> Self {
        Self { kernel_name, ..self }
    }

    pub(crate) const fn element(&self) -> Self {
        Self {
            cpp: self.cpp.element(),
            size: match self.size.checked_div(self.cpp.elements()) {
                Some(size) => size,
                None => self.size,
            },
            // The class of an element follows from its type or its members.
            class: if self.cpp.is_array() && !self.members.is_known() { Class::Unknown } else { self.class },
            ..*self
        }
    }

    pub(crate) const fn is_like(&self, other: &Self) -> bool {
        let (a, b) = (&self.cpp, &other.cpp);
        same(self.name, other.name)
            && self.size == other.size
            && is_equal(self.offset, other.offset)
            && same(a.base.spelling(), b.base.spelling())
            && a.depth == b.depth
            && a.const_mask == b.const_mask
            && !any!(i < a.extents.len(), a.extents[i] != b.extents[i])
    }

    /// Returns whether the field specifies the name of the kernel's parameter.
    #[doc(hidden)]
    #[must_use]
    pub const fn has_explicit_name(&self) -> bool {
        !self.kernel_name.is_empty() && !self.has_implied_name
    }

    /// Returns the C++ name: the explicit or implied name, otherwise the own name without `r#`.
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
    /// The kernel's entry name, or the struct's name.
    pub name: &'a str,
    /// The parameters in order.
    pub parameters: &'a [Parameter<'a>],
}

/// The offsets of a list of parameters. An offset that the source does not contain follows from the previous parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offsets {
    base: Option<usize>,
    end: Option<usize>,
}

impl Offsets {
    pub(crate) const fn new(base: Option<usize>) -> Self {
        Self { base, end: Some(0) }
    }

    /// Starts after parameter `index`, at the offset in its source; without an index, at the beginning of the block.
    pub(crate) const fn after(base: Option<usize>, parameters: &[Parameter<'_>], index: Option<usize>) -> Self {
        let mut offsets = Self::new(base);
        if let Some(index) = index {
            offsets.end = end(parameters[index].offset, parameters[index].size);
        }
        offsets
    }

    pub(crate) const fn place(&self, align: Alignment) -> Option<usize> {
        next_offset(self.base, some!(self.end), align)
    }

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
    some!(offset).checked_add(size)
}

#[cfg(test)]
mod tests {
    use super::Parameter;
    use crate::{
        layout::{Alignment, Layout},
        param_layout::ParamLayout,
    };
    use proptest::prelude::*;
    use std::vec::Vec;

    const LARGE: u32 = if usize::BITS == 32 { 21 } else { 25 };

    proptest! {
        #[test]
        fn parameters_are_placed_as_in_a_block(
            sizes in proptest::collection::vec((0usize..100, 0u8..7, any::<bool>()), 0..9)
        ) {
            let parameter = |(size, log2, is_large): (usize, u8, bool)| Parameter {
                align: Some(Alignment { log2: log2.min(5) }),
                ..Parameter::record(0, if is_large { size << LARGE } else { size })
            };
            let mut parameters: Vec<_> = sizes.into_iter().map(parameter).collect();
            let mut block = ParamLayout::EMPTY;
            let mut offsets = Vec::new();
            for parameter in &parameters {
                let layout = Layout::new(parameter.size, parameter.align.unwrap()).unwrap();
                let offset;
                (block, offset) = block.push(layout).unwrap();
                offsets.push(Some(offset));
            }
            if Parameter::place(&mut parameters) {
                let placed: Vec<_> = parameters.iter().map(|parameter| parameter.offset).collect();
                prop_assert_eq!(placed, offsets);
            } else {
                let is_special = |parameter: &Parameter<'_>| parameter.align > Some(Alignment::SIXTEEN) || parameter.size > 1 << 20;
                prop_assert!(parameters.iter().any(is_special));
            }
        }
    }
}

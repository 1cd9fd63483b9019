//! An independent implementation of C's layout rule. Expected values of tests never come from the code under test.

use crate::{Signature, Struct, Type};

/// Size and alignment in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Size in bytes, a multiple of the alignment.
    pub size: usize,
    /// Alignment in bytes.
    pub align: usize,
}

impl Type {
    /// Size and alignment on the device.
    #[must_use]
    pub fn extent(&self) -> Extent {
        match self {
            Self::Leaf(leaf) => Extent { size: leaf.size(), align: leaf.align },
            Self::Pointer { .. } => Extent { size: 8, align: 8 },
            Self::Enum(e) => Extent { size: e.underlying.size(), align: e.underlying.align },
            Self::Alias { of, .. } => of.extent(),
            Self::Array(of, len) => Extent { size: of.extent().size * len, ..of.extent() },
            Self::Struct(structure) => structure.extent(),
        }
    }
}

impl Struct {
    /// Size and alignment on the device.
    #[must_use]
    pub fn extent(&self) -> Extent {
        let align = self.extents().map(|extent| extent.align).chain(self.align).max().unwrap_or(1);
        let end = self.offsets().last().map_or(0, |(_, end)| *end);
        Extent { size: end.next_multiple_of(align), align }
    }

    /// The start and end of each field, in bytes.
    #[must_use]
    pub fn offsets(&self) -> Vec<(usize, usize)> {
        place(self.extents())
    }

    /// Size and alignment of each field in this struct.
    fn extents(&self) -> impl Iterator<Item = Extent> {
        let most = self.packed.unwrap_or(usize::MAX);
        self.fields.iter().map(move |field| {
            let Extent { size, align } = field.ty.extent();
            Extent { size, align: align.min(most) }
        })
    }
}

impl Signature {
    /// The start and end of each parameter by C's rule, including `out`.
    #[must_use]
    pub fn offsets(&self) -> Vec<(usize, usize)> {
        place(self.all_parameters().iter().map(Type::extent))
    }

    /// The size of the parameter block by C's rule, in bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.offsets().last().map_or(0, |(_, end)| *end)
    }

    /// Whether a parameter is aligned to more than 16 bytes, which makes offsets depend on the GPU.
    #[must_use]
    pub fn is_over_aligned(&self) -> bool {
        self.parameters.iter().any(|ty| ty.extent().align > 16)
    }
}

fn place(extents: impl Iterator<Item = Extent>) -> Vec<(usize, usize)> {
    let mut end = 0usize;
    extents
        .map(|extent| {
            let begin = end.next_multiple_of(extent.align);
            end = begin + extent.size;
            (begin, end)
        })
        .collect()
}

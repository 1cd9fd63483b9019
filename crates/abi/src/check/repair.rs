//! What a struct lacks to fit: its alignment, its place.

use super::{
    member_repair::end_of, members::first_difference_of_any_size, mismatch::Mismatch, pairing::Pairing, report::Report,
};
use crate::{
    class::Class,
    cpp::CppBase,
    layout::Alignment,
    signature::{Offsets, Parameter},
};

impl<const N: usize> Report<'_, N> {
    /// The index of the field before which a moved field belongs.
    pub(crate) const fn destination(&self, field: usize) -> usize {
        let mut i = 0;
        while i < self.len() {
            if let Mismatch::Missing { before, moved: Some(moved), .. } = self.mismatches()[i]
                && moved == field
            {
                return before;
            }
            i += 1;
        }
        field
    }
}

/// The alignment of the kernel's parameter. A cubin shows it only by the offset: the smallest that explains it.
pub(crate) const fn alignment_of(pairing: &Pairing<'_>, field: usize, parameter: usize) -> Option<Alignment> {
    let kernel = &pairing.kernel[parameter];
    let (None, Some(offset)) = (kernel.align, kernel.offset) else {
        return kernel.align;
    };
    some!(pairing.expected_offset(field, parameter));
    let before = Offsets::after(pairing.base, pairing.kernel, parameter.checked_sub(1));
    let mut bytes = 1;
    while bytes <= 256 {
        let align = some!(Alignment::new(bytes));
        if matches!(before.place(align), Some(explained) if explained == offset) {
            return Some(align);
        }
        bytes *= 2;
    }
    None
}

/// The alignment of the kernel's struct, if only this makes the sizes differ.
pub(crate) const fn only_aligned(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Option<Alignment> {
    let (own, align) = (some!(host.align), some!(kernel.align));
    let end = end_of(host.members, host.members.len());
    if own.bytes() == align.bytes() || end.next_multiple_of(align.bytes()) != kernel.size || !can_align(host, align) {
        return None;
    }
    match first_difference_of_any_size(host, kernel) {
        // Only the structs as a whole differ.
        Some(mismatch) if !mismatch.is_of_whole() => None,
        _ => Some(align),
    }
}

const fn can_align(host: &Parameter<'_>, to: Alignment) -> bool {
    let mut i = 0;
    while let Some(member) = host.members.get_unspelled(i) {
        if let Some(align) = member.align
            && align.bytes() > to.bytes()
        {
            return false;
        }
        i += 1;
    }
    true
}

/// Whether it is a struct of the program, not of CUDA.
pub(crate) const fn is_own_struct(host: &Parameter<'_>) -> bool {
    matches!(host.class, Class::Bytes)
        && !host.cpp.is_pointer()
        && !host.cpp.is_array()
        && matches!(host.cpp.base, CppBase::Named(_))
        && !host.cpp.base.is_builtin()
}

/// Whether it is a type of CUDA with a Rust type of this alignment. A `std::complex<double>` is not aligned as CUDA's.
pub(crate) const fn is_layout_of_cuda(kernel: &Parameter<'_>, align: Option<Alignment>) -> bool {
    let row = some!(kernel.cpp.base.builtin(), false);
    let align = some!(align, true);
    row.aligned_to(Some(align)).align == align.bytes()
}

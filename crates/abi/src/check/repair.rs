//! What a struct lacks to fit: its alignment, its place.

use super::{
    compare::distance, member_repair::end_of, mismatch::Mismatch, names::is_made, pairing::Pairing, report::Report,
    walk::first_difference_of_any_size,
};
use crate::{
    bytes::{is_equal, same},
    class::Class,
    cpp::CppBase,
    layout::Alignment,
    signature::{Offsets, Parameter},
};

impl<const N: usize> Report<'_, N> {
    /// Returns the index of the field before which a moved field belongs.
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

/// Returns the alignment of the kernel's parameter. A cubin shows it only by the offset: the smallest that explains it.
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
        if is_equal(before.place(align), Some(offset)) {
            return Some(align);
        }
        bytes *= 2;
    }
    None
}

/// Returns the alignment of the kernel's struct, if only this makes the sizes differ.
pub(crate) const fn only_aligned(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Option<Alignment> {
    let (own, align) = (some!(host.align), some!(kernel.align));
    let end = end_of(host.members, host.members.len());
    if own.bytes() == align.bytes()
        || end.next_multiple_of(align.bytes()) != kernel.size
        || any!(
            i,
            member = host.members.get_unspelled(i),
            matches!(member.align, Some(of) if of.bytes() > align.bytes())
        )
    {
        return None;
    }
    match first_difference_of_any_size(host, kernel) {
        // Only the structs as a whole differ.
        Some(mismatch) if !mismatch.is_of_whole() => None,
        _ => Some(align),
    }
}

/// Returns whether it is a struct of the user, not of CUDA.
pub(crate) const fn is_own_struct(host: &Parameter<'_>) -> bool {
    matches!(host.class, Class::Bytes)
        && !host.cpp.is_pointer()
        && !host.cpp.is_array()
        && matches!(host.cpp.base, CppBase::Named(_))
        && !host.cpp.base.is_builtin()
}

/// Returns whether it is a type of CUDA with a Rust type of this alignment. A `std::complex<double>` is not aligned as
/// CUDA's.
pub(crate) const fn is_layout_of_cuda(kernel: &Parameter<'_>) -> bool {
    let row = some!(kernel.cpp.base.builtin(), false);
    let align = some!(kernel.align, true);
    row.aligned_to(Some(align)).align == align.bytes()
}

impl<const N: usize> Report<'_, N> {
    /// Returns the first and the last of the neighbours that can each be the mistake: the struct fits if any one of
    /// them is removed or gets a field, with the same number of conversions.
    pub(crate) const fn alike(&self, mismatch: Mismatch) -> (usize, usize) {
        let (own, at, missing) = match mismatch {
            Mismatch::Missing { parameter, before, .. } => (parameter, (before, parameter), true),
            Mismatch::Extra { field, .. } => (field, (field, self.parameter_at(field)), false),
            Mismatch::Differs { field, .. } => return (field, field),
        };
        let is_moved =
            matches!(mismatch, Mismatch::Missing { moved: Some(_), .. } | Mismatch::Extra { moved: Some(_), .. });
        if is_moved || self.total() > self.len() {
            return (own, own);
        }
        (own - self.slide(at, missing, false), own + self.slide(at, missing, true))
    }

    /// Returns the parameter after the ones that belong to the fields before an extra field.
    const fn parameter_at(&self, field: usize) -> usize {
        let (mut parameter, mut i) = (field, 0);
        while i < self.len() {
            match self.mismatches()[i] {
                Mismatch::Extra { field: other, .. } if other < field => parameter -= 1,
                Mismatch::Missing { before, .. } if before <= field => parameter += 1,
                _ => {}
            }
            i += 1;
        }
        parameter
    }

    /// Returns the number of fitting rows that a gap, a parameter if `missing`, can slide over.
    const fn slide(&self, (mut i, mut j): (usize, usize), missing: bool, forward: bool) -> usize {
        let (mut steps, mut slid, mut extra) = (0, 0, 0_i32);
        loop {
            if !forward && (i == 0 || j == 0) {
                return slid;
            }
            // The rows before and after the slide.
            let (old, new) = match (forward, missing) {
                (true, true) => ((i, j + 1), (i, j)),
                (true, false) => ((i + 1, j), (i, j)),
                (false, true) => ((i - 1, j - 1), (i - 1, j)),
                (false, false) => ((i - 1, j - 1), (i, j - 1)),
            };
            if !self.is_right(old) || !self.pairing().differences(new.0, new.1).is_empty() || self.have_one_name(old) {
                return slid;
            }
            extra += self.conversions(new) - self.conversions(old);
            steps += 1;
            (i, j) = if forward { (i + 1, j + 1) } else { (i - 1, j - 1) };
            if extra <= 0 {
                slid = steps;
            }
        }
    }

    const fn is_right(&self, (i, j): (usize, usize)) -> bool {
        let is_wrong = any!(at < self.len(), {
            let wrong = self.mismatches()[at];
            is_equal(wrong.field(), Some(i)) || is_equal(wrong.parameter(), Some(j))
        });
        !is_wrong && i < self.pairing().host.len() && j < self.pairing().kernel.len()
    }

    const fn have_one_name(&self, (i, j): (usize, usize)) -> bool {
        let name = self.pairing().kernel[j].name;
        !is_made(name) && same(self.pairing().host[i].cpp_name(), name)
    }

    const fn conversions(&self, (i, j): (usize, usize)) -> i32 {
        distance(&self.pairing().host[i], &self.pairing().kernel[j]) as i32
    }
}

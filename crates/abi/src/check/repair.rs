//! What to change in a struct that does not fit: the data behind a hint.

use super::{
    align::expected_offset,
    body::first_in_struct,
    difference::{Difference, Differences},
    member_repair::{MemberRepair, end_of},
    members::first_difference_of_any_size,
    mismatch::Mismatch,
    names::{Elsewhere, elsewhere},
    report::Report,
};
use crate::{
    class::Class,
    cpp::{CppBase, name},
    layout::Alignment,
    signature::{Offsets, Parameter},
};

/// What a program changes first to mend a mistake. Fields and parameters are indices.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[allow(clippy::large_enum_variant, reason = "constants cannot allocate")]
pub enum Repair<'a> {
    /// Exchange two fields, the first before the second.
    Exchange(usize, usize),
    /// Move a field before another field; to the end, if `before` is the number of fields.
    Move {
        /// The field.
        field: usize,
        /// The field that it is put before.
        before: usize,
    },
    /// Add a field for a parameter.
    Add {
        /// The parameter.
        parameter: usize,
        /// The field that it is put before.
        before: usize,
    },
    /// Remove a field.
    Remove(usize),
    /// Declare a field with the type of a parameter.
    Declare {
        /// The field.
        field: usize,
        /// The parameter.
        parameter: usize,
    },
    /// Align the program's own struct to this many bytes: `#[repr(C, align(…))]`.
    Align(usize, Alignment),
    /// State that the program's own struct is the kernel's: `#[device_type(cpp = "…")]`.
    NameStruct {
        /// The field.
        field: usize,
        /// The parameter.
        parameter: usize,
    },
    /// Change the struct of a field.
    Members(usize, MemberRepair<'a>),
    /// Compare the struct of a field with the source of the kernel: nothing else shows the members.
    CompareMembers {
        /// The field.
        field: usize,
        /// The parameter.
        parameter: usize,
    },
    /// Exchange two members of the struct of a field.
    ExchangeMembers(usize, &'a str, &'a str),
    /// Write the values of the kernel's enum.
    Variants(usize),
    /// Give a field the name of its parameter.
    Rename {
        /// The field.
        field: usize,
        /// The parameter.
        parameter: usize,
    },
}

impl<'a, const N: usize> Report<'a, N> {
    /// What to change first to mend this mistake.
    #[must_use]
    pub const fn repair(&self, mismatch: Mismatch) -> Repair<'a> {
        match mismatch {
            Mismatch::Differs { field, exchanged: Some(other), .. } if field < other => Repair::Exchange(field, other),
            Mismatch::Differs { field, exchanged: Some(other), .. } => Repair::Exchange(other, field),
            Mismatch::Differs { field, parameter, differences, .. } => {
                self.repair_of_field(field, parameter, differences)
            }
            Mismatch::Missing { before, moved: Some(field), .. } => Repair::Move { field, before },
            Mismatch::Missing { parameter, before, moved: None } => Repair::Add { parameter, before },
            Mismatch::Extra { field, moved: Some(_) } => Repair::Move { field, before: self.destination(field) },
            Mismatch::Extra { field, moved: None } => Repair::Remove(field),
        }
    }

    const fn repair_of_field(&self, field: usize, parameter: usize, differences: Differences) -> Repair<'a> {
        let host = &self.host().parameters[field];
        let kernel = &self.kernel().parameters[parameter];
        let declare = Repair::Declare { field, parameter };
        match differences.first() {
            Some(Difference::Size) if is_own_struct(host) && is_struct(kernel) => match only_aligned(host, kernel) {
                Some(align) => Repair::Align(field, align),
                None => members((field, host), (parameter, kernel)),
            },
            Some(Difference::Members) => members((field, host), (parameter, kernel)),
            Some(Difference::Alignment | Difference::Offset) if is_own_struct(host) => {
                match alignment_of(self, field, parameter) {
                    Some(align) if is_layout_of_cuda(kernel, Some(align)) => declare,
                    Some(align) if first_difference_of_any_size(host, kernel).is_none() && can_align(host, align) => {
                        Repair::Align(field, align)
                    }
                    _ => members((field, host), (parameter, kernel)),
                }
            }
            Some(Difference::Name) if is_own_struct(host) => Repair::NameStruct { field, parameter },
            Some(Difference::Variants) => Repair::Variants(field),
            Some(Difference::ParameterName) => {
                match elsewhere(self.host().parameters, self.kernel().parameters, field, parameter) {
                    Some(Elsewhere::At(other)) if host.kernel_name.is_empty() => {
                        Repair::Move { field, before: if other > parameter { other + 1 } else { other } }
                    }
                    _ => Repair::Rename { field, parameter },
                }
            }
            _ => declare,
        }
    }

    const fn destination(&self, field: usize) -> usize {
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

const fn members<'a>(
    (field, host): (usize, &Parameter<'a>),
    (parameter, kernel): (usize, &Parameter<'a>),
) -> Repair<'a> {
    if let Some(mismatch) = first_difference_of_any_size(host, kernel)
        && let Some(repair) = mismatch.repair()
    {
        return Repair::Members(field, repair);
    }
    match first_in_struct(host, kernel) {
        Some(mismatch) => match mismatch.exchanged {
            Some(other) => Repair::ExchangeMembers(field, mismatch.member.name, other),
            None => Repair::Members(field, MemberRepair::Declare(mismatch.member, *kernel)),
        },
        None => Repair::CompareMembers { field, parameter },
    }
}

/// The alignment that the kernel's parameter has. A cubin shows it only by the offset: the smallest that explains it.
pub(crate) const fn alignment_of<const N: usize>(
    report: &Report<'_, N>,
    field: usize,
    parameter: usize,
) -> Option<Alignment> {
    let (fields, parameters) = (report.host().parameters, report.kernel().parameters);
    let kernel = &parameters[parameter];
    let (None, Some(offset)) = (kernel.align, kernel.offset) else {
        return kernel.align;
    };
    if expected_offset(fields, parameters, report.base(), field, parameter).is_none() {
        return None;
    }
    let before = Offsets::after(report.base(), parameters, parameter.checked_sub(1));
    let mut bytes = 1;
    while bytes <= 256 {
        if let Some(align) = Alignment::new(bytes)
            && let Some(explained) = before.place(align)
            && explained == offset
        {
            return Some(align);
        }
        bytes *= 2;
    }
    None
}

/// The alignment of the kernel's struct, if only this gives it another size than the host's.
pub(crate) const fn only_aligned(host: &Parameter<'_>, kernel: &Parameter<'_>) -> Option<Alignment> {
    let (Some(own), Some(align)) = (host.align, kernel.align) else {
        return None;
    };
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

/// Whether the type of a field is a struct of the program, not a type of CUDA or of another crate.
pub(crate) const fn is_own_struct(host: &Parameter<'_>) -> bool {
    matches!(host.class, Class::Bytes)
        && !host.cpp.is_pointer()
        && !host.cpp.is_array()
        && matches!(host.cpp.base, CppBase::Named(spelled) if !name::is_builtin(spelled))
}

const fn is_struct(kernel: &Parameter<'_>) -> bool {
    match kernel.cpp.base {
        CppBase::Named(spelled) => matches!(kernel.class, Class::Bytes | Class::Unknown) && !name::is_builtin(spelled),
        CppBase::Unknown => matches!(kernel.class, Class::Bytes),
        _ => false,
    }
}

/// Whether it is a type of CUDA that has a Rust type with this alignment. A `std::complex<double>` is not aligned as CUDA's.
pub(crate) const fn is_layout_of_cuda(kernel: &Parameter<'_>, align: Option<Alignment>) -> bool {
    let CppBase::Named(spelled) = kernel.cpp.base else {
        return false;
    };
    match (name::builtin(spelled), align) {
        (Some(row), Some(align)) => row.aligned_to(Some(align)).align == align.bytes(),
        (row, _) => row.is_some(),
    }
}

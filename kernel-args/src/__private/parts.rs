//! The parameters of structs that spread or flatten a field.

use super::{Checked, field_fits, parameters::place_all};
use crate::marshal::{KernelArgs, Part, Row, Spread, first};
use core::mem::MaybeUninit;
use kernel_args_abi::{
    Parameter,
    texts::part_names::{PartName, element, nested, numbered},
};

pub type EachElement<S, T> = Row<<S as Spread>::Each<T>, T>;
pub type EachParameter<A, T> = Row<<A as KernelArgs>::Each<T>, T>;

macro_rules! row {
    ($i:ident < $len:expr => $value:expr) => {{
        let (mut row, mut $i) = (Row::new(), 0);
        while $i < $len {
            row.push($value);
            $i += 1;
        }
        row.full()
    }};
}

pub const fn element_names<S: Spread>(field: &str) -> EachElement<S, PartName> {
    row!(i < S::LEN => element(field, i))
}

/// Returns the kernel's names for the elements of a field: `name = "shape_{}"`.
pub const fn numbered_names<S: Spread>(before: &str, after: &str) -> EachElement<S, PartName> {
    row!(i < S::LEN => numbered(before, i, after))
}

/// How the kernel names the elements of a field.
#[derive(Clone, Copy)]
pub enum ElementNames {
    /// `shape_0`, `shape_1`, …: from the name of the field, so the kernel may name them differently.
    Implied(&'static [PartName]),
    /// `name = "shape{}"`.
    Numbered(&'static [PartName]),
    /// `name = ["nx", "ny"]`.
    Listed(&'static [&'static str]),
}

/// Returns the parameters of a spread field. `parameter` is the parameter of an element, with the name of the field.
#[track_caller]
pub const fn spread<S: Spread>(
    parameter: Parameter<'static>,
    names: &'static [PartName],
    kernel_names: ElementNames,
) -> EachElement<S, Parameter<'static>> {
    if let ElementNames::Listed(list) = kernel_names
        && list.len() != S::LEN
    {
        fail!(wrong_number_of_names(parameter.name, S::LEN, list.len(), "n{}"));
    }
    let mut parameters = Row::new();
    let mut i = 0;
    while i < S::LEN {
        let (kernel_name, has_implied_name) = match kernel_names {
            ElementNames::Implied(names) => (whole(&names[i]), true),
            ElementNames::Numbered(names) => (whole(&names[i]), false),
            ElementNames::Listed(names) => (names[i], false),
        };
        parameters.push(Parameter { name: names[i].as_str(), kernel_name, has_implied_name, ..parameter });
        i += 1;
    }
    place_all(parameters.as_mut_slice());
    parameters.full()
}

/// Returns a name, or nothing if it is too long to be compared.
const fn whole(name: &'static PartName) -> &'static str {
    if name.is_truncated() { "" } else { name.as_str() }
}

pub const fn nested_names<A: KernelArgs>(field: &str) -> EachParameter<A, PartName> {
    row!(i < A::PARAMETERS.len() => nested(field, A::PARAMETERS[i].name))
}

/// Returns the parameters of a flattened field. With `strict_names`, the kernel must have the name of each field; with
/// `strict_code`, everything that its code contradicts is an error.
pub const fn flattened<A: KernelArgs>(
    names: &'static [PartName],
    strict_names: bool,
    strict_code: bool,
) -> EachParameter<A, Parameter<'static>> {
    row!(i < A::PARAMETERS.len() => {
        let inner = A::PARAMETERS[i];
        Parameter {
            name: names[i].as_str(),
            kernel_name: inner.cpp_name(),
            has_implied_name: !inner.has_explicit_name() && (!strict_names || is_unnamed(inner.name)),
            is_strict: strict_code || inner.is_strict,
            ..inner
        }
    })
}

const fn is_unnamed(name: &str) -> bool {
    matches!(name.as_bytes(), [b'0'..=b'9', ..])
}

/// Returns the parameters of all fields, with their offsets by C's rule.
pub const fn joined<A: KernelArgs>() -> EachParameter<A, Parameter<'static>> {
    let mut parameters = Row::new();
    let mut field = 0;
    while field < A::PARTS.len() {
        let part = A::PARTS[field].parameters;
        let mut i = 0;
        while i < part.len() {
            parameters.push(part[i]);
            i += 1;
        }
        field += 1;
    }
    place_all(parameters.as_mut_slice());
    parameters.full()
}

/// Returns whether the fields of a struct are the packed form of its parameters, without gaps.
pub const fn are_packed<A: KernelArgs>() -> bool {
    let mut field = 0;
    while field < A::PARTS.len() {
        let Part { parameters, offset, in_place } = A::PARTS[field];
        let mut i = 0;
        while i < parameters.len() {
            match (parameters[i].offset, A::PARAMETERS[first::<A>(field) + i].offset) {
                (Some(own), Some(place)) if in_place && offset + own == place => {}
                _ => return false,
            }
            i += 1;
        }
        field += 1;
    }
    !crate::marshal::has_gaps(A::PARAMETERS)
}

pub const fn count<A: KernelArgs>() -> usize {
    first::<A>(A::PARTS.len())
}

/// Returns the index of the first parameter of each field, and the number of parameters. `N` is the number of fields,
/// plus one.
pub const fn firsts<A: KernelArgs, const N: usize>() -> [usize; N] {
    let (mut firsts, mut i) = ([0; N], 0);
    while i < N {
        firsts[i] = first::<A>(i);
        i += 1;
    }
    firsts
}

/// Room for the parameters of a flattened field and for the padding before the next parameter. No parameter is aligned
/// to more than the padding.
#[repr(C)]
pub struct FlatSlot<A: KernelArgs> {
    _values: MaybeUninit<A::ParamBuffer>,
    _padding: [MaybeUninit<u8>; 128],
}

/// Reports a parameter of a field that does not match. `firsts` is the result of [`firsts`].
#[track_caller]
pub const fn part_fits(checked: &Checked, firsts: &[usize], field: usize, is_generic: bool) {
    if checked.is_none() {
        return;
    }
    let mut i = firsts[field];
    while i < firsts[field + 1] {
        field_fits(checked, i, is_generic);
        i += 1;
    }
}

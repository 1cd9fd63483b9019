//! Members of structs, compared one by one.

mod arrays;
mod hints;
mod names;
mod opaque;
mod pointers;
mod random;
mod rules;
mod texts;

use super::sides::*;
use kernel_args_abi::check::{Difference, compare, first_difference};
use kernel_args_abi::{Class, CppType, Members, Parameter};

pub(crate) const fn at(offset: usize, member: Parameter<'static>) -> Parameter<'static> {
    Parameter { offset: Some(offset), align: None, ..member }
}

/// A number of equal members, one after another.
pub(crate) fn array(member: Parameter<'static>, length: u32) -> Parameter<'static> {
    Parameter { size: member.size * length as usize, cpp: member.cpp.array(length), class: Class::Bytes, ..member }
}

pub(crate) const fn structure(
    name: &'static str,
    cpp: &'static str,
    size: usize,
    members: &'static [Parameter<'static>],
) -> Parameter<'static> {
    field(name, cpp, size, 4, Class::Bytes, CppType::named(cpp)).with_members(Members::of(members))
}

pub(crate) fn leak(members: Vec<Parameter<'static>>) -> Members<'static> {
    Members::of(members.leak())
}

pub(crate) fn of(size: usize, members: Vec<Parameter<'static>>) -> Parameter<'static> {
    field("s", "S", size, 4, Class::Bytes, CppType::named("S")).with_members(leak(members))
}

#[track_caller]
pub(crate) fn agree(host: Parameter<'static>, kernel: Parameter<'static>) {
    assert_eq!(first_difference(&host, &kernel), None);
    assert!(!compare(&host, &kernel).contains(Difference::Members));
}

/// The paths of the kernel's and the host's member, and the differences.
#[track_caller]
pub(crate) fn differ(
    host: Parameter<'static>,
    kernel: Parameter<'static>,
    names: (&str, &str),
    difference: Difference,
) {
    assert!(compare(&host, &kernel).contains(Difference::Members));
    let mismatch = first_difference(&host, &kernel).expect("they differ");
    let path = |place: kernel_args_abi::check::Place<'_>| {
        let path: Vec<&str> = place.path.into_iter().filter(|name| !name.is_empty()).collect();
        path.into_iter().chain([place.member.name]).collect::<Vec<_>>().join(".")
    };
    assert_eq!(mismatch.host.map_or(String::new(), path), names.0);
    assert_eq!(path(mismatch.kernel), names.1);
    assert_eq!(mismatch.differences.first(), Some(difference));
}

pub(crate) fn xyz() -> Vec<Parameter<'static>> {
    vec![at(0, f32("x")), at(4, f32("y")), at(8, f32("z"))]
}

//! Compares the members of two structs one by one, and what their pointers point to.

use super::{
    member_mismatch::{MemberMismatch, NotCompared},
    walk::{Event, Walk},
};
use crate::signature::Parameter;

/// The first member in which a field and a parameter of the same size differ. `None` if they match, or if the members
/// of one side are unknown.
///
/// - Members match by offset and type: `float x, y, z, w` matches an array of four and a `float4`. An integer does not
///   match `__half`, although `__half` contains an integer.
/// - Arrays match by their elements: `[f32; 6]` matches `float m[2][3]`. If both have several dimensions, these match
///   in the order of C++: `[[f32; 3]; 2]`. Of two arrays of the same length, one element is compared.
/// - A field that covers padding of the kernel's struct counts as padding.
/// - A union or another [opaque](crate::Opaque) type matches any bytes.
/// - A name matters only if the kernel's struct uses it for another member of the same type.
/// - Structs behind pointers are compared in the same way, to any depth, and have equal sizes. Each pair of types is
///   compared once.
///
/// Structs nested deeper than 24 levels match, and structs behind pointers after the first 32 pairs.
pub const fn first_difference<'a>(host: &Parameter<'a>, kernel: &Parameter<'a>) -> Option<MemberMismatch<'a>> {
    if host.size == kernel.size { first_difference_of_any_size(host, kernel) } else { None }
}

/// [`first_difference`] of a field and a parameter whose sizes may differ.
pub const fn first_difference_of_any_size<'a>(
    host: &Parameter<'a>,
    kernel: &Parameter<'a>,
) -> Option<MemberMismatch<'a>> {
    if !Walk::is_possible(host, kernel) {
        return None;
    }
    let mut walk = Walk::new(host, kernel);
    loop {
        match some!(walk.next()) {
            Event::Differs(mismatch) => return Some(mismatch),
            Event::Passed(_) => {}
        }
    }
}

/// Calls `found` for each matching part that is not compared.
pub fn not_compared<'a>(host: &Parameter<'a>, kernel: &Parameter<'a>, mut found: impl FnMut(NotCompared<'a>)) {
    if host.size == kernel.size && Walk::is_possible(host, kernel) {
        let mut walk = Walk::new(host, kernel);
        while let Some(Event::Passed(passed)) = walk.next() {
            found(passed);
        }
    } else if let Some(passed) = Walk::passed_whole(host, kernel) {
        found(passed);
    }
}

//! Members next to bytes that cannot be compared.

use super::{super::sides::*, *};
use kernel_args_abi::{
    Opaque,
    check::{NotComparedReason, not_compared},
};

fn opaque(name: &'static str, size: usize, why: Opaque) -> Parameter<'static> {
    field(name, "Value", size, 4, Class::Bytes, CppType::named("Value")).with_members(Members::opaque(why))
}

/// `struct { int tag; union { … } value; }`, with a union of the size of the tag, and of twice the size.
#[test]
fn a_union_does_not_hide_an_exchanged_tag() {
    for size in [4, 8] {
        let whole = 4 + size;
        let kernel = of(whole, vec![at(0, i32("tag")), at(4, opaque("value", size, Opaque::Union))]);
        let right = of(whole, vec![at(0, i32("tag")), at(4, opaque("value", size, Opaque::Declared))]);
        agree(right, kernel);
        let wrong = of(whole, vec![at(0, opaque("value", size, Opaque::Declared)), at(size, i32("tag"))]);
        let mismatch = first_difference(&wrong, &kernel).expect("they differ");
        assert_eq!(mismatch.differences.first(), Some(Difference::Offset));
        assert!(mismatch.host.is_some());
        // Bytes instead of the marked field.
        let bytes = of(whole, vec![at(0, array(u8("value"), size as u32)), at(size, i32("tag"))]);
        assert!(compare(&bytes, &kernel).contains(Difference::Members));
    }
}

/// A name that the kernel does not have, or has at this place, is no mistake.
#[test]
fn other_names_next_to_a_union_match() {
    let kernel = of(12, vec![at(0, i32("tag")), at(4, opaque("value", 8, Opaque::Union))]);
    for (first, second) in [("kind", "payload"), ("tag", "tag2"), ("tag", "value")] {
        agree(of(12, vec![at(0, i32(first)), at(4, opaque(second, 8, Opaque::Declared))]), kernel);
        agree(of(12, vec![at(0, i32(first)), at(4, array(f32(second), 2))]), kernel);
    }
    // Another type of the same name.
    agree(of(12, vec![at(0, i32("kind")), at(4, f32("tag")), at(8, f32("w"))]), kernel);
}

/// Bit fields at the place of the flags, and of a second member of the same type.
#[test]
fn bit_fields_do_not_hide_exchanged_members() {
    let kernel = of(12, vec![at(0, opaque("flags", 4, Opaque::BitFields)), at(4, u32("a")), at(8, u32("b"))]);
    agree(of(12, vec![at(0, u32("bits")), at(4, u32("a")), at(8, u32("b"))]), kernel);
    differ(of(12, vec![at(0, u32("a")), at(4, u32("bits")), at(8, u32("b"))]), kernel, ("a", "a"), Difference::Offset);
    differ(
        of(12, vec![at(0, u32("bits")), at(4, u32("b")), at(8, u32("a"))]),
        kernel,
        ("b", "a"),
        Difference::ParameterName,
    );
    // An explicit name of the second bit field.
    agree(of(12, vec![at(0, u32("bits").with_kernel_name("second")), at(4, u32("a")), at(8, u32("b"))]), kernel);
}

#[test]
fn what_is_not_compared_is_listed_once() {
    let kernel = of(
        20,
        vec![
            at(0, i32("tag")),
            at(4, opaque("value", 8, Opaque::Union)),
            at(12, opaque("flags", 4, Opaque::BitFields)),
            at(16, u32("n")),
        ],
    );
    let floats =
        of(20, vec![at(0, i32("tag")), at(4, f32("x")), at(8, f32("y")), at(12, u32("flags")), at(16, u32("n"))]);
    let mut found = Vec::new();
    not_compared(&floats, &kernel, |passed| {
        found.push((passed.place.member.name, passed.reason));
    });
    assert_eq!(
        found,
        [("value", NotComparedReason::Opaque(Opaque::Union)), ("flags", NotComparedReason::Opaque(Opaque::BitFields))]
    );
    let mut found = Vec::new();
    not_compared(&floats, &floats, |passed| found.push(passed.reason));
    assert_eq!(found, []);
}

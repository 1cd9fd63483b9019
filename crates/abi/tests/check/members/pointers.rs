//! Structs behind pointers.

use super::{super::sides::*, *};
use kernel_args_abi::{
    Pointee, Variant,
    check::{NotCompared, NotComparedReason, Report, not_compared, report},
};

/// A pointer to `to`: `T const*`.
pub(crate) fn pointer(name: &'static str, to: Parameter<'static>) -> Parameter<'static> {
    let to: &'static Parameter<'static> = Box::leak(Box::new(Parameter { name: "", ..to }));
    Parameter { name, ..slice(name, to.cpp) }.with_pointee(Pointee::of(to))
}

fn light(members: Vec<Parameter<'static>>) -> Parameter<'static> {
    let size = members.iter().map(|member| member.size).sum();
    let cpp = CppType::named("Light");
    field("", "Light", size, 4, Class::Bytes, cpp).with_members(leak(members))
}

fn lights(name: &'static str, members: Vec<Parameter<'static>>) -> Parameter<'static> {
    pointer(name, light(members))
}

fn color_and_range() -> Vec<Parameter<'static>> {
    vec![at(0, f32("color")), at(4, f32("range")), at(8, u32("kind"))]
}

fn exchanged() -> Vec<Parameter<'static>> {
    vec![at(0, f32("range")), at(4, f32("color")), at(8, u32("kind"))]
}

/// The hint of the first error.
#[track_caller]
fn hint(host: Parameter<'static>, kernel: Parameter<'static>) -> String {
    let leak = |parameter| -> &'static [Parameter<'static>] { vec![parameter].leak() };
    let (host, kernel) = (leak(host), leak(kernel));
    let report: Report<'_> = report(&signature("A", host), &signature("k", kernel));
    let text = report.field_message(0).expect("they differ").as_str().to_owned();
    let (_, hint) = text.split_once("help: ").expect("there is a hint");
    let (hint, _) = hint.split_once("; `#[kernel_args(opaque)]`").expect("there is a way out");
    hint.to_owned()
}

#[test]
fn members_behind_a_pointer_are_compared() {
    let kernel = lights("lights", color_and_range());
    agree(lights("lights", color_and_range()), kernel);
    let wrong = lights("lights", exchanged());
    assert!(compare(&wrong, &kernel).contains(Difference::Members));
    assert!(hint(wrong, kernel).starts_with(
        "the kernel's struct has `lights[].color` at byte 0, where this one has `lights[].range`, the name of another member"
    ));
    let of_type = vec![at(0, f32("color")), at(4, u32("range")), at(8, u32("kind"))];
    assert_eq!(
        hint(lights("lamps", of_type), kernel),
        "the kernel's struct has `lights[].range` at byte 4 (float), this one has `lamps[].range` at byte 4 (`u32`): declare `range: f32`"
    );
    let shorter = vec![at(0, f32("color")), at(4, f32("range"))];
    assert_eq!(
        hint(lights("lights", shorter.clone()), kernel),
        "the kernel's struct has `lights[].kind` (unsigned int) at byte 8, this one has no such member there: add `kind: u32` at the end"
    );
    assert_eq!(
        hint(lights("lights", color_and_range()), lights("lights", shorter)),
        "the kernel's `lights[]` has 8 bytes, this one's `lights[]` has 12: remove `kind`, which the kernel's struct does not have"
    );
}

#[test]
fn pointers_in_structs_are_followed_to_any_depth() {
    let scene = |members: Vec<Parameter<'static>>| {
        let node = |name, to: Parameter<'static>| {
            let cpp = CppType::named("Node");
            let members = leak(vec![at(0, pointer(name, to)), at(8, u32("n"))]);
            field("", "Node", 16, 8, Class::Bytes, cpp).with_members(members)
        };
        let inner = node("third", node("second", node("first", light(members))));
        let by_value = Parameter { name: "root", ..inner };
        of(16, vec![at(0, by_value)])
    };
    agree(scene(color_and_range()), scene(color_and_range()));
    assert_eq!(
        hint(scene(vec![at(0, f32("color")), at(4, f32("range")), at(8, i32("kind"))]), scene(color_and_range())),
        "the kernel's struct has `root.third[].second[].first[].kind` at byte 8 (unsigned int), this one has \
         `root.third[].second[].first[].kind` at byte 8 (`i32`): declare `kind: u32`"
    );
}

/// An array of pointers, a pointer to a pointer, and a pointer to an array of structs.
#[test]
fn every_kind_of_pointer_is_followed() {
    let (right, wrong) = (light(color_and_range()), light(exchanged()));
    let kinds: [fn(Parameter<'static>) -> Parameter<'static>; 4] = [
        |light| pointer("p", pointer("", light)),
        |light| pointer("p", array(light, 4)),
        |light| of(32, vec![at(0, array(pointer("p", light), 4))]),
        |light| of(8, vec![at(0, pointer("p", array(array(light, 2), 3)))]),
    ];
    for (kind, path) in kinds.into_iter().zip(["p[][].color", "p[].color", "p[].color", "p[].color"]) {
        agree(kind(right), kind(right));
        let expected = format!("the kernel's struct has `{path}` at byte 0, where");
        let hint = hint(kind(wrong), kind(right));
        assert!(hint.starts_with(&expected), "{hint}");
    }
    // A pointer to an array can be the pointer to its first element.
    agree(pointer("p", array(right, 4)), pointer("p", right));
    assert!(compare(&pointer("p", wrong), &pointer("p", array(right, 4))).contains(Difference::Members));
}

#[test]
fn an_array_of_numbers_matches_a_struct_behind_a_pointer_by_its_bytes() {
    let point = |members: Vec<Parameter<'static>>, size| {
        pointer("p", field("", "Point", size, 4, Class::Bytes, CppType::named("Point")).with_members(leak(members)))
    };
    let numbers = |length| pointer("p", array(f32(""), length));
    agree(numbers(3), point(xyz(), 12));
    agree(numbers(6), point(xyz(), 12));
    assert_eq!(
        hint(numbers(3), point(xyz(), 16)),
        "the kernel's `p[]` has 16 bytes, this one's `p[]` has 12: declare the members as the kernel's struct does"
    );
    let mixed = vec![at(0, f32("x")), at(4, i32("y")), at(8, f32("z"))];
    let hint = hint(numbers(3), point(mixed, 12));
    assert!(
        hint.starts_with("the kernel's struct has `p[].y` at byte 4 (int), this one has `p[]` at byte 4 (`f32`)"),
        "{hint}"
    );
}

#[test]
fn enums_behind_a_pointer_are_compared() {
    const fn mode(variants: &'static [Variant<'static>]) -> Parameter<'static> {
        field("", "Mode", 4, 4, Class::Integer, CppType::named("Mode")).with_members(Members::of_enum(variants, None))
    }
    const FAST: &[Variant<'static>] = &[Variant { name: "Fast", value: 0 }, Variant { name: "Exact", value: 1 }];
    const EXACT: &[Variant<'static>] = &[Variant { name: "Exact", value: 0 }, Variant { name: "Fast", value: 1 }];
    agree(pointer("modes", mode(FAST)), pointer("modes", mode(FAST)));
    let hint = hint(pointer("modes", mode(EXACT)), pointer("modes", mode(FAST)));
    assert!(hint.starts_with("in `modes[]`: "), "{hint}");
}

/// A struct that points to itself, directly and through a second struct.
#[test]
fn a_circle_is_compared_once() {
    static NODE: Parameter<'static> = Parameter {
        size: 16,
        cpp: CppType::named("Node"),
        class: Class::Bytes,
        members: Members::of(&NODE_MEMBERS),
        ..Parameter::record(0, 16)
    };
    static NODE_MEMBERS: [Parameter<'static>; 2] = [
        Parameter {
            name: "next",
            cpp: CppType::named("Node").pointer(true),
            class: Class::Pointer,
            pointee: Pointee::of(&NODE),
            ..Parameter::record(0, 8)
        },
        Parameter { name: "value", ..Parameter::record(8, 8) },
    ];
    agree(pointer("list", NODE), pointer("list", NODE));
    agree(NODE_MEMBERS[0], NODE_MEMBERS[0]);
    assert_eq!(format!("{NODE:?}").matches("next").count(), 1);
    assert_eq!(NODE, NODE);
}

fn passed(host: Parameter<'static>, kernel: Parameter<'static>) -> Vec<(String, NotComparedReason)> {
    assert!(compare(&host, &kernel).is_empty());
    let mut found = Vec::new();
    not_compared(&host, &kernel, |NotCompared { place, reason, .. }| {
        found.push((kernel_args_abi::texts::member_path(&place, kernel.name).to_string(), reason));
    });
    found
}

/// Nothing is compared where a source has nothing, and this is listed.
#[test]
fn what_is_behind_a_pointer_may_be_unknown() {
    let host = lights("lights", exchanged());
    let plain = slice("lights", CppType::named("Light"));
    assert_eq!(passed(host, plain), []);
    let declared = plain.with_pointee(Pointee::DECLARED);
    assert_eq!(passed(host, declared), [("lights[]".to_owned(), NotComparedReason::Incomplete)]);
    let in_struct = |member| of(8, vec![at(0, member)]);
    assert_eq!(passed(in_struct(host), in_struct(declared)), [("lights[]".to_owned(), NotComparedReason::Incomplete)]);
    let kernel = lights("lights", color_and_range());
    // The members of the Rust type are unknown, but its size is known.
    let whole = |size| pointer("lights", field("", "Light", size, 4, Class::Bytes, CppType::named("Light")));
    assert_eq!(passed(whole(12), kernel), [("lights[]".to_owned(), NotComparedReason::Unknown)]);
    assert!(compare(&whole(16), &kernel).contains(Difference::Members));
    // `void*`, and an address.
    assert_eq!(passed(slice("lights", CppType::of(kernel_args_abi::CppBase::Void)), kernel), []);
    assert_eq!(passed(usize("lights"), kernel), []);
}

#[test]
fn more_pairs_than_the_limit_are_listed() {
    let names: Vec<&'static str> = (0..40).map(|i| &*format!("S{i}").leak()).collect();
    let whole = || {
        let pointers = names.iter().enumerate().map(|(i, name)| {
            let to =
                field("", name, 4, 4, Class::Bytes, CppType::named(name)).with_members(leak(vec![at(0, f32("x"))]));
            at(8 * i, pointer(name, to))
        });
        of(8 * names.len(), pointers.collect())
    };
    let passed = passed(whole(), whole());
    assert_eq!(passed.len(), 8);
    assert_eq!(passed[0], ("S32".to_owned(), NotComparedReason::Limit));
}

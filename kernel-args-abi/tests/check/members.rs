//! Members of structs, one by one.

use super::sides::*;
use kernel_args_abi::check::{Difference, Report, compare, first_difference, report};
use kernel_args_abi::{Class, CppBase, CppType, Members, Opaque, Parameter, Variant};
use proptest::prelude::*;

const fn at(offset: usize, member: Parameter<'static>) -> Parameter<'static> {
    Parameter {
        offset: Some(offset),
        align: None,
        ..member
    }
}

/// So many of a member, one after another.
fn array(member: Parameter<'static>, length: u32) -> Parameter<'static> {
    Parameter {
        size: member.size * length as usize,
        cpp: member.cpp.array(length),
        class: Class::Bytes,
        ..member
    }
}

const fn structure(
    name: &'static str,
    cpp: &'static str,
    size: usize,
    members: &'static [Parameter<'static>],
) -> Parameter<'static> {
    field(name, cpp, size, 4, Class::Bytes, CppType::named(cpp)).with_members(Members::of(members))
}

fn leak(members: Vec<Parameter<'static>>) -> Members<'static> {
    Members::of(members.leak())
}

fn of(size: usize, members: Vec<Parameter<'static>>) -> Parameter<'static> {
    field("s", "S", size, 4, Class::Bytes, CppType::named("S")).with_members(leak(members))
}

#[track_caller]
fn agree(host: Parameter<'static>, kernel: Parameter<'static>) {
    assert_eq!(first_difference(&host, &kernel), None);
    assert!(!compare(&host, &kernel).contains(Difference::Members));
}

/// The path of the kernel's member and of the host's, and what differs.
#[track_caller]
fn differ(
    host: Parameter<'static>,
    kernel: Parameter<'static>,
    names: (&str, &str),
    difference: Difference,
) {
    assert!(compare(&host, &kernel).contains(Difference::Members));
    let mismatch = first_difference(&host, &kernel).expect("they differ");
    let path = |place: kernel_args_abi::check::Place<'_>| {
        let path: Vec<&str> = place
            .path
            .into_iter()
            .filter(|name| !name.is_empty())
            .collect();
        path.into_iter()
            .chain([place.member.name])
            .collect::<Vec<_>>()
            .join(".")
    };
    assert_eq!(mismatch.host.map_or(String::new(), path), names.0);
    assert_eq!(mismatch.kernel.map_or(String::new(), path), names.1);
    assert_eq!(mismatch.differences.first(), Some(difference));
}

fn xyz() -> Vec<Parameter<'static>> {
    vec![at(0, f32("x")), at(4, f32("y")), at(8, f32("z"))]
}

#[test]
fn the_same_members_agree() {
    agree(of(12, xyz()), of(12, xyz()));
    agree(of(1, vec![]), of(1, vec![]));
    // What one side does not tell.
    let untold = field("s", "S", 12, 4, Class::Bytes, CppType::named("S"));
    agree(untold, of(12, xyz()));
    agree(of(12, xyz()), untold);
    for why in Opaque::ALL {
        agree(of(12, xyz()), untold.with_members(Members::opaque(why)));
        agree(untold.with_members(Members::opaque(why)), of(12, xyz()));
    }
}

#[test]
fn members_agree_by_their_bytes_however_they_are_grouped() {
    let vector = of(12, vec![at(0, array(f32("v"), 3))]);
    let nested = of(
        12,
        vec![
            at(0, of(8, vec![at(0, f32("a")), at(4, f32("b"))])),
            at(8, f32("c")),
        ],
    );
    let flat = of(12, xyz());
    for host in [vector, nested, flat] {
        for kernel in [vector, nested, flat] {
            agree(host, kernel);
        }
    }
    // `[[f32; 4]; 1000]` is `float4 rows[1000]`, and is not gone through one by one.
    let vectors = array(of(16, vec![at(0, array(f32("v"), 4))]), 1000);
    let rows = at(0, array(f32("rows"), 4000));
    agree(of(16_000, vec![rows]), of(16_000, vec![at(0, vectors)]));
    agree(of(16_000, vec![at(0, vectors)]), of(16_000, vec![rows]));
    // A struct around one value is the value.
    agree(
        of(4, vec![at(0, f32("meters"))]),
        of(4, vec![at(0, of(4, vec![at(0, f32("value"))]))]),
    );
    // An array of Rust is a struct around one in C++.
    let host = field("s", "[f32; 3]", 12, 4, Class::Bytes, FLOAT.array(3));
    assert_eq!(first_difference(&host, &vector), None);
    // CUDA's vectors are known by their names.
    let float4 = field(
        "v",
        "Float4",
        16,
        16,
        Class::Bytes,
        CppType::named("float4"),
    );
    let four = vec![
        at(0, f32("x")),
        at(4, f32("y")),
        at(8, f32("z")),
        at(12, f32("w")),
    ];
    let told = float4.with_members(leak(four));
    agree(of(16, vec![at(0, float4)]), of(16, vec![at(0, told)]));
}

#[test]
fn padding_is_no_member_and_a_missing_member_is_one() {
    let kernel = of(16, vec![at(0, u8("kind")), at(8, f64("value"))]);
    agree(of(16, vec![at(0, u8("kind")), at(8, f64("value"))]), kernel);
    agree(
        of(
            16,
            vec![
                at(0, u8("kind")),
                at(1, array(u8("padding"), 7)),
                at(8, f64("value")),
            ],
        ),
        kernel,
    );
    let host = of(16, vec![at(0, u8("kind")), at(4, array(u8("padding"), 8))]);
    differ(host, kernel, ("padding", "value"), Difference::Size);
    differ(
        of(16, vec![at(0, u8("kind"))]),
        kernel,
        ("", "value"),
        Difference::Offset,
    );
    differ(
        of(16, vec![at(8, f64("value"))]),
        kernel,
        ("", "kind"),
        Difference::Offset,
    );
    // Padding behind the last member.
    let kernel = of(16, vec![at(0, f64("value")), at(8, u8("kind"))]);
    agree(
        of(
            16,
            vec![at(0, f64("value")), at(8, u8("kind")), at(9, u8("flag"))],
        ),
        kernel,
    );
}

#[test]
fn bytes_that_are_not_told_apart_agree_with_all_in_their_place() {
    let union = field("u", "U", 8, 4, Class::Bytes, CppType::named("U"))
        .with_members(Members::opaque(Opaque::Union));
    let kernel = of(16, vec![at(0, union), at(8, f32("x")), at(12, i32("n"))]);
    let host = |first: Vec<Parameter<'static>>, last| {
        of(16, [first, vec![at(8, f32("x")), at(12, last)]].concat())
    };
    for first in [
        vec![at(0, f64("d"))],
        vec![at(0, i32("a")), at(4, f32("b"))],
        vec![at(0, i32("a"))],
    ] {
        agree(host(first.clone(), i32("n")), kernel);
        differ(host(first, f32("n")), kernel, ("n", "n"), Difference::Class);
    }
    differ(
        host(vec![], i32("n")),
        kernel,
        ("", "u"),
        Difference::Offset,
    );
}

#[test]
fn a_member_of_another_type_or_place_is_named_on_both_sides() {
    let inner = |last| of(8, vec![at(0, i32("id")), at(4, last)]);
    let outer = |inner: Parameter<'static>, count| {
        of(
            40,
            vec![
                at(
                    0,
                    array(
                        Parameter {
                            name: "cells",
                            ..inner
                        },
                        4,
                    ),
                ),
                at(32, count),
            ],
        )
    };
    let kernel = outer(inner(f32("weight")), f64("total"));
    agree(outer(inner(f32("weight")), f64("sum")), kernel);
    differ(
        outer(inner(i32("weight")), f64("total")),
        kernel,
        ("cells.weight", "cells.weight"),
        Difference::Class,
    );
    differ(
        outer(inner(u32("mass")), f64("total")),
        kernel,
        ("cells.mass", "cells.weight"),
        Difference::Class,
    );
    differ(
        outer(inner(f32("weight")), usize("total")),
        kernel,
        ("total", "total"),
        Difference::Class,
    );
    let unsigned = of(8, vec![at(0, u32("id")), at(4, f32("weight"))]);
    differ(
        unsigned,
        inner(f32("weight")),
        ("id", "id"),
        Difference::Signedness,
    );
    let pointers = |cpp| of(8, vec![at(0, field("p", "P", 8, 8, Class::Pointer, cpp))]);
    differ(
        pointers(INT.pointer(false)),
        pointers(FLOAT.pointer(false)),
        ("p", "p"),
        Difference::Pointee,
    );
    differ(
        pointers(INT.pointer(true)),
        pointers(INT.pointer(false)),
        ("p", "p"),
        Difference::Constness,
    );
    // A type whose members are not told is known by its name.
    let named = |name| {
        of(
            8,
            vec![at(
                0,
                field("m", "M", 8, 4, Class::Bytes, CppType::named(name)),
            )],
        )
    };
    let told = of(
        8,
        vec![at(
            0,
            Parameter {
                name: "m",
                ..inner(f32("weight"))
            },
        )],
    );
    agree(named("S"), told);
    differ(named("T"), told, ("m", "m"), Difference::Name);
    // Sizes.
    differ(
        of(8, vec![at(0, f64("a"))]),
        inner(f32("weight")),
        ("a", "id"),
        Difference::Size,
    );
    let arrays = |element, count| of(12, vec![at(0, array(element, count))]);
    differ(
        arrays(u8("bytes"), 12),
        arrays(f32("v"), 3),
        ("bytes", "v"),
        Difference::Size,
    );
}

/// A newtype of its own stands for what it consists of, and a float for a vector of one.
#[test]
fn a_scalar_is_no_part_of_a_type_of_cuda_that_means_something_else() {
    let u16 = |name| {
        field(
            name,
            "u16",
            2,
            2,
            Class::Integer,
            CppType::integer(false, 16),
        )
    };
    let mode = |name| {
        let variants = vec![Variant {
            name: "Fast",
            value: 1,
        }];
        let cpp = CppType::named("Mode");
        let members = Members::of_enum(variants.leak(), None);
        field(name, "Mode", 1, 1, Class::Integer, cpp).with_members(members)
    };
    let wrapped = |name, cpp, member: Parameter<'static>| {
        let size = member.size;
        let cpp = CppType::named(cpp);
        let whole = field(name, "W", size, size, Class::Bytes, cpp);
        whole.with_members(leak(vec![at(0, member)]))
    };
    let one = |member: Parameter<'static>| of(member.size, vec![at(0, member)]);
    let half = |name| one(wrapped(name, "__half", u16("__x")));
    differ(one(u16("h")), half("h"), ("h", "h"), Difference::Class);
    agree(half("h"), half("h"));
    agree(one(wrapped("h", "F16", u16("bits"))), half("h"));
    // In structs around it, on either side.
    let weight = |name, cpp| wrapped(name, cpp, wrapped("value", "__half", u16("__x")));
    let f16 = field("value", "f16", 2, 2, Class::Float, CppType::named("__half"));
    let twice = wrapped("h", "Outer", wrapped("w", "Weight", f16));
    let named = wrapped("h", "__half", f16);
    for host in [
        wrapped("h", "Weight", f16),
        twice,
        named,
        weight("h", "Weight"),
    ] {
        agree(one(host), half("h"));
        agree(one(host), one(weight("h", "W")));
        agree(half("h"), one(weight("h", "W")));
    }
    let wrong = one(wrapped("h", "Weight", u16("bits")));
    differ(
        wrong,
        one(weight("h", "W")),
        ("h.bits", "h.value"),
        Difference::Class,
    );
    let uchar1 = |name| one(wrapped(name, "uchar1", u8("x")));
    differ(one(mode("m")), uchar1("m"), ("m", "m"), Difference::Class);
    differ(uchar1("m"), one(mode("m")), ("m", "m"), Difference::Class);
    agree(one(u8("m")), uchar1("m"));
    agree(one(wrapped("m", "Flags", u8("bits"))), one(mode("m")));
    let float1 = one(wrapped("f", "float1", f32("x")));
    agree(one(f32("f")), float1);
    // Several at a time.
    let several = |member: Parameter<'static>| of(4, vec![at(0, array(member, 2))]);
    let halves = several(wrapped("h", "__half", u16("__x")));
    differ(several(u16("h")), halves, ("h", "h"), Difference::Type);
}

/// Those of one type are told by their names alone.
#[test]
fn members_of_one_type_that_are_exchanged_are_told_by_their_names() {
    let kernel = of(12, xyz());
    let host =
        |names: [&'static str; 3]| of(12, (0..3).map(|i| at(4 * i, f32(names[i]))).collect());
    differ(
        host(["y", "x", "z"]),
        kernel,
        ("y", "x"),
        Difference::ParameterName,
    );
    differ(
        host(["x", "z", "y"]),
        kernel,
        ("z", "y"),
        Difference::ParameterName,
    );
    differ(
        host(["x", "r#z", "w"]),
        kernel,
        ("r#z", "y"),
        Difference::ParameterName,
    );
    for names in [
        ["a", "b", "c"],
        ["x", "b", "z"],
        ["", "", ""],
        ["0", "1", "2"],
    ] {
        agree(host(names), kernel);
    }
    // A name of a member of another type, or of a struct around it, does not count.
    agree(
        of(8, vec![at(0, i32("b")), at(4, f32("c"))]),
        of(8, vec![at(0, i32("a")), at(4, f32("b"))]),
    );
}

/// More than are looked for by a hash.
#[test]
fn members_of_a_large_struct_that_are_exchanged_are_told() {
    let struct_of = |names: &[usize]| {
        let members = names.iter().enumerate().map(|(i, name)| {
            let name = format!("m{name}").leak();
            at(4 * i, f32(name))
        });
        of(4 * names.len(), members.collect())
    };
    let right: Vec<_> = (0..1_000).collect();
    let kernel = struct_of(&right);
    agree(struct_of(&right), kernel);
    for (a, b) in [(3, 700), (900, 901), (900, 960)] {
        let mut wrong = right.clone();
        wrong.swap(a, b);
        let names = (&*format!("m{b}"), &*format!("m{a}"));
        differ(struct_of(&wrong), kernel, names, Difference::ParameterName);
    }
}

/// `#[device_type(name = "…")]` on a field.
#[test]
fn a_member_may_say_which_one_it_is() {
    let kernel = of(12, xyz());
    let host = |names: [(&'static str, &'static str); 3]| {
        let members = names.iter().enumerate();
        let members = members.map(|(i, (name, says))| at(4 * i, f32(name).with_kernel_name(says)));
        of(12, members.collect())
    };
    agree(host([("y", "x"), ("x", "y"), ("z", "")]), kernel);
    agree(host([("a", "x"), ("b", ""), ("c", "z")]), kernel);
    for (names, at) in [
        ([("x", "y"), ("b", ""), ("z", "")], ("x", "x")),
        ([("x", ""), ("b", "w"), ("z", "")], ("b", "y")),
    ] {
        differ(host(names), kernel, at, Difference::ParameterName);
    }
    // Around the member that is meant there is a struct, or there are no names.
    let inner = of(4, vec![at(0, f32("x"))]);
    let kernel = of(
        4,
        vec![at(
            0,
            Parameter {
                name: "inner",
                ..inner
            },
        )],
    );
    agree(of(4, vec![at(0, f32("a").with_kernel_name("x"))]), kernel);
    agree(
        of(4, vec![at(0, f32("a").with_kernel_name("inner"))]),
        kernel,
    );
    let other = of(4, vec![at(0, f32("a").with_kernel_name("y"))]);
    differ(other, kernel, ("a", "inner.x"), Difference::ParameterName);
    agree(other, of(4, vec![at(0, f32(""))]));
}

/// C++ has no arrays by value, so that the type of a kernel's parameter is a struct's.
/// One element is compared, not each: rustc would take half a minute for a field of some kilobytes.
#[test]
fn a_long_array_is_compared_with_the_one_in_a_struct() {
    let bytes = array(u8("bytes"), 30_000);
    let around = of(30_000, vec![at(0, of(30_000, vec![at(0, bytes)]))]);
    let begin = std::time::Instant::now();
    for _ in 0..2_000 {
        agree(bytes, around);
        agree(around, bytes);
    }
    assert!(begin.elapsed() < std::time::Duration::from_secs(5));
}

#[test]
fn an_array_of_rust_is_a_struct_around_one() {
    let host = |spelling, element: Parameter<'static>, length| Parameter {
        name: "v",
        spelling,
        ..array(element, length)
    };
    let kernel = |members| Parameter {
        name: "v",
        cpp: CppType::named("Vec"),
        ..of(12, members)
    };
    let fits = |host, kernel| {
        let differences = compare(&host, &kernel);
        assert!(differences.is_empty(), "{differences:?}");
    };
    for members in [xyz(), vec![at(0, array(f32("v"), 3))]] {
        fits(host("[f32; 3]", f32(""), 3), kernel(members.clone()));
        fits(
            host("[f32; 3]", f32(""), 3),
            Parameter {
                cpp: CppType::UNKNOWN,
                ..kernel(members)
            },
        );
    }
    differ(
        host("[i32; 3]", i32(""), 3),
        kernel(xyz()),
        ("", "x"),
        Difference::Type,
    );
    let args = [host("[i32; 3]", i32(""), 3)];
    let params = [kernel(xyz())];
    let (args, params) = (
        signature("A", args.to_vec().leak()),
        signature("k", params.to_vec().leak()),
    );
    let report: Report = report(&args, &params);
    let message = report.field_message(0).unwrap();
    assert!(
        message.as_str().contains(
            "has `x` at byte 0 (float), this one has `v` at byte 0 (`[i32; 3]`): declare the members as"
        ),
        "{}",
        message.as_str()
    );
    // An array of one.
    let one = of(4, vec![at(0, array(f32("v"), 1))]);
    for other in [
        of(4, vec![at(0, f32("x"))]),
        one,
        of(4, vec![at(0, of(4, vec![at(0, f32("x"))]))]),
    ] {
        agree(one, other);
        agree(other, one);
    }
    differ(
        one,
        of(4, vec![at(0, i32("x"))]),
        ("v", "x"),
        Difference::Type,
    );
    // Two arrays that are exchanged.
    let arrays = |names: [&'static str; 2]| {
        of(
            24,
            vec![
                at(0, array(f32(names[0]), 3)),
                at(12, array(f32(names[1]), 3)),
            ],
        )
    };
    differ(
        arrays(["b", "a"]),
        arrays(["a", "b"]),
        ("b", "a"),
        Difference::ParameterName,
    );
    agree(
        arrays(["c", "a"]),
        arrays(["a", "b"]).with_members(Members::UNKNOWN),
    );
}

const LIGHT: Parameter<'static> = structure(
    "light",
    "Light",
    12,
    &[
        at(0, f32("intensity")),
        at(4, u32("kind")),
        at(8, f32("range")),
    ],
);
const fn light(members: &'static [Parameter<'static>]) -> Parameter<'static> {
    structure("light", "Light", 12, members)
}

/// While a program compiles.
#[test]
fn a_difference_says_both_members_and_what_to_declare() {
    const KERNEL: &[Parameter<'static>] = &[LIGHT];
    const fn message(host: &'static [Parameter<'static>]) -> kernel_args_abi::words::Message {
        let report: Report = report(&signature("Shade", host), &signature("shade", KERNEL));
        match report.field_message(0) {
            Some(message) => message,
            None => kernel_args_abi::words::Message::new(),
        }
    }
    const RIGHT: &[Parameter<'static>] = &[LIGHT];
    const _: () = assert!(message(RIGHT).is_empty());
    const TYPE: &[Parameter<'static>] = &[light(&[
        at(0, f32("intensity")),
        at(4, f32("kind")),
        at(8, f32("range")),
    ])];
    const PLACE: &[Parameter<'static>] = &[light(&[at(0, f32("intensity")), at(4, u32("kind"))])];
    const NAME: &[Parameter<'static>] = &[light(&[
        at(0, f32("range")),
        at(4, u32("kind")),
        at(8, f32("intensity")),
    ])];
    const TEXTS: [kernel_args_abi::words::Message; 3] =
        [message(TYPE), message(PLACE), message(NAME)];
    let sides = "`light` does not fit parameter 0 of kernel `shade`\n  host    Light  Light  12 bytes, aligned to 4\n  kernel  Light  Light  12 bytes, aligned to 4\n  help: ";
    for (text, help) in TEXTS.iter().zip([
        "the kernel's struct has `kind` at byte 4 (unsigned int), this one has `kind` at byte 4 (`f32`): declare `kind: u32`; \
         `#[kernel_args(opaque)]` on the field turns this check off",
        "the kernel's struct has `range` (float) at byte 8, this one has no field there: add one; `#[kernel_args(opaque)]` \
         on the field turns this check off",
        "the kernel's struct has `intensity` at byte 0, where this one has `range`, which is the name of another member of the \
         kernel's: put the fields in the kernel's order; or, if this one is `intensity`, rename it to `intensity` or \
         write `#[device_type(name = \"intensity\")]` on it; `#[kernel_args(opaque)]` on the field turns this check off",
    ]) {
        assert_eq!(text.as_str(), format!("{sides}{help}"));
    }
}

/// A value of so many bytes at most: scalars, arrays and structs, laid out without padding but where `gaps` says.
fn value(depth: u32) -> BoxedStrategy<Parameter<'static>> {
    let leaf = prop_oneof![
        Just(f32("a")),
        Just(i32("b")),
        Just(u8("c")),
        Just(f64("d")),
        Just(boolean("e")),
        Just(slice("f", FLOAT)),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    let members = proptest::collection::vec((value(depth - 1), 0usize..3), 1..4);
    let structure = members.prop_map(move |members| {
        let mut end = 0;
        let mut placed = Vec::new();
        for (i, (member, gap)) in members.into_iter().enumerate() {
            let name: &str = Box::leak(format!("m{depth}_{i}").into_boxed_str());
            placed.push(Parameter {
                name,
                ..at(end + gap, member)
            });
            end += gap + member.size;
        }
        of(end, placed)
    });
    let arrays = (value(depth - 1), 2u32..5).prop_map(|(element, length)| array(element, length));
    prop_oneof![2 => leaf, 3 => structure, 2 => arrays].boxed()
}

/// The scalars in a value, with their offsets.
fn scalars(value: &Parameter<'static>, start: usize, found: &mut Vec<(usize, Parameter<'static>)>) {
    let elements = value.cpp.elements();
    let size = value.size / elements;
    for i in 0..elements {
        if value.members.is_known() {
            for member in value.members.iter() {
                scalars(&member, start + i * size + member.offset.unwrap(), found);
            }
        } else {
            let class = if value.cpp.is_array() {
                Class::Unknown
            } else {
                value.class
            };
            let scalar = Parameter {
                size,
                cpp: value.cpp.element(),
                class,
                name: "",
                ..*value
            };
            found.push((start + i * size, scalar));
        }
    }
}

/// Vectors of one length in the place of vectors of another one: `x` lies over `y`, and nothing is exchanged.
#[test]
fn names_of_structs_that_are_shifted_against_each_other_do_not_matter() {
    const NAMES: [&str; 4] = ["x", "y", "z", "w"];
    let vectors = |cpp: &'static str, length: usize| {
        let members = (0..length).map(|i| at(4 * i, f32(NAMES[i]))).collect();
        let vector = structure("v", cpp, 4 * length, Vec::leak(members));
        of(48, vec![at(0, array(vector, (12 / length) as u32))])
    };
    let all = [
        vectors("float2", 2),
        vectors("float3", 3),
        vectors("float4", 4),
    ];
    for host in all {
        for kernel in all {
            agree(host, kernel);
        }
    }
    // Members that are exchanged are found all the same, in a struct that begins elsewhere too.
    let pair = |names: [&'static str; 2]| vec![at(0, f32(names[0])), at(4, f32(names[1]))];
    let nested = structure("v", "float2", 8, pair(["x", "y"]).leak());
    let kernel = of(12, vec![at(0, f32("n")), at(4, nested)]);
    let flat = |one, other| {
        of(
            12,
            vec![at(0, f32("n")), at(4, f32(one)), at(8, f32(other))],
        )
    };
    agree(flat("x", "y"), kernel);
    differ(
        flat("y", "x"),
        kernel,
        ("y", "v.x"),
        Difference::ParameterName,
    );
}

/// A struct of these scalars.
fn flat(size: usize, scalars: &[(usize, Parameter<'static>)]) -> Parameter<'static> {
    of(
        size,
        scalars
            .iter()
            .map(|(offset, scalar)| at(*offset, *scalar))
            .collect(),
    )
}

proptest! {
    #[test]
    fn a_struct_agrees_with_itself_and_with_its_scalars(value in value(3)) {
        let whole = of(value.size, vec![at(0, value)]);
        prop_assert_eq!(first_difference(&whole, &whole), None);
        let mut found = Vec::new();
        scalars(&value, 0, &mut found);
        let flat = flat(value.size, &found);
        prop_assert_eq!(first_difference(&flat, &whole), None);
        prop_assert_eq!(first_difference(&whole, &flat), None);
    }

    /// Of arrays the first element alone is compared with an array of another side, so the scalars are the host's.
    #[test]
    fn a_scalar_that_is_changed_or_left_out_is_found(value in value(3), pick in any::<prop::sample::Index>()) {
        let whole = of(value.size, vec![at(0, value)]);
        let mut found = Vec::new();
        scalars(&value, 0, &mut found);
        let index = pick.index(found.len());
        let (offset, scalar) = found[index];

        let mut changed = found.clone();
        changed[index].1.cpp = match scalar.cpp.base {
            CppBase::Float { bits: 32 } if !scalar.cpp.is_pointer() => INT,
            _ => FLOAT,
        };
        changed[index].1.class = Class::Unknown;
        let mismatch = first_difference(&flat(value.size, &changed), &whole).expect("a changed scalar is found");
        let place = mismatch.kernel.expect("it is the kernel's too");
        let element = place.member.size / place.member.cpp.elements();
        prop_assert!(place.offset <= offset && offset < place.offset + place.member.size);
        prop_assert_eq!(element, scalar.size);

        let mut left_out = found;
        left_out.remove(index);
        let mismatch = first_difference(&flat(value.size, &left_out), &whole).expect("a missing scalar is found");
        let place = mismatch.kernel.expect("it is the kernel's");
        prop_assert!(place.offset <= offset && offset < place.offset + place.member.size);
    }
}

//! Which members match, and which differ.

use super::{super::sides::*, *};
use kernel_args_abi::{Opaque, Variant};

#[test]
fn the_same_members_agree() {
    agree(of(12, xyz()), of(12, xyz()));
    agree(of(1, vec![]), of(1, vec![]));
    // Members that one side does not know.
    let unknown = field("s", "S", 12, 4, Class::Bytes, CppType::named("S"));
    agree(unknown, of(12, xyz()));
    agree(of(12, xyz()), unknown);
    for why in Opaque::ALL {
        agree(of(12, xyz()), unknown.with_members(Members::opaque(why)));
        agree(unknown.with_members(Members::opaque(why)), of(12, xyz()));
    }
}

#[test]
fn members_agree_by_their_bytes_however_they_are_grouped() {
    let vector = of(12, vec![at(0, array(f32("v"), 3))]);
    let nested = of(12, vec![at(0, of(8, vec![at(0, f32("a")), at(4, f32("b"))])), at(8, f32("c"))]);
    let flat = of(12, xyz());
    for host in [vector, nested, flat] {
        for kernel in [vector, nested, flat] {
            agree(host, kernel);
        }
    }
    // `[[f32; 4]; 1000]` is `float4 rows[1000]`. Its elements are not compared one by one.
    let vectors = array(of(16, vec![at(0, array(f32("v"), 4))]), 1000);
    let rows = at(0, array(f32("rows"), 4000));
    agree(of(16_000, vec![rows]), of(16_000, vec![at(0, vectors)]));
    agree(of(16_000, vec![at(0, vectors)]), of(16_000, vec![rows]));
    // A struct around one value matches the value.
    agree(of(4, vec![at(0, f32("meters"))]), of(4, vec![at(0, of(4, vec![at(0, f32("value"))]))]));
    // A Rust array is a struct around an array in C++.
    let host = field("s", "[f32; 3]", 12, 4, Class::Bytes, FLOAT.array(3));
    assert_eq!(first_difference(&host, &vector), None);
    // CUDA's vectors are recognized by name.
    let float4 = field("v", "Float4", 16, 16, Class::Bytes, CppType::named("float4"));
    let four = vec![at(0, f32("x")), at(4, f32("y")), at(8, f32("z")), at(12, f32("w"))];
    let with_types = float4.with_members(leak(four));
    agree(of(16, vec![at(0, float4)]), of(16, vec![at(0, with_types)]));
}

#[test]
fn padding_is_no_member_and_a_missing_member_is_one() {
    let kernel = of(16, vec![at(0, u8("kind")), at(8, f64("value"))]);
    agree(of(16, vec![at(0, u8("kind")), at(8, f64("value"))]), kernel);
    agree(of(16, vec![at(0, u8("kind")), at(1, array(u8("padding"), 7)), at(8, f64("value"))]), kernel);
    let host = of(16, vec![at(0, u8("kind")), at(4, array(u8("padding"), 8))]);
    differ(host, kernel, ("padding", "value"), Difference::Size);
    differ(of(16, vec![at(0, u8("kind"))]), kernel, ("", "value"), Difference::Offset);
    differ(of(16, vec![at(8, f64("value"))]), kernel, ("", "kind"), Difference::Offset);
    // Padding after the last member.
    let kernel = of(16, vec![at(0, f64("value")), at(8, u8("kind"))]);
    agree(of(16, vec![at(0, f64("value")), at(8, u8("kind")), at(9, u8("flag"))]), kernel);
}

#[test]
fn opaque_bytes_match_any_bytes() {
    let union = field("u", "U", 8, 4, Class::Bytes, CppType::named("U")).with_members(Members::opaque(Opaque::Union));
    let kernel = of(16, vec![at(0, union), at(8, f32("x")), at(12, i32("n"))]);
    let host = |first: Vec<Parameter<'static>>, last| of(16, [first, vec![at(8, f32("x")), at(12, last)]].concat());
    for first in [vec![at(0, f64("d"))], vec![at(0, i32("a")), at(4, f32("b"))], vec![at(0, i32("a"))]] {
        agree(host(first.clone(), i32("n")), kernel);
        differ(host(first, f32("n")), kernel, ("n", "n"), Difference::Class);
    }
    differ(host(vec![], i32("n")), kernel, ("", "u"), Difference::Offset);
}

#[test]
fn a_member_of_another_type_or_place_is_named_on_both_sides() {
    let inner = |last| of(8, vec![at(0, i32("id")), at(4, last)]);
    let outer = |inner: Parameter<'static>, count| {
        of(40, vec![at(0, array(Parameter { name: "cells", ..inner }, 4)), at(32, count)])
    };
    let kernel = outer(inner(f32("weight")), f64("total"));
    agree(outer(inner(f32("weight")), f64("sum")), kernel);
    differ(outer(inner(i32("weight")), f64("total")), kernel, ("cells.weight", "cells.weight"), Difference::Class);
    differ(outer(inner(u32("mass")), f64("total")), kernel, ("cells.mass", "cells.weight"), Difference::Class);
    differ(outer(inner(f32("weight")), usize("total")), kernel, ("total", "total"), Difference::Class);
    let unsigned = of(8, vec![at(0, u32("id")), at(4, f32("weight"))]);
    differ(unsigned, inner(f32("weight")), ("id", "id"), Difference::Signedness);
    let pointers = |cpp| of(8, vec![at(0, field("p", "P", 8, 8, Class::Pointer, cpp))]);
    differ(pointers(INT.pointer(false)), pointers(FLOAT.pointer(false)), ("p", "p"), Difference::Pointee);
    differ(pointers(INT.pointer(true)), pointers(INT.pointer(false)), ("p", "p"), Difference::Constness);
    // A type with unknown members is compared by name.
    let named = |name| of(8, vec![at(0, field("m", "M", 8, 4, Class::Bytes, CppType::named(name)))]);
    let with_types = of(8, vec![at(0, Parameter { name: "m", ..inner(f32("weight")) })]);
    agree(named("S"), with_types);
    differ(named("T"), with_types, ("m", "m"), Difference::Name);
    // Sizes.
    differ(of(8, vec![at(0, f64("a"))]), inner(f32("weight")), ("a", "id"), Difference::Size);
    let arrays = |element, count| of(12, vec![at(0, array(element, count))]);
    differ(arrays(u8("bytes"), 12), arrays(f32("v"), 3), ("bytes", "v"), Difference::Size);
}

/// A newtype matches its content, and a float matches a vector of one float.
#[test]
fn a_scalar_is_no_part_of_a_type_of_cuda_that_means_something_else() {
    let u16 = |name| field(name, "u16", 2, 2, Class::Integer, CppType::integer(false, 16));
    let mode = |name| {
        let variants = vec![Variant { name: "Fast", value: 1 }];
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
    // Inside structs, on either side.
    let weight = |name, cpp| wrapped(name, cpp, wrapped("value", "__half", u16("__x")));
    let f16 = field("value", "f16", 2, 2, Class::Float, CppType::named("__half"));
    let twice = wrapped("h", "Outer", wrapped("w", "Weight", f16));
    let named = wrapped("h", "__half", f16);
    for host in [wrapped("h", "Weight", f16), twice, named, weight("h", "Weight")] {
        agree(one(host), half("h"));
        agree(one(host), one(weight("h", "W")));
        agree(half("h"), one(weight("h", "W")));
    }
    let wrong = one(wrapped("h", "Weight", u16("bits")));
    differ(wrong, one(weight("h", "W")), ("h.bits", "h.value"), Difference::Class);
    let uchar1 = |name| one(wrapped(name, "uchar1", u8("x")));
    differ(one(mode("m")), uchar1("m"), ("m", "m"), Difference::Class);
    differ(uchar1("m"), one(mode("m")), ("m", "m"), Difference::Class);
    agree(one(u8("m")), uchar1("m"));
    agree(one(wrapped("m", "Flags", u8("bits"))), one(mode("m")));
    let float1 = one(wrapped("f", "float1", f32("x")));
    agree(one(f32("f")), float1);
    // Several at once.
    let several = |member: Parameter<'static>| of(4, vec![at(0, array(member, 2))]);
    let halves = several(wrapped("h", "__half", u16("__x")));
    differ(several(u16("h")), halves, ("h", "h"), Difference::Type);
}

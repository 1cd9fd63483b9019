//! Rust arrays, and the corresponding C++ structs around arrays.

use super::{super::sides::*, *};
use kernel_args_abi::check::{Report, report};

/// C++ has no arrays by value, so the type of the kernel's parameter is a struct. Only one element is compared:
/// comparing every element would take rustc half a minute for a field of some kilobytes.
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
    let host =
        |spelling, element: Parameter<'static>, length| Parameter { name: "v", spelling, ..array(element, length) };
    let kernel = |members| Parameter { name: "v", cpp: CppType::named("Vec"), ..of(12, members) };
    let fits = |host, kernel| {
        let differences = compare(&host, &kernel);
        assert!(differences.is_empty(), "{differences:?}");
    };
    for members in [xyz(), vec![at(0, array(f32("v"), 3))]] {
        fits(host("[f32; 3]", f32(""), 3), kernel(members.clone()));
        fits(host("[f32; 3]", f32(""), 3), Parameter { cpp: CppType::UNKNOWN, ..kernel(members) });
    }
    differ(host("[i32; 3]", i32(""), 3), kernel(xyz()), ("", "x"), Difference::Type);
    let args = [host("[i32; 3]", i32(""), 3)];
    let params = [kernel(xyz())];
    let (args, params) = (signature("A", args.to_vec().leak()), signature("k", params.to_vec().leak()));
    let report: Report = report(&args, &params);
    let message = report.field_message(0).unwrap();
    assert!(
        message
            .as_str()
            .contains("has `x` at byte 0 (float), this one has `v` at byte 0 (`[i32; 3]`): declare the members as"),
        "{}",
        message.as_str()
    );
    // An array with one element.
    let one = of(4, vec![at(0, array(f32("v"), 1))]);
    for other in [of(4, vec![at(0, f32("x"))]), one, of(4, vec![at(0, of(4, vec![at(0, f32("x"))]))])] {
        agree(one, other);
        agree(other, one);
    }
    differ(one, of(4, vec![at(0, i32("x"))]), ("v", "x"), Difference::Type);
    // Two exchanged arrays.
    let arrays =
        |names: [&'static str; 2]| of(24, vec![at(0, array(f32(names[0]), 3)), at(12, array(f32(names[1]), 3))]);
    differ(arrays(["b", "a"]), arrays(["a", "b"]), ("b", "a"), Difference::ParameterName);
    agree(arrays(["c", "a"]), arrays(["a", "b"]).with_members(Members::UNKNOWN));
}

/// `float m[2][3]` for `[2, 3]`.
fn of_lengths(name: &'static str, element: Parameter<'static>, lengths: &[u32]) -> Parameter<'static> {
    lengths.iter().rev().fold(Parameter { name, ..element }, |element, &length| array(element, length))
}

#[test]
fn dimensions_are_compared_in_the_order_of_cpp() {
    let m = |lengths: &[u32]| at(4, of_lengths("m", f32("m"), lengths));
    let flat = |lengths: &[u32]| of(28, vec![at(0, f32("first")), m(lengths)]);
    // In a struct in an array in a struct.
    let deep = |lengths: &[u32]| {
        let inner = Parameter { name: "inner", ..flat(lengths) };
        of(60, vec![at(0, i32("n")), at(4, array(inner, 2))])
    };
    for (host, kernel) in [
        (&[3, 2][..], &[2, 3][..]),
        (&[2, 3], &[3, 2]),
        (&[2, 3, 1], &[3, 2, 1]),
        (&[3, 1, 2], &[2, 3]),
        (&[2, 1, 3], &[3, 2]),
    ] {
        differ(flat(host), flat(kernel), ("m", "m"), Difference::Type);
        differ(deep(host), deep(kernel), ("inner.m", "inner.m"), Difference::Type);
        // A Rust array by value is a struct around an array.
        let around = of(24, vec![at(0, of_lengths("m", f32("m"), kernel))]);
        let own = of_lengths("v", f32("v"), host);
        differ(own, around, ("", "m"), Difference::Type);
    }
    for (host, kernel) in [
        (&[2, 3][..], &[2, 3][..]),
        // One dimension is a list of all elements.
        (&[6], &[2, 3]),
        (&[2, 3], &[6]),
        (&[2, 1, 3], &[2, 3]),
        (&[1, 2, 3], &[2, 3]),
        (&[6, 1], &[3, 2]),
    ] {
        agree(flat(host), flat(kernel));
        agree(deep(host), deep(kernel));
        let around = of(24, vec![at(0, of_lengths("m", f32("m"), kernel))]);
        agree(of_lengths("v", f32("v"), host), around);
    }
}

#[test]
fn more_dimensions_refine_the_dimensions_of_the_other_side() {
    let m = |lengths: &[u32]| {
        let bytes = 4 * lengths.iter().product::<u32>() as usize;
        of(bytes, vec![at(0, of_lengths("m", f32("m"), lengths))])
    };
    for (a, b) in [
        (&[2, 9][..], &[2, 3, 3][..]),
        (&[6, 4], &[2, 3, 4]),
        // The innermost of more than three dimensions are merged.
        (&[2, 3, 4, 5], &[2, 3, 20]),
        (&[2, 3, 4, 5], &[2, 60]),
    ] {
        agree(m(a), m(b));
        agree(m(b), m(a));
    }
    for (a, b) in [
        (&[4, 4][..], &[2, 8][..]),
        (&[4, 2], &[2, 4]),
        (&[2, 8], &[4, 2, 2]),
        (&[2, 3, 4], &[3, 2, 4]),
        (&[2, 3, 4], &[2, 4, 3]),
        (&[2, 3, 4, 5], &[3, 2, 4, 5]),
        (&[2, 3, 4, 5], &[3, 40]),
    ] {
        differ(m(a), m(b), ("m", "m"), Difference::Type);
        differ(m(b), m(a), ("m", "m"), Difference::Type);
    }
}

#[test]
fn dimensions_of_structs_and_vectors_are_compared_too() {
    let pair = || of(8, vec![at(0, f32("x")), at(4, f32("y"))]);
    let m = |lengths: &[u32]| of(48, vec![at(0, of_lengths("m", pair(), lengths))]);
    agree(m(&[2, 3]), m(&[2, 3]));
    agree(m(&[2, 3]), m(&[6]));
    differ(m(&[3, 2]), m(&[2, 3]), ("m", "m"), Difference::Type);
    let numbers = |lengths: &[u32]| of(48, vec![at(0, of_lengths("m", f32("m"), lengths))]);
    agree(m(&[2, 3]), numbers(&[2, 3, 2]));
    agree(numbers(&[2, 3, 2]), m(&[2, 3]));
    agree(m(&[2, 3]), numbers(&[2, 6]));
    differ(m(&[3, 2]), numbers(&[2, 3, 2]), ("m", "m"), Difference::Type);
    differ(numbers(&[3, 4]), m(&[2, 3]), ("m", "m"), Difference::Type);
}

#[test]
fn a_message_about_dimensions_shows_both_sides_and_the_repair() {
    let host = Parameter {
        spelling: "S",
        ..of(24, vec![Parameter { spelling: "[[f32; 2]; 3]", ..at(0, of_lengths("m", f32("m"), &[3, 2])) }])
    };
    let kernel = of(24, vec![at(0, of_lengths("m", f32("m"), &[2, 3]))]);
    let (args, params) = ([host], [kernel]);
    let (args, params) = (signature("A", args.to_vec().leak()), signature("k", params.to_vec().leak()));
    let report: Report = report(&args, &params);
    let message = report.field_message(0).unwrap();
    for part in ["`m` at byte 0 (float[2][3])", "`m` at byte 0 (`[[f32; 2]; 3]`)", "m: [[f32; 3]; 2]"] {
        assert!(message.as_str().contains(part), "{}", message.as_str());
    }
}

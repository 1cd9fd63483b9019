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
    // An array with one element.
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
    // Two exchanged arrays.
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

//! Variants of enums: each value that the host passes must exist in the kernel's enum under a matching name.

use super::sides::*;
use kernel_args_abi::{
    Class, CppType, Members, Parameter, Variant,
    check::{Difference, Report, compare, first_difference, first_variant, report},
};
use proptest::prelude::*;

fn variants(list: &[(&str, i128)]) -> Members<'static> {
    let list = list.iter().map(|&(name, value)| Variant { name: name.to_owned().leak(), value });
    Members::of_enum(list.collect::<Vec<_>>().leak(), None)
}

fn mode(size: usize, list: &[(&str, i128)]) -> Parameter<'static> {
    let cpp = CppType::named("Mode");
    field("mode", "Mode", size, size, Class::Integer, cpp).with_members(variants(list))
}

const KERNEL: [(&str, i128); 4] = [("Flat", -1), ("Smooth", 0), ("Fast", 4), ("Exact", 5)];

#[test]
fn the_kernels_enum_may_have_more_and_other_names() {
    for host in [&KERNEL[..], &[("Smooth", 0)], &[("Exact", 5), ("Flat", -1)], &[("Quick", 4), ("Slow", 5)]] {
        let (host, kernel) = (mode(4, host), mode(4, &KERNEL));
        assert_eq!(first_variant(&host, &kernel), None);
        assert!(compare(&host, &kernel).is_empty());
    }
    // Unknown variants match: integers, and enums that are only declared.
    for kernel in [mode(4, &[]), i32("mode")] {
        assert!(compare(&mode(4, &KERNEL), &kernel).is_empty());
        assert!(compare(&kernel, &mode(4, &KERNEL)).is_empty());
    }
}

/// In an enum of 1 byte, 255 equals -1: compilers write values as signed or as unsigned numbers.
#[test]
fn values_are_the_same_by_their_bits() {
    for (size, one, other) in [(1, 255, -1), (2, -2, 0xfffe), (8, u64::MAX.into(), -1), (16, -1, -1)] {
        let (host, kernel) = (mode(size, &[("A", one)]), mode(size, &[("A", other)]));
        assert!(compare(&host, &kernel).is_empty(), "{size}");
    }
    let (host, kernel) = (mode(2, &[("A", 255)]), mode(2, &[("A", -1)]));
    assert!(compare(&host, &kernel).contains(Difference::Variants));
}

/// Checks which of the kernel's variants is reported for the host's name.
#[track_caller]
fn check_name(host: (&str, i128), kernel: &[(&str, i128)], expected: Option<&str>) {
    let (host, kernel) = (mode(4, &[host]), mode(4, kernel));
    let found = first_variant(&host, &kernel);
    let found = found.map(|found| found.kernel.expect("one has the value").name);
    assert_eq!(found, expected, "{host:?} {kernel:?}");
    assert_eq!(compare(&host, &kernel).contains(Difference::Variants), expected.is_some());
}

#[test]
fn names_are_the_same_without_case_underscores_and_words_that_all_have() {
    for [one, other] in [
        ["fast_math", "slow_math"],
        ["FAST_MATH", "SLOW_MATH"],
        ["fastMath", "slowMath"],
        ["FastMath_", "SlowMath_"],
        ["MODE_FAST_MATH", "MODE_SLOW_MATH"],
        ["GPU_MODE_FAST_MATH", "GPU_MODE_SLOW_MATH"],
        ["kFastMath", "kSlowMath"],
        ["kFastMath", "kFullMath"],
        ["ModeFastMath", "ModeSlowMath"],
        ["Mode_fastMath", "Mode_slowMath"],
    ] {
        let kernel = [(one, 0), (other, 1)];
        for name in ["FastMath", "FAST_MATH", "fast_math", one] {
            check_name((name, 0), &kernel, None);
            check_name((name, 1), &kernel, Some(one));
        }
        // These are different names.
        for name in ["Fast", "Math", "Mode", "Quick", "astMath", "FastMath2", "_"] {
            check_name((name, 0), &kernel, None);
            check_name((name, 1), &kernel, None);
        }
    }
    // Whether a word begins after the prefix is different for each name, and the first name can end there.
    for first in ["kfast", "k"] {
        check_name(("Exact", 1), &[(first, 0), ("kExact", 1)], None);
        check_name(("Exact", 0), &[(first, 0), ("kExact", 1)], Some("kExact"));
    }
    // The prefix of a single variant is part of its name.
    check_name(("Fast", 1), &[("mode_fast", 0), ("slow", 1)], None);
    check_name(("Fast", 1), &[("mode_fast", 0), ("_", 1)], None);
    // The same name twice: an equal spelling or an equal value wins.
    check_name(("fast", 1), &[("Fast", 0), ("FAST", 1)], None);
    check_name(("fast", 2), &[("Fast", 0), ("FAST", 1), ("Slow", 2)], Some("Fast"));
    check_name(("FAST", 0), &[("Slow", 3), ("Fast", 0), ("FAST", 1)], Some("FAST"));
}

/// More variants than the index holds, in another order and spelling.
#[test]
fn variants_of_a_large_enum_are_found_at_any_position() {
    let named = |name: &str, values: std::ops::Range<i128>| -> Vec<(String, i128)> {
        values.map(|i| (format!("{name}{i}"), i)).collect()
    };
    let of = |list: &[(String, i128)]| {
        let list: Vec<_> = list.iter().map(|(name, value)| (&**name, *value)).collect();
        mode(4, &list)
    };
    let kernel = of(&named("MODE_FAST_", 0..5_000));
    let mut host = named("Fast", 0..5_000);
    host.reverse();
    assert_eq!(first_variant(&of(&host), &kernel), None);
    assert_eq!(first_variant(&of(&named("Other", 0..5_000)), &kernel), None);
    // `Fast500` has the value 4,000.
    host[4_499].1 = 4_000;
    let mismatch = first_variant(&of(&host), &kernel).and_then(|found| Some((found.host.name, found.kernel?)));
    let (host_name, named_so) = mismatch.expect("a mismatch");
    assert_eq!((host_name, named_so.name, named_so.value), ("Fast500", "MODE_FAST_500", 500));
    host[4_499].1 = 5_000;
    assert!(first_variant(&of(&host), &kernel).is_some());
    // Beyond the capacity of the index, nearby variants are found.
    for name in ["Fast", "MODE_FAST_"] {
        let mut host = named(name, 0..5_000);
        assert_eq!(first_variant(&of(&host), &kernel), None);
        host.swap(4_990, 4_940);
        assert_eq!(first_variant(&of(&host), &kernel), None);
        host[4_940].1 = 3;
        let variant = first_variant(&of(&host), &kernel).and_then(|found| found.kernel);
        assert_eq!(variant.map(|variant| variant.value), Some(4_990), "{name}");
    }
}

fn message(host: Parameter<'static>, kernel: Parameter<'static>) -> String {
    let (host, kernel): (&'static _, &'static _) = (vec![host].leak(), vec![kernel].leak());
    let (host, kernel) = (signature("Args", host), signature("shade", kernel));
    let report: Report<'_> = report(&host, &kernel);
    report.field_message(0).unwrap().as_str().to_owned()
}

/// Next to it is a parameter that could also be the enum's integer.
#[test]
fn a_variant_that_differs_is_no_sign_of_another_order() {
    let host = vec![i32("n"), mode(4, &[("Flat", 0)]), i32("m")].leak();
    let kernel = vec![i32("n"), mode(4, &KERNEL), i32("m")].leak();
    let (host, kernel) = (signature("Args", host), signature("shade", kernel));
    let report: Report<'_> = report(&host, &kernel);
    assert_eq!(report.mismatches().len(), 1);
    let message = report.field_message(1).unwrap();
    let text = message.as_str();
    assert!(text.contains("help: the kernel's enum has `Flat = -1`"), "{text}");
}

#[test]
fn a_variant_that_differs_is_named_on_both_sides() {
    let text = message(mode(4, &[("Flat", -1), ("Smooth", 1)]), mode(4, &KERNEL));
    assert!(
        text.contains("help: the kernel's enum has `Smooth = 0`, `Mode` has `Smooth = 1`: write the kernel's value; `#[kernel_args(opaque)]`"),
        "{text}"
    );
    let text = message(mode(4, &[("Slow", 0), ("Fast", 1)]), mode(4, &[("MODE_FAST", 0), ("MODE_SLOW", 1)]));
    assert!(
        text.contains("help: the kernel's enum has `MODE_SLOW = 1`, `Mode` has `Slow = 0`: write the kernel's value"),
        "{text}"
    );
    let text = message(mode(4, &[("Slow", 7)]), mode(4, &KERNEL));
    assert!(
        text.contains(
            "help: `Mode` has `Slow = 7`, a value that the kernel's enum does not have; it has `Flat = -1`, `Smooth = 0`, \
             `Fast = 4`, `Exact = 5`: write one of these values, or remove the variant; `#[kernel_args(opaque)]`"
        ),
        "{text}"
    );
}

/// In a struct, and in an array inside it.
#[test]
fn a_variant_of_a_member_is_named_with_the_member() {
    let of = |list, length| {
        let mode = mode(4, list);
        let modes = Parameter {
            name: "modes",
            size: 4 * length as usize,
            cpp: mode.cpp.array(length),
            class: Class::Bytes,
            offset: Some(4),
            ..mode
        };
        let first = Parameter { offset: Some(0), ..i32("n") };
        let members =
            Members::of(vec![first, if length == 0 { Parameter { offset: Some(4), ..mode } } else { modes }].leak());
        let size = 4 + 4 * length.max(1) as usize;
        field("s", "S", size, 4, Class::Bytes, CppType::named("S")).with_members(members)
    };
    for (length, name) in [(0, "mode"), (3, "modes")] {
        assert_eq!(first_difference(&of(&KERNEL[1..2], length), &of(&KERNEL, length)), None);
        let text = message(of(&[("Smooth", 3)], length), of(&KERNEL, length));
        let expected =
            format!("help: in `{name}` at byte 4: the kernel's enum has `Smooth = 0`, `Mode` has `Smooth = 3`");
        assert!(text.contains(&expected), "{text}");
    }
}

fn lists() -> impl Strategy<Value = Vec<(&'static str, i128)>> {
    let names = prop::sample::subsequence(vec!["A", "B", "C", "D", "E", "F"], 1..=6).prop_shuffle();
    names.prop_flat_map(|names| {
        let values = prop::collection::vec(-2i128..6, names.len());
        values.prop_map(move |values| names.iter().copied().zip(values).collect())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_000))]

    /// The rule, implemented with lists and sets.
    #[test]
    fn every_value_is_one_of_the_kernels_under_its_name(host in lists(), kernel in lists()) {
        let wrong = |&&(name, value): &&(&str, i128)| {
            match kernel.iter().find(|(other, _)| *other == name) {
                Some((_, other)) => *other != value,
                None => kernel.iter().all(|(_, other)| *other != value),
            }
        };
        let first = host.iter().find(wrong);
        let (own, kernel_type) = (mode(4, &host), mode(4, &kernel));
        let found = first_variant(&own, &kernel_type);
        prop_assert_eq!(found.map(|found| (found.host.name, found.host.value)), first.copied());
        if let Some(found) = found {
            let named = kernel.iter().find(|(name, _)| *name == found.host.name);
            prop_assert_eq!(found.kernel.map(|kernel| (kernel.name, kernel.value)), named.copied());
        }
        prop_assert_eq!(compare(&own, &kernel_type).contains(Difference::Variants), first.is_some());
    }

    /// The result does not depend on how the kernel spells its names.
    #[test]
    fn names_of_another_spelling_are_compared_alike(host in lists(), kernel in lists(), spelling in 0..4) {
        // The kernel has no name that is a prefix of another name.
        let spelled = |name: &str| match spelling {
            0 => format!("fast_{name}").to_lowercase(),
            1 => format!("MODE_FAST_{name}"),
            2 => format!("kFast{name}"),
            _ => format!("FAST_{name}_"),
        };
        let own: Vec<_> = host.iter().map(|(name, value)| (format!("Fast{name}"), *value)).collect();
        let variants: Vec<_> = kernel.iter().map(|(name, value)| (spelled(name), *value)).collect();
        let of = |list: &[(String, i128)]| {
            let list: Vec<_> = list.iter().map(|(name, value)| (&**name, *value)).collect();
            mode(4, &list)
        };
        let expected = first_variant(&mode(4, &host), &mode(4, &kernel));
        // The common prefix is ignored only if there are several names.
        prop_assume!(kernel.len() > 1 || !matches!(spelling, 1 | 2));
        let found = first_variant(&of(&own), &of(&variants));
        prop_assert_eq!(found.map(|found| found.host.name.to_owned()), expected.map(|found| format!("Fast{}", found.host.name)));
        prop_assert_eq!(
            found.and_then(|found| Some(found.kernel?.name.to_owned())),
            expected.and_then(|found| Some(spelled(found.kernel?.name)))
        );
    }
}

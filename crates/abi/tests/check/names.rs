//! Fields with the name of another parameter.

use super::sides::*;
use kernel_args_abi::check::{Difference, Mismatch, Report, report};
use kernel_args_abi::{CppType, Parameter};

/// A parameter as in PTX with debug information.
fn with_debug_info(name: &'static str, cpp: CppType<'static>) -> Parameter<'static> {
    let parameter = match cpp {
        cpp if cpp.is_pointer() => ptx_u64(),
        FLOAT => ptx_f32(),
        _ => ptx_u32(),
    };
    Parameter { name, cpp, ..parameter }
}

fn texts(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Vec<String> {
    let host = kernel_args_abi::Signature { name: "Args", parameters: host };
    let kernel = kernel_args_abi::Signature { name: "copy", parameters: kernel };
    let report: Report = report(&host, &kernel);
    let helps = report.mismatches().iter().map(|&mismatch| {
        let message = report.message(mismatch);
        message.as_str().split_once("help: ").unwrap().1.to_owned()
    });
    helps.collect()
}

#[test]
fn exchanged_fields_of_one_type_are_found_by_name() {
    let floats = FLOAT.pointer(false);
    let kernel = [with_debug_info("in", floats), with_debug_info("out", floats), with_debug_info("n", INT)];
    let host = |names: [&'static str; 3]| [slice_mut(names[0], FLOAT), slice_mut(names[1], FLOAT), i32(names[2])];
    assert_eq!(
        texts(&host(["out", "r#in", "n"]), &kernel),
        [
            "`out` is parameter 1 of the kernel, but here it is field 0: put the fields in the kernel's order; or, if this one is \
             the kernel's `in`, rename it to `r#in` or write `#[kernel_args(name = \"in\")]` on it",
            "`r#in` is parameter 0 of the kernel, but here it is field 1: put the fields in the kernel's order; or, if this one is \
             the kernel's `out`, rename it to `out` or write `#[kernel_args(name = \"out\")]` on it",
        ]
    );
    // Following the hints produces a correct struct.
    for names in [["r#in", "out", "n"], ["input", "output", "count"], ["r#in", "output", "n"], ["a", "in", "c"]] {
        let expected = usize::from(names[1] == "in");
        assert_eq!(texts(&host(names), &kernel).len(), expected, "{names:?}");
    }
}

/// `#[kernel_args(name = "in")]`.
#[test]
fn a_field_may_say_which_parameter_it_is() {
    let floats = FLOAT.pointer(false);
    let kernel = [with_debug_info("in", floats), with_debug_info("out", floats), with_debug_info("n", INT)];
    let fields = |names: [(&'static str, &'static str); 3]| {
        let [a, b, c] = names;
        [
            slice_mut(a.0, FLOAT).with_kernel_name(a.1),
            slice_mut(b.0, FLOAT).with_kernel_name(b.1),
            i32(c.0).with_kernel_name(c.1),
        ]
    };
    for right in [[("out", "in"), ("in", "out"), ("n", "")], [("x", "in"), ("y", ""), ("count", "n")]] {
        assert_eq!(texts(&fields(right), &kernel), [""; 0]);
    }
    for (wrong, text) in [
        (
            [("x", "out"), ("y", ""), ("n", "")],
            "`x` has `name = \"out\"`, which is parameter 1 of the kernel, but here it is field 0: put the fields in the kernel's \
             order, or write `#[kernel_args(name = \"in\")]` on it",
        ),
        // Independent of the type.
        (
            [("x", ""), ("y", "n"), ("n", "")],
            "`y` has `name = \"n\"`, which is parameter 2 of the kernel, but here it is field 1: put the fields in the kernel's \
             order, or write `#[kernel_args(name = \"out\")]` on it",
        ),
        (
            [("x", ""), ("y", "outt"), ("n", "")],
            "the kernel has no parameter `outt`; it has `in`, `out`, `n`: write `#[kernel_args(name = \"out\")]` on it",
        ),
    ] {
        assert_eq!(texts(&fields(wrong), &kernel), [text]);
    }
    // The kernel's names are unknown, or one parameter has no name.
    let host = fields([("x", "a"), ("y", "b"), ("n", "c")]);
    let unknown =
        [with_debug_info("k_param_0", floats), with_debug_info("k_param_1", floats), with_debug_info("", INT)];
    assert_eq!(texts(&host, &unknown), [""; 0]);
    let one = [with_debug_info("in", floats), with_debug_info("", floats), with_debug_info("n", INT)];
    let host = fields([("x", ""), ("y", "out"), ("n", "")]);
    assert_eq!(
        texts(&host, &one),
        ["the kernel has no parameter `out`; it has `in`, `n`: remove `name` from its `#[kernel_args(…)]`"]
    );
}

/// Three fields in a cycle are not an exchange: each message names the field's own place.
#[test]
fn moved_fields_of_one_type_are_found_by_name() {
    let kernel = ["a", "b", "c", "d"].map(|name| with_debug_info(name, FLOAT));
    let mut host = ["a", "c", "d", "b"].map(f32);
    let helps = texts(&host, &kernel);
    let starts = ["`c` is parameter 2", "`d` is parameter 3", "`b` is parameter 1"];
    assert_eq!(helps.len(), 3);
    for (help, start) in helps.iter().zip(starts) {
        assert!(help.starts_with(start), "{help}");
    }
    host[1..].rotate_right(1);
    assert_eq!(texts(&host, &kernel), [""; 0]);
}

/// If a type differs as well, an error about the names would repeat or contradict the error about the types.
#[test]
fn names_are_compared_only_where_all_types_fit() {
    let kernel = [with_debug_info("x", FLOAT), with_debug_info("y", FLOAT), with_debug_info("n", INT)];
    let helps = |host: &[Parameter<'static>]| texts(host, &kernel);
    assert_eq!(helps(&[f32("y"), f32("x"), i32("n")]).len(), 2);
    for host in [
        vec![f32("y"), f32("x"), f32("n")],
        vec![f32("y"), f32("x")],
        vec![f32("y"), i32("n"), f32("x")],
        vec![f32("y"), f32("x"), i32("n"), i32("m")],
    ] {
        let helps = helps(&host);
        assert!(!helps.is_empty());
        for help in helps {
            assert!(!help.contains("is parameter"), "{help}");
        }
    }
}

#[test]
fn a_name_of_a_parameter_of_another_type_is_no_mistake() {
    let kernel = [with_debug_info("a", INT), with_debug_info("b", FLOAT), with_debug_info("c", FLOAT.pointer(true))];
    let host = [i32("b"), f32("a"), slice("a", FLOAT)];
    assert_eq!(texts(&host, &kernel), [""; 0]);
}

#[test]
fn what_is_passed_by_several_parameters_of_one_name_is_no_mistake() {
    // A parameter pack.
    let kernel = [with_debug_info("ts", FLOAT), with_debug_info("ts", FLOAT), with_debug_info("n", FLOAT)];
    assert_eq!(texts(&[f32("ts"), f32("ts"), f32("n")], &kernel), [""; 0]);
    assert_eq!(texts(&[f32("first"), f32("second"), f32("third")], &kernel), [""; 0]);
}

/// Fields whose names have the form of PTX parameter names are not compared by name.
#[test]
fn names_that_ptx_made_are_not_compared() {
    let kernel = [with_debug_info("k_param_0", FLOAT), with_debug_info("k_param_1", FLOAT)];
    assert_eq!(texts(&[f32("k_param_1"), f32("k_param_0")], &kernel), [""; 0]);
    let kernel = [with_debug_info("param_0", FLOAT), with_debug_info("param_1", FLOAT)];
    assert_eq!(texts(&[f32("param_1"), f32("param_0")], &kernel).len(), 2);
}

#[test]
fn the_exchanged_fields_are_marked_as_one_mistake() {
    let kernel = [with_debug_info("a", FLOAT), with_debug_info("b", FLOAT)];
    let host = [f32("b"), f32("a")];
    let (host, kernel) = (signature("A", host.to_vec().leak()), signature("k", kernel.to_vec().leak()));
    let report: Report = report(&host, &kernel);
    for (i, mismatch) in report.mismatches().iter().enumerate() {
        let Mismatch::Differs { field, differences, exchanged, .. } = *mismatch else { panic!("{mismatch:?}") };
        assert_eq!((field, exchanged), (i, Some(1 - i)));
        assert!(differences.iter().eq([Difference::ParameterName]));
    }
    assert_eq!(report.total(), 2);
}

fn renamed(parameters: &[(&'static str, Parameter<'static>)]) -> Vec<Parameter<'static>> {
    parameters.iter().map(|(name, parameter)| Parameter { name, ..*parameter }).collect()
}

/// The hints of all mistakes.
fn hints(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Vec<String> {
    let (host, kernel) = (host.to_vec().leak(), kernel.to_vec().leak());
    let (host, kernel) = (signature("Host", host), signature("kernel", kernel));
    let report: Report<'_> = report(&host, &kernel);
    let help = |mismatch: &Mismatch| {
        let message = report.message(*mismatch);
        message.as_str().rsplit_once("\n  help: ").unwrap().1.to_owned()
    };
    report.mismatches().iter().map(help).collect()
}

/// Names come before types: `t` has a wrong type, `e` is missing.
#[test]
fn fields_are_paired_by_name_first() {
    let tagged = field("t", "", 16, 8, kernel_args_abi::Class::Bytes, CppType::named("Tagged"));
    let empty = field("e", "", 1, 1, kernel_args_abi::Class::Bytes, CppType::named("Empty"));
    let kernel = [tagged, empty, i32("n"), slice_mut("out", DOUBLE)];
    let host = [f64("t"), i32("n"), slice_mut("out", DOUBLE)];
    assert_eq!(
        hints(&host, &kernel),
        [
            "the kernel takes a struct or vector of 16 bytes, aligned to 8: declare `t: Tagged`",
            "add a field for it between `t` and `n`: `e: Empty`",
        ]
    );
}

/// `index` is at the wrong place and has a wrong type, `constant` is missing.
#[test]
fn a_field_of_a_wrong_type_is_moved_to_the_parameter_of_its_name() {
    let wide = field("constant", "", 16, 16, kernel_args_abi::Class::Bytes, CppType::integer(true, 128));
    let pointer = slice_mut("data", CppType::integer(true, 128));
    let kernel = [i32("index"), pointer, wide];
    let host = [pointer, renamed(&[("index", usize(""))])[0]];
    assert_eq!(
        hints(&host, &kernel),
        ["`data` and `index` look exchanged: swap them", "add a field for it after `index`: `constant: i128`",]
    );
}

/// The names are right, so the types are exchanged, not the fields.
#[test]
fn two_wrong_types_are_no_exchange_if_the_names_are_right() {
    let hints = hints(&[f32("a"), i32("b")], &renamed(&[("a", i32("")), ("b", f32(""))]));
    assert!(hints[0].contains("declare `a: i32`") && hints[1].contains("declare `b: f32`"), "{hints:?}");
}

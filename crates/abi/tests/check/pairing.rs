//! Which field is reported if lists of several fields differ.

use super::sides::*;
use kernel_args_abi::check::{Difference, Mismatch, Report, Selection, fits, report, report_at, select};
use kernel_args_abi::{Class, CppBase, CppType, Layout, ParamLayout, Parameter, Signature, Sm};

fn check(host: &[Parameter<'static>], kernel: &[Parameter<'static>]) -> Vec<Mismatch> {
    let host = Signature { name: "Host", parameters: host };
    let kernel = Signature { name: "kernel", parameters: kernel };
    let report: Report<'_, 64> = report(&host, &kernel);
    report.mismatches().to_vec()
}

fn fields() -> Vec<Parameter<'static>> {
    vec![u32("n"), f32("alpha"), slice("x", FLOAT), slice_mut("y", FLOAT), f64("beta"), u8("flag")]
}

/// A `void*` fits any pointer, so the fields would fit in another order too.
#[test]
fn a_wrong_pointee_behind_a_void_pointer_is_not_a_moved_field() {
    let void = slice("v", CppType::of(CppBase::Void));
    let x = slice("x", DOUBLE);
    let host = [u32("n"), void, x, slice("y", INT)];
    let [Mismatch::Differs { field: 3, parameter: 3, differences, .. }] = check(&host, &[u32("n"), void, x, x])[..]
    else {
        panic!("{:?}", check(&host, &[u32("n"), void, x, x]));
    };
    assert!(differences.contains(Difference::Pointee));
}

/// An enum fits an integer and an integer fits an enum, so the fields would fit in another order too.
#[test]
fn a_wrong_sign_before_an_enum_is_not_a_moved_field() {
    let color = field("e", "Color", 4, 4, Class::Integer, CppType::named("Color"));
    let host = [i32("i"), u32("n"), color];
    let found = check(&host, &[u32("i"), u32("n"), color]);
    let [Mismatch::Differs { field: 0, parameter: 0, differences, .. }] = found[..] else {
        panic!("{found:?}");
    };
    assert!(differences.contains(Difference::Signedness));
}

#[test]
fn a_missing_parameter_is_one_mistake() {
    for dropped in 0..6 {
        let mut host = fields();
        host.remove(dropped);
        let expected = Mismatch::Missing { parameter: dropped, before: dropped, moved: None };
        assert_eq!(check(&host, &fields()), [expected]);
    }
}

#[test]
fn a_field_too_many_is_one_mistake() {
    for added in 0..=6 {
        let mut host = fields();
        let v = field("v", "Float4", 16, 16, Class::Bytes, CppType::named("float4"));
        host.insert(added, v);
        assert_eq!(check(&host, &fields()), [Mismatch::Extra { field: added, moved: None }]);
    }
}

#[test]
fn of_equal_neighbours_the_last_is_missing() {
    let kernel = [ptx_u32(), ptx_u64(), ptx_u64(), ptx_u64()];
    let host = [u32("n"), slice("x", FLOAT), slice("y", FLOAT)];
    let expected = Mismatch::Missing { parameter: 3, before: 3, moved: None };
    assert_eq!(check(&host, &kernel), [expected]);
}

#[test]
fn exchanged_fields_are_recognised_near_and_far() {
    for (a, b) in [(0, 1), (1, 2), (0, 4), (1, 5), (2, 3), (4, 5)] {
        let mut host = fields();
        host.swap(a, b);
        let found = check(&host, &fields());
        let exchanged: Vec<_> = found
            .iter()
            .map(|mismatch| match mismatch {
                Mismatch::Differs { field, exchanged, .. } => (*field, *exchanged),
                other => panic!("{a} {b}: {other:?}"),
            })
            .collect();
        if (a, b) == (2, 3) {
            // `y` fits `float const*`, so only `x` is wrong: it is exchanged with `y`, or should be `&mut`.
            assert_eq!(exchanged, [(3, Some(2))]);
        } else {
            assert_eq!(exchanged, [(a, Some(b)), (b, Some(a))]);
        }
    }
}

#[test]
fn a_moved_field_is_recognised() {
    let mut host = fields();
    let moved = host.remove(4);
    host.insert(0, moved);
    assert_eq!(
        check(&host, &fields()),
        [Mismatch::Extra { field: 0, moved: Some(4) }, Mismatch::Missing { parameter: 4, before: 5, moved: Some(0) },]
    );
    let mut host = fields();
    let moved = host.remove(0);
    host.insert(4, moved);
    assert_eq!(
        check(&host, &fields()),
        [Mismatch::Missing { parameter: 0, before: 0, moved: Some(4) }, Mismatch::Extra { field: 4, moved: Some(0) },]
    );
}

#[test]
fn either_side_may_be_empty() {
    assert_eq!(check(&[], &[]), []);
    assert_eq!(check(&fields(), &[]).len(), 6);
    assert_eq!(check(&[], &fields()).len(), 6);
}

#[test]
fn an_alignment_that_only_offsets_show_is_reported_at_its_field_only() {
    let kernel =
        [u32("i"), field("v", "Float4", 16, 16, Class::Bytes, CppType::named("float4")), u32("c"), f64("d"), f32("e")];
    let mut host = kernel;
    host[1].align = kernel_args_abi::Alignment::new(4);
    let found = check(&host, &records(&kernel));
    assert!(
        matches!(found[..], [Mismatch::Differs { field: 1, differences, .. }] if differences.first() == Some(Difference::Offset)),
        "{found:?}"
    );
    assert_eq!(check(&kernel, &records(&kernel)), []);
    // At the beginning of the block every alignment results in the same offset, so nothing differs.
    let moved = [kernel[1], kernel[0]];
    assert_eq!(check(&[host[1], host[0]], &records(&moved)), []);
}

#[test]
fn alignments_above_16_follow_the_gpu() {
    let host = [field("map", "TensorMap", 128, 128, Class::Bytes, CppType::named("CUtensorMap")), slice("x", FLOAT)];
    let layouts = host.map(|field| Layout::new(field.size, field.align.unwrap()).unwrap());
    let host = Signature { name: "Host", parameters: &host };
    for sm in [80, 90, 100] {
        let (_, offsets) = ParamLayout::on(Sm(sm), &layouts).unwrap().unwrap();
        let kernel = [Parameter::record(offsets[0], 128), Parameter::record(offsets[1], 8)];
        let kernel = Signature { name: "kernel", parameters: &kernel };
        let base = Sm(sm).param_base(136);
        let right: Report = report_at(&host, &kernel, base);
        assert!(right.is_empty(), "sm_{sm}: {right:?}");
        let unknown: Report = report(&host, &kernel);
        assert!(unknown.is_empty(), "sm_{sm}: {unknown:?}");
        let wrong: Report = report_at(&host, &kernel, Some(base.unwrap() + 32));
        assert_eq!(wrong.total(), 1, "sm_{sm}");
    }
}

#[test]
fn long_lists_are_aligned_as_well() {
    let row = |i: usize| match i % 5 {
        0 => u32("n"),
        1 => slice("x", FLOAT),
        2 => f32("a"),
        3 => u8("b"),
        _ => f64("d"),
    };
    let kernel: Vec<_> = (0..512).map(row).collect();
    let mut host = kernel.clone();
    host.remove(400);
    host[250] = i32("m");
    host.insert(20, field("v", "Float4", 16, 16, Class::Bytes, CppType::UNKNOWN));
    let found = check(&host, &kernel);
    assert!(
        matches!(
            found[..],
            [
                Mismatch::Extra { field: 20, .. },
                Mismatch::Differs { field: 251, parameter: 250, .. },
                Mismatch::Missing { parameter: 400, .. },
            ]
        ),
        "{found:?}"
    );
}

#[test]
fn a_report_counts_what_it_does_not_keep() {
    let host = [f64("a"); 40];
    let kernel = [ptx_f32(); 40];
    let host = Signature { name: "Host", parameters: &host };
    let kernel = Signature { name: "kernel", parameters: &kernel };
    let report: Report<'_, 3> = report(&host, &kernel);
    assert_eq!((report.len(), report.total()), (3, 40));
}

#[test]
fn one_of_several_kernels_is_chosen() {
    const INT_KERNEL: Signature = signature("k<int>", &[u32("n")]);
    const FLOAT_KERNEL: Signature = signature("k<float>", &[f32("a")]);
    const TWO: Signature = signature("k", &[f32("a"), f32("b"), f32("c")]);
    const CHOSEN: Selection = select(&[f32("a")], &[INT_KERNEL, FLOAT_KERNEL, TWO]);
    assert_eq!(CHOSEN, Selection::One(1));
    assert_eq!(select(&[f64("a")], &[TWO, INT_KERNEL, FLOAT_KERNEL]), Selection::None);
    assert_eq!(select(&[f64("a")], &[]), Selection::None);
    assert_eq!(
        select(&[f32("a")], &[FLOAT_KERNEL, TWO, FLOAT_KERNEL, FLOAT_KERNEL]),
        Selection::Several { first: 0, second: 2, count: 3 }
    );
}

#[test]
fn the_overload_without_a_conversion_is_chosen() {
    const READS: Signature = signature("k", &[slice("x", FLOAT)]);
    const WRITES: Signature = signature("k", &[slice_mut("x", FLOAT)]);
    const VOID: Signature = signature("k", &[slice_mut("x", CppType::of(kernel_args_abi::CppBase::Void))]);
    assert_eq!(select(&[slice_mut("x", FLOAT)], &[READS, VOID, WRITES]), Selection::One(2));
    assert_eq!(select(&[slice("x", FLOAT)], &[WRITES, READS]), Selection::One(1));
    assert_eq!(select(&[slice_mut("x", FLOAT)], &[READS, VOID]), Selection::Several { first: 0, second: 1, count: 2 });
}

/// The longest list for a parameter block of 4,096 bytes, at compile time.
#[test]
fn five_hundred_fields_are_compared_while_compiling() {
    static HOST: [Parameter; 512] = [slice("x", CppType::named("sim::Params")); 512];
    static KERNEL: [Parameter; 512] = [with_cpp(ptx_u64(), CppType::named("sim::Params<float>").pointer(true)); 512];
    const FITS: bool = fits(&HOST, &KERNEL, None);
    const REPORT: Report = report(&signature("Host", &HOST), &signature("kernel", &KERNEL));
    assert!(FITS && REPORT.is_empty());
}

/// The most expensive alignment of two lists, at compile time.
#[test]
fn fields_that_all_differ_are_compared_while_compiling() {
    const fn named_slice(name: &'static str) -> Parameter<'static> {
        slice("x", CppType::named(name))
    }
    const HOST: [Parameter; 64] = [named_slice("sim::Params"); 64];
    const KERNEL: [Parameter; 64] = [named_slice("sim::Other<float>"); 64];
    const REPORT: Report<'static, 64> = report(&signature("Host", &HOST), &signature("kernel", &KERNEL));
    assert_eq!(REPORT.total(), 64);
}

/// The longest move of a field, at compile time.
#[test]
fn a_field_moved_over_all_others_is_found_while_compiling() {
    #[expect(clippy::large_stack_arrays, reason = "made while compiling")]
    const fn floats(at: usize) -> [Parameter<'static>; 512] {
        let mut fields = [slice("x", FLOAT); 512];
        fields[at] = u32("n");
        fields
    }
    static HOST: [Parameter; 512] = floats(0);
    static KERNEL: [Parameter; 512] = floats(511);
    const REPORT: Report = report(&signature("Host", &HOST), &signature("kernel", &KERNEL));
    assert_eq!(REPORT.mismatches()[0], Mismatch::Extra { field: 0, moved: Some(511) });
}

//! Pointers to arrays: `DevicePointer<[f32; 4]>` for `float (*)[4]`, and for the pointers that C++ programs pass
//! instead.

use super::sides::*;
use kernel_args_abi::{
    Class, CppBase, CppType, Parameter,
    check::{Difference, Report, compare, report},
};

/// A pointer to an array of these lengths, the outermost first.
fn to_array(element: CppType<'static>, lengths: &[u32]) -> CppType<'static> {
    lengths.iter().rev().fold(element, |element, &length| element.array(length)).pointer(false)
}

fn of(cpp: CppType<'static>) -> Parameter<'static> {
    field("p", "P", 8, 8, Class::Pointer, cpp)
}

#[track_caller]
fn fit(a: CppType<'static>, b: CppType<'static>) {
    for (host, kernel) in [(a, b), (b, a)] {
        let differences = compare(&of(host), &of(kernel));
        assert!(differences.is_empty(), "{host} for {kernel}: {differences:?}");
    }
}

#[track_caller]
fn differ(a: CppType<'static>, b: CppType<'static>) {
    for (host, kernel) in [(a, b), (b, a)] {
        let first = compare(&of(host), &of(kernel)).first();
        assert_eq!(first, Some(Difference::Pointee), "{host} for {kernel}");
    }
}

#[test]
fn a_pointer_to_an_array_is_no_pointer_to_anything() {
    let array = to_array(FLOAT, &[4]);
    let params = CppType::named("Params");
    for other in [INT, DOUBLE, UINT, CppType::named("__half")] {
        differ(array, other.pointer(false));
        differ(array, to_array(other, &[4]));
        differ(array.pointer(false), other.pointer(false).pointer(false));
    }
    for other in ["int4", "double2", "uchar4"] {
        differ(array, CppType::named(other).pointer(false));
    }
    differ(array, FLOAT.pointer(false).pointer(false));
    differ(to_array(params, &[4]), FLOAT.pointer(false));
    differ(to_array(FLOAT.pointer(false), &[2]), INT.pointer(false).pointer(false));
}

#[test]
fn what_can_be_the_same_memory_fits() {
    let array = to_array(FLOAT, &[4]);
    for other in [
        array,
        // A pointer to the first element.
        FLOAT.pointer(false),
        CppType::of(CppBase::Void).pointer(false),
        CppType::named("float4").pointer(false),
        CppType::named("float2").pointer(false),
        // Its members are unknown.
        CppType::named("Point").pointer(false),
        to_array(CppType::named("Point"), &[2]),
        CppType::of(CppBase::Unknown).pointer(false),
    ] {
        fit(array, other);
    }
    let half = CppType::named("__half");
    fit(to_array(half, &[2]), CppType::named("__half2").pointer(false));
    fit(to_array(FLOAT.pointer(false), &[2]), FLOAT.pointer(false).pointer(false));
    fit(to_array(FLOAT.pointer(false), &[2]), CppType::named("Pointers").pointer(false));
    fit(array.pointer(false), FLOAT.pointer(false).pointer(false));
}

#[test]
fn dimensions_behind_a_pointer_are_compared_in_the_order_of_cpp() {
    for (a, b) in
        [(&[4][..], &[3][..]), (&[2, 3], &[3, 2]), (&[3], &[3, 2]), (&[2, 3, 4], &[2, 4, 3]), (&[2, 3, 4], &[3, 2, 4])]
    {
        differ(to_array(FLOAT, a), to_array(FLOAT, b));
    }
    for (a, b) in [
        (&[2, 3][..], &[2, 3][..]),
        (&[3], &[2, 3]),
        (&[6], &[2, 3]),
        (&[1, 3], &[3]),
        (&[3, 1], &[3]),
        (&[1], &[3]),
        (&[2, 9], &[2, 3, 3]),
    ] {
        fit(to_array(FLOAT, a), to_array(FLOAT, b));
    }
}

#[test]
fn a_message_about_a_pointee_shows_both_sides_and_the_repair() {
    let host = Parameter { spelling: "DevicePointerMut<[f32; 3]>", ..of(to_array(FLOAT, &[3])) };
    let kernel = of(to_array(FLOAT, &[3, 4]));
    let (host, kernel) = (vec![host].leak(), vec![kernel].leak());
    let (host, kernel) = (signature("A", host), signature("k", kernel));
    let report: Report = report(&host, &kernel);
    let message = report.field_message(0).unwrap();
    for part in ["DevicePointerMut<[f32; 3]>", "float (*)[3] ", "float (*)[3][4]", "`p: &mut CudaSlice<[[f32; 4]; 3]>`"]
    {
        assert!(message.as_str().contains(part), "{}", message.as_str());
    }
}

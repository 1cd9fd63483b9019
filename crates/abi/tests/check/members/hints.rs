//! What a hint asks for can be written, and brings the program nearer to the kernel's struct.

use super::{
    super::{repairs::texts, sides::*},
    *,
};

/// The hint for a struct.
#[track_caller]
fn check(host: Parameter<'static>, kernel: Parameter<'static>, hint: &str) {
    let hints = texts(&[host], &[kernel]);
    assert!(hints[0].contains(hint), "{hints:?}");
}

fn aligned(structure: Parameter<'static>, align: usize) -> Parameter<'static> {
    Parameter { align: kernel_args_abi::Alignment::new(align), ..structure }
}

#[test]
fn padding_has_a_name_that_the_struct_does_not_have() {
    let padding = || Parameter { name: "_padding", ..array(u8(""), 4) };
    let kernel = || of(20, vec![at(0, f32("a")), at(8, u32("b")), at(16, u32("c"))]);
    let host = of(16, vec![at(0, f32("a")), at(4, padding()), at(8, u32("b")), at(12, u32("c"))]);
    check(host, kernel(), ": add `_padding_2: [u8; 4]` before `c`");
    let host = of(12, vec![at(0, f32("a")), at(4, u32("b")), at(8, u32("c"))]);
    check(host, kernel(), ": add `_padding: [u8; 4]` before `b`");
}

#[test]
fn padding_does_not_make_a_struct_too_large() {
    // The bits before it have no name, as bit fields have none.
    let kernel = of(12, vec![at(4, u32("address")), at(8, u32("length"))]);
    let host = of(12, vec![at(0, u32("address")), at(4, u32("bits")), at(8, u32("length"))]);
    check(host, kernel, ": exchange `address` and `bits`");
}

#[test]
fn a_member_that_the_kernel_does_not_have_is_removed_also_if_another_is_missing() {
    let kernel = of(12, vec![at(0, f32("x")), at(4, u32("kind")), at(8, f32("mass"))]);
    let host = of(12, vec![at(0, f32("x")), at(4, f32("y")), at(8, u32("kind"))]);
    check(host, kernel, ": remove `y`, which the kernel's struct does not have");
}

#[test]
fn an_array_of_structs_gets_the_length_of_the_kernels_in_the_programs_words() {
    let cell = of(8, vec![at(0, f32("x")), at(4, u32("kind"))]);
    let cells = |offset, length, spelling| at(offset, Parameter { name: "cells", spelling, ..array(cell, length) });
    let grid = |size, length, spelling| of(size, vec![cells(0, length, spelling), at(8 * length as usize, u32("n"))]);
    check(grid(28, 3, "[Small; 3]"), grid(20, 2, ""), ": declare `cells: [Small; 2]`");
    check(grid(12, 1, "[Small; 1]"), grid(20, 2, ""), ": declare `cells: [Small; 2]`");
}

#[test]
fn a_struct_that_is_a_member_of_the_kernels_is_not_put_into_itself() {
    let inner = of(8, vec![at(0, f32("x")), at(4, u32("n"))]);
    let inner = Parameter { spelling: "Inner", ..with_cpp(inner, CppType::named("Inner")) };
    let part = Parameter { name: "part", ..inner };
    let outer = of(12, vec![at(0, part), at(8, u32("n"))]);
    check(inner, with_cpp(outer, CppType::named("sim::Outer")), "12 bytes, aligned to 4: declare `s: Outer`");
}

#[test]
fn a_struct_that_only_its_alignment_makes_larger_is_aligned() {
    let own = |size, align| aligned(of(size, vec![at(0, f32("a")), at(4, u32("b"))]), align);
    let hint =
        "16 bytes, `S` has 8; the kernel aligns it to 16: if it is your struct, write `#[repr(C, align(16))]` on it";
    check(own(8, 4), own(16, 16), hint);
    check(own(32, 32), own(16, 16), "write `#[repr(C, align(16))]` on it");
    let more = of(16, vec![at(0, f32("a")), at(4, u32("b")), at(8, f64("c"))]);
    check(own(8, 4), aligned(more, 16), ": add `c: f64` at the end");
}

#[test]
fn the_sizes_of_two_structs_are_named_once() {
    let more = || of(12, vec![at(0, f32("a")), at(4, u32("b")), at(8, f32("extra"))]);
    let kernel = of(8, vec![at(0, f32("a")), at(4, u32("b"))]);
    let hint = "the kernel's struct has 8 bytes, `S` has 12: remove `extra`, which the kernel's struct does not have";
    assert_eq!(texts(&[more()], &[kernel]), [hint]);
}

#[test]
fn a_pointer_keeps_its_form() {
    let kernel = [with_cpp(ptx_u64(), FLOAT.pointer(true)), with_cpp(ptx_u64(), FLOAT.pointer(false))];
    let device = |name, spelling, cpp| field(name, spelling, 8, 8, Class::Pointer, cpp);
    let host = [
        device("x", "DevicePointer<f64>", DOUBLE.pointer(true)),
        device("y", "&'a CudaSlice<f32>", FLOAT.pointer(true)),
    ];
    let hints = texts(&host, &kernel);
    assert!(hints[0].contains("declare `x: DevicePointer<f32>`"), "{hints:?}");
    assert!(hints[1].contains("the kernel may write through it: declare `y: &'a mut CudaSlice<f32>`"), "{hints:?}");
    // A mutable pointer that becomes shared.
    let hints = texts(&[device("x", "&'a mut CudaSlice<f64>", DOUBLE.pointer(false))], &kernel[..1]);
    assert!(hints[0].contains("declare `x: &CudaSlice<f32>`"), "{hints:?}");
}

#[test]
fn a_narrowed_field_gets_another_type_for_its_parameter() {
    let narrowed = field("n", "usize as u64", 8, 8, Class::Integer, ULONGLONG);
    let hint = "`usize as u64` has 8 bytes, C's `int` has 4: write `as = u32` or `as = i32` in its `#[kernel_args(…)]`";
    assert_eq!(texts(&[narrowed], &[ptx_u32()]), [hint]);
    let hint = &texts(&[narrowed], &[ptx_f32()])[0];
    assert!(hint.ends_with("remove `as` from its `#[kernel_args(…)]`, and declare `n: f32`"), "{hint}");
}

#[test]
fn an_array_that_is_several_parameters_is_spread() {
    let shape = Parameter { name: "shape", spelling: "[u32; 2]", ..array(u32(""), 2) };
    let hint = "; or, if the next parameters are its other elements, write `#[kernel_args(spread)]` on it";
    let hints = texts(&[f64("a"), shape], &[ptx("p", "", 8, 8, Class::Float), ptx_u32(), ptx_u32()]);
    assert!(hints.iter().any(|text| text.ends_with(hint)), "{hints:?}");
}

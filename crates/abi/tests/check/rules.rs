//! Each rule of `compare`: one pair that differs, and similar pairs that fit.

use super::sides::*;
use kernel_args_abi::check::{Difference, Differences, compare};
use kernel_args_abi::signature::{ElementClass, Elements, Slot, SlotKind};
use kernel_args_abi::{Alignment, Body, Class, CppBase, CppType, Members, Opaque, Parameter};

const UNKNOWN: CppType = CppType::UNKNOWN;
const VOID: CppType = CppType::of(CppBase::Void);

fn unknown(size: usize) -> Parameter<'static> {
    Parameter::record(0, size)
}

fn value(cpp: CppType<'static>, size: usize, class: Class) -> Parameter<'static> {
    field("a", "A", size, size, class, cpp)
}

fn pointer(cpp: CppType<'static>) -> Parameter<'static> {
    assert!(cpp.is_pointer());
    value(cpp, 8, Class::Pointer)
}

/// A parameter from PTX and a mangled name. PTX marks no pointers.
fn kernel_pointer(cpp: CppType<'static>) -> Parameter<'static> {
    with_cpp(ptx_u64(), cpp)
}

fn named(name: &'static str, size: usize, align: usize) -> Parameter<'static> {
    field("a", "A", size, align, Class::Bytes, CppType::named(name))
}

#[track_caller]
fn fits(host: Parameter<'static>, kernel: Parameter<'static>) {
    assert_eq!(compare(&host, &kernel), Differences::NONE, "{host:?}\n{kernel:?}");
}

#[track_caller]
fn differs(host: Parameter<'static>, kernel: Parameter<'static>, expected: &[Difference]) {
    let found = compare(&host, &kernel);
    assert!(found.iter().eq(expected.iter().copied()), "{found:?}, expected {expected:?}\n{host:?}\n{kernel:?}");
}

#[test]
fn sizes() {
    fits(f64("a"), unknown(8));
    differs(f64("a"), unknown(4), &[Difference::Size]);
    differs(f64("a"), ptx_f32(), &[Difference::Size, Difference::Alignment]);
    differs(usize("a"), ptx_u32(), &[Difference::Size, Difference::Alignment]);
}

#[test]
fn alignments() {
    let floats = field("v", "[f32; 4]", 16, 4, Class::Bytes, UNKNOWN);
    differs(floats, ptx_bytes(16, 16), &[Difference::Alignment]);
    fits(floats, ptx_bytes(16, 4));
    fits(floats, unknown(16));
    fits(Parameter { align: None, ..floats }, ptx_bytes(16, 16));
}

#[test]
fn classes() {
    use Class::{Bits, Bytes, Float, Integer, Pointer, Unknown};
    let of = |class, size| value(UNKNOWN, size, class);
    for class in [Bits, Bytes, Float, Integer, Pointer, Unknown] {
        for (host, kernel) in [(class, class), (class, Unknown), (class, Bits), (Bits, class)] {
            fits(of(host, 8), of(kernel, 8));
        }
    }
    for (host, kernel) in [
        (Float, Integer),
        (Integer, Float),
        (Bytes, Integer),
        (Bytes, Float),
        (Bytes, Pointer),
        (Pointer, Float),
        (Float, Pointer),
    ] {
        differs(of(host, 8), of(kernel, 8), &[Difference::Class]);
    }
    fits(of(Pointer, 8), of(Integer, 8));
    let named = with_cpp(of(Bytes, 8), CppType::named("S"));
    for host in [Integer, Float, Pointer] {
        differs(of(host, 8), named, &[Difference::Class]);
    }
    differs(of(Integer, 8), of(Bits, 4), &[Difference::Size, Difference::Alignment]);
}

#[test]
fn a_marked_pointer_takes_an_unsigned_address_only() {
    let marked = ptx("p", ".param .u64 .ptr .global p", 8, 8, Class::Pointer);
    fits(usize("a"), marked);
    fits(value(UNKNOWN, 8, Class::Integer), marked);
    fits(slice("a", FLOAT), marked);
    let i64 = value(CppType::integer(true, 64), 8, Class::Integer);
    differs(i64, marked, &[Difference::Class]);
    fits(i64, ptx_u64());
}

#[test]
fn wide_integers_and_halves_are_bytes_in_ptx() {
    let i128 = value(CppType::integer(true, 128), 16, Class::Integer);
    fits(i128, ptx_bytes(16, 16));
    fits(i128, value(UNKNOWN, 16, Class::Bits));
    differs(i128, ptx_bytes(16, 8), &[Difference::Alignment]);
    let half = value(CppType::named("__half"), 2, Class::Float);
    fits(half, ptx_bytes(2, 2));
    fits(half, with_cpp(ptx_bytes(2, 2), CppType::named("__half")));
    fits(half, value(UNKNOWN, 2, Class::Bits));
    fits(half, value(UNKNOWN, 2, Class::Float));
    differs(half, value(UNKNOWN, 2, Class::Integer), &[Difference::Class]);
    differs(half, with_cpp(ptx_bytes(2, 2), CppType::named("__nv_bfloat16")), &[Difference::Name]);
    // A `u16` is not a half.
    let half = with_cpp(ptx_bytes(2, 2), CppType::named("__half"));
    let u16 = value(CppType::integer(false, 16), 2, Class::Integer);
    differs(u16, half, &[Difference::Class, Difference::Type]);
}

#[test]
fn a_scalar_that_is_a_grid_constant_is_bytes_in_ptx() {
    // If the kernel's name contains a scalar type, the parameter is not a struct.
    fits(f32("a"), with_cpp(ptx_bytes(4, 4), FLOAT));
    fits(slice("a", FLOAT), with_cpp(ptx_bytes(8, 8), FLOAT.pointer(true)));
    differs(u32("a"), with_cpp(ptx_bytes(4, 4), FLOAT), &[Difference::Type]);
    differs(f32("a"), with_cpp(ptx_bytes(4, 4), CppType::named("uchar4")), &[Difference::Class, Difference::Type]);
}

/// rustc and LLVM declare each struct and `static` as bytes, so bytes can be a struct of one number or pointer.
#[test]
fn bytes_without_a_type_take_every_type_of_their_size_and_alignment() {
    let unsigned = |bits: u16| value(CppType::integer(false, bits), usize::from(bits / 8), Class::Integer);
    let hosts = [
        unsigned(8),
        boolean("a"),
        unsigned(16),
        value(CppType::named("__half"), 2, Class::Float),
        u32("a"),
        f32("a"),
        f64("a"),
        usize("a"),
        slice("a", FLOAT),
        unsigned(128),
        named("float3", 12, 4),
        named("float4", 16, 16),
        named("S", 24, 8),
        value(UNKNOWN, 8, Class::Unknown),
    ];
    for host in hosts {
        let (size, align) = (host.size, host.align.unwrap().bytes());
        fits(host, ptx_bytes(size, align));
        differs(host, ptx_bytes(size, align * 2), &[Difference::Alignment]);
        differs(host, ptx_bytes(size * 2, align), &[Difference::Size]);
        if align > 1 {
            differs(host, ptx_bytes(size, align / 2), &[Difference::Alignment]);
        }
    }
    // A name, members or a union are more than bytes.
    let members = [f32("x")];
    for kernel in [
        with_cpp(ptx_bytes(4, 4), CppType::named("S")),
        Parameter { members: Members::of(&members), ..ptx_bytes(4, 4) },
        Parameter { members: Members::opaque(Opaque::Union), ..ptx_bytes(4, 4) },
    ] {
        assert!(compare(&u32("a"), &kernel).contains(Difference::Class), "{kernel:?}");
    }
}

/// Without debug information, the name of a vector determines its components.
#[test]
fn an_array_has_the_numbers_of_the_vector() {
    let vector = |name| named(name, 12, 4);
    let array = |base| field("a", "A", 12, 4, Class::Bytes, CppType::of(base).array(3));
    let (signed, unsigned) = (true, false);
    let float = array(CppBase::Float { bits: 32 });
    let integer = |signed| array(CppBase::Integer { signed, bits: 32 });
    fits(float, vector("float3"));
    fits(integer(signed), vector("int3"));
    fits(integer(unsigned), vector("dim3"));
    fits(float, vector("Floats3"));
    fits(array(CppBase::Unknown), vector("int3"));
    differs(float, vector("int3"), &[Difference::Type]);
    differs(float, vector("dim3"), &[Difference::Type]);
    differs(integer(signed), vector("float3"), &[Difference::Type]);
    differs(integer(signed), vector("uint3"), &[Difference::Type]);
    let longs = CppType::of(CppBase::Long { signed }).array(3);
    let longs = field("a", "A", 24, 8, Class::Bytes, longs);
    fits(longs, named("longlong3", 24, 8));
    differs(longs, named("double3", 24, 8), &[Difference::Type]);
}

#[test]
fn signedness() {
    fits(u32("a"), with_cpp(ptx_u32(), UINT));
    fits(i32("a"), with_cpp(ptx_u32(), INT));
    fits(i32("a"), ptx_u32());
    differs(u32("a"), with_cpp(ptx_u32(), INT), &[Difference::Signedness]);
    differs(i32("a"), with_cpp(ptx_u32(), UINT), &[Difference::Signedness]);
    differs(usize("a"), with_cpp(ptx_u32(), INT), &[Difference::Size, Difference::Alignment, Difference::Signedness]);
}

#[test]
fn long_is_as_wide_as_the_kernels_parameter() {
    let long = |signed| CppType::of(CppBase::Long { signed });
    fits(usize("a"), with_cpp(ptx_u64(), long(false)));
    fits(u32("a"), with_cpp(ptx_u32(), long(false)));
    differs(usize("a"), with_cpp(ptx_u64(), long(true)), &[Difference::Signedness]);
    let (wide, narrow) = if cfg!(windows) { (UINT, ULONGLONG) } else { (ULONGLONG, UINT) };
    let to_long = kernel_pointer(long(false).pointer(false));
    fits(pointer(wide.pointer(false)), to_long);
    // On Windows, kernels that were compiled on Linux are usual.
    if cfg!(windows) {
        fits(pointer(narrow.pointer(false)), to_long);
    } else {
        differs(pointer(narrow.pointer(false)), to_long, &[Difference::Pointee]);
    }
}

/// An image that was compiled on Windows is used on Linux, or the other way around.
#[test]
fn long_is_as_wide_as_on_the_system_of_the_image() {
    let long = CppType::of(CppBase::Long { signed: false }).pointer(false);
    let body = |class, size: u8, step| {
        let elements = Elements { class, is_computed: true, size, step };
        Body::of(vec![Slot { kind: SlotKind::Pointer, elements: Some(elements), ..Slot::at(0) }].leak())
    };
    for (bits, size) in [(32, 4), (64, 8)] {
        let slice = pointer(CppType::integer(false, bits).pointer(false));
        let shown = body(ElementClass::Integer, size, size.into());
        fits(slice, Parameter { body: shown, ..kernel_pointer(long) });
        let signed = pointer(CppType::integer(true, bits).pointer(false));
        differs(signed, Parameter { body: shown, ..kernel_pointer(long) }, &[Difference::Pointee]);
        if bits == 32 && !cfg!(windows) {
            // The step, or the class, does not show that an element is a `long`.
            for unclear in [body(ElementClass::Integer, size, 2), body(ElementClass::Unknown, size, size.into())] {
                differs(slice, Parameter { body: unclear, ..kernel_pointer(long) }, &[Difference::Pointee]);
            }
        }
    }
    for (name, size, align, vector, wrong) in [
        ("long2", 8, 8, "int2", "uint2"),
        ("long2", 16, 16, "longlong2", "ulonglong2"),
        ("ulong1", 4, 4, "uint1", "uint2"),
    ] {
        let of = |name| Parameter {
            align: Alignment::new(align),
            ..value(CppType::of(CppBase::Named(name)), size, Class::Bytes)
        };
        fits(of(vector), of(name));
        differs(of(wrong), of(name), &[Difference::Name]);
    }
}

/// C++'s `char` is a distinct type on every host: the same struct fits on x86 and on Arm.
#[test]
fn any_byte_matches_char() {
    let char = value(CppType::of(CppBase::Char), 1, Class::Integer);
    let byte = |signed| value(CppType::integer(signed, 8), 1, Class::Integer);
    fits(byte(true), char);
    fits(byte(false), char);
    fits(char, char);
    differs(byte(true), byte(false), &[Difference::Signedness]);
}

#[test]
fn bool_is_a_byte_that_c_converts_one_way() {
    fits(boolean("a"), boolean("k"));
    fits(boolean("a"), u8("k"));
    differs(u8("a"), boolean("k"), &[Difference::Type]);
    differs(boolean("a"), ptx_u32(), &[Difference::Size, Difference::Alignment]);
}

#[test]
fn pointer_or_value() {
    let to_float = kernel_pointer(FLOAT.pointer(false));
    fits(usize("a"), to_float);
    differs(value(CppType::integer(true, 64), 8, Class::Integer), to_float, &[Difference::Pointer]);
    differs(slice("a", FLOAT), with_cpp(ptx_u64(), ULONGLONG), &[Difference::Pointer]);
    fits(slice("a", FLOAT), ptx_u64());
    differs(f64("a"), to_float, &[Difference::Class, Difference::Pointer]);
}

#[test]
fn pointees() {
    let to_const_float = kernel_pointer(FLOAT.pointer(true));
    fits(slice("a", FLOAT), to_const_float);
    for other in [DOUBLE, INT, CppType::named("float4"), FLOAT.pointer(true)] {
        differs(slice("a", other), to_const_float, &[Difference::Pointee]);
        differs(slice("a", FLOAT), kernel_pointer(other.pointer(true)), &[Difference::Pointee]);
    }
    fits(slice("a", CppType::named("Params")), kernel_pointer(CppType::named("sim::Params<float>").pointer(true)));
    fits(slice("a", CppType::named("half")), kernel_pointer(CppType::named("__half").pointer(true)));
}

#[test]
fn void_matches_pointers_of_the_same_or_a_greater_depth() {
    let (void, deep) = (VOID.pointer(true), VOID.pointer(true).pointer(true));
    let (float, floats) = (FLOAT.pointer(true), FLOAT.pointer(true).pointer(true));
    for (host, kernel) in
        [(void, float), (float, void), (void, floats), (floats, void), (deep, floats), (void, deep), (deep, deep)]
    {
        fits(pointer(host), kernel_pointer(kernel));
    }
    differs(pointer(deep), kernel_pointer(float), &[Difference::Pointee]);
    differs(pointer(float), kernel_pointer(deep), &[Difference::Pointee]);
    differs(pointer(void), kernel_pointer(FLOAT.pointer(false)), &[Difference::Constness]);
    // A pointer to an unknown element type is still a pointer.
    let unknown = UNKNOWN.pointer(true);
    fits(pointer(unknown), kernel_pointer(float));
    fits(pointer(unknown), kernel_pointer(floats));
    differs(pointer(unknown), kernel_pointer(FLOAT.pointer(false)), &[Difference::Constness]);
    differs(pointer(unknown), with_cpp(ptx_u64(), ULONGLONG), &[Difference::Pointer]);
}

#[test]
fn constness_may_be_added_not_taken() {
    let to = |a: bool, b: bool| FLOAT.pointer(a).pointer(b);
    differs(pointer(FLOAT.pointer(true)), kernel_pointer(FLOAT.pointer(false)), &[Difference::Constness]);
    fits(pointer(FLOAT.pointer(false)), kernel_pointer(FLOAT.pointer(true)));
    differs(pointer(to(true, true)), kernel_pointer(to(false, true)), &[Difference::Constness]);
    differs(pointer(to(false, true)), kernel_pointer(to(false, false)), &[Difference::Constness]);
    fits(pointer(to(false, false)), kernel_pointer(to(false, true)));
}

#[test]
fn names() {
    let params = named("Params", 24, 8);
    fits(params, named("sim::Params<float>", 24, 8));
    fits(params, ptx_bytes(24, 8));
    differs(params, named("sim::Other", 24, 8), &[Difference::Name]);
    differs(named("a::Params", 24, 8), named("b::Params", 24, 8), &[Difference::Name]);
    fits(named("complex<float>", 8, 8), named("float2", 8, 8));
    differs(named("float4", 16, 16), named("int4", 16, 16), &[Difference::Name]);
}

#[test]
fn an_enum_is_its_integer() {
    let color = |class| value(CppType::named("Color"), 4, class);
    for class in [Class::Integer, Class::Unknown, Class::Bits] {
        fits(u32("a"), color(class));
        fits(i32("a"), color(class));
        differs(
            f32("a"),
            color(class),
            if class == Class::Integer { &[Difference::Class, Difference::Type] } else { &[Difference::Type] },
        );
    }
    differs(u32("a"), color(Class::Bytes), &[Difference::Class, Difference::Type]);
    fits(color(Class::Integer), with_cpp(ptx_u32(), UINT));
    differs(
        field("a", "A", 4, 4, Class::Bytes, CppType::named("Color")),
        with_cpp(unknown(4), UINT),
        &[Difference::Type],
    );
    // A vector is not an enum, for any class.
    differs(u32("a"), with_cpp(unknown(4), CppType::named("uchar4")), &[Difference::Type]);
}

#[test]
fn numbers_of_another_kind() {
    differs(u32("a"), with_cpp(unknown(4), FLOAT), &[Difference::Type]);
    differs(f32("a"), with_cpp(unknown(4), INT), &[Difference::Type]);
    differs(named("float2", 8, 8), with_cpp(unknown(8), DOUBLE), &[Difference::Type]);
    fits(f32("a"), with_cpp(unknown(4), UNKNOWN));
}

#[test]
fn an_opaque_field_is_compared_by_layout_alone() {
    let opaque = value(UNKNOWN, 8, Class::Unknown);
    for kernel in [kernel_pointer(FLOAT.pointer(false)), value(DOUBLE, 8, Class::Float), ptx_bytes(8, 8)] {
        fits(opaque, kernel);
    }
    differs(opaque, ptx_bytes(8, 4), &[Difference::Alignment]);
    differs(opaque, unknown(4), &[Difference::Size]);
    assert_eq!(Alignment::EIGHT, opaque.align.unwrap());
}

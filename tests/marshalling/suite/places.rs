//! The targets of the pointers in `kernelParams`: a value is not copied if the struct stores it in the form that the
//! kernel reads.

use kernel_args::{DevicePointer, DeviceType, KernelArg, KernelArgs, vector::Float4};
use kernel_args_marshalling_tests::params;
use std::ptr;

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Padded {
    small: u8,
    large: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Dense {
    one: u32,
    two: u32,
}

#[derive(KernelArgs)]
struct Args {
    number: u32,
    vector: Float4,
    dense: Dense,
    array: [Dense; 2],
    padded: Padded,
    padded_array: [Padded; 2],
    pointer: DevicePointer<u8>,
    optional: Option<DevicePointer<u8>>,
}

/// For each parameter, whether its pointer points to the field.
fn in_place(args: &mut Args) -> [bool; 8] {
    let fields = [
        ptr::from_ref(&args.number).cast::<u8>(),
        ptr::from_ref(&args.vector).cast(),
        ptr::from_ref(&args.dense).cast(),
        ptr::from_ref(&args.array).cast(),
        ptr::from_ref(&args.padded).cast(),
        ptr::from_ref(&args.padded_array).cast(),
        ptr::from_ref(&args.pointer).cast(),
        ptr::from_ref(&args.optional).cast(),
    ]
    .map(<*const u8>::addr);
    let whole = ptr::from_ref(args).addr()..ptr::from_ref(args).addr() + size_of::<Args>();
    args.with_kernel_params(|params| {
        std::array::from_fn(|i| {
            let at = params[i].addr();
            assert_eq!(
                at == fields[i],
                whole.contains(&at),
                "`{}` points into the struct, but at another field",
                Args::PARAMETERS[i].name
            );
            at == fields[i]
        })
    })
}

fn args() -> Args {
    let (dense, padded) = (Dense { one: 1, two: 2 }, Padded { small: 3, large: 4 });
    Args {
        number: 5,
        vector: Float4::new(1.0, 2.0, 3.0, 4.0),
        dense,
        array: [dense; 2],
        padded,
        padded_array: [padded; 2],
        pointer: DevicePointer::from_raw(6),
        optional: None,
    }
}

#[test]
fn pointers_point_to_plain_fields_and_to_copies_of_converted_fields() {
    let mut args = args();
    let copied = [false; 2];
    assert_eq!(in_place(&mut args), [true, true, true, true, copied[0], copied[1], true, false]);
}

#[test]
fn copies_are_apart_and_aligned() {
    let mut args = args();
    (&mut args).with_kernel_params(|params| {
        let copies = [4, 5, 7].map(|i| (params[i].addr(), Args::PARAMETERS[i].size));
        for (i, (at, size)) in copies.into_iter().enumerate() {
            for (other, other_size) in &copies[i + 1..] {
                assert!(at + size <= *other || other + other_size <= at);
            }
        }
    });
}

#[test]
fn every_call_reads_the_struct_as_it_is_then() {
    let mut args = args();
    let number = |args: &mut Args| params(args)[0].clone();
    assert_eq!(number(&mut args), 5_u32.to_ne_bytes());
    args.number = 7;
    assert_eq!(number(&mut args), 7_u32.to_ne_bytes());
}

/// Whether the packed buffer is the struct itself.
fn is_the_struct<A: KernelArgs>(args: &mut A) -> bool {
    let whole = ptr::from_ref(args).cast::<u8>();
    args.with_packed(|buffer| ptr::eq(buffer.as_ptr(), whole))
}

#[derive(KernelArgs)]
#[repr(C)]
struct Whole {
    pointer: DevicePointer<u8>,
    vector: [f32; 2],
    dense: Dense,
    last: u8,
    #[kernel_args(skip)]
    _label: &'static str,
}

/// A struct of values is not copied if its memory layout is equal to the kernel's parameters.
#[test]
fn a_struct_that_is_packed_itself_is_not_copied() {
    let mut whole = Whole {
        pointer: DevicePointer::NULL,
        vector: [1.0, -2.0],
        dense: Dense { one: 1, two: 2 },
        last: 3,
        _label: "no parameter",
    };
    assert!(is_the_struct(&mut whole));
    (&mut whole).with_packed(|buffer| {
        #[rustfmt::skip]
        assert_eq!(buffer, [
            0, 0, 0, 0, 0, 0, 0, 0,   0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0,
            1, 0, 0, 0, 2, 0, 0, 0,   3,
        ]);
    });
}

#[derive(KernelArgs)]
#[repr(C)]
struct Gap {
    small: u8,
    large: u32,
}

#[derive(KernelArgs)]
#[repr(C)]
struct PaddedWhole {
    padded: Padded,
}

#[derive(KernelArgs)]
#[repr(C)]
struct SkippedBefore {
    #[kernel_args(skip)]
    _not_passed: u32,
    value: u32,
}

#[derive(KernelArgs)]
#[repr(C)]
struct Lowered {
    optional: Option<DevicePointer<u8>>,
}

#[derive(KernelArgs)]
#[repr(C)]
struct Bounded<T: DeviceType> {
    value: T,
}

#[derive(KernelArgs)]
#[repr(C)]
struct Lowering<A: KernelArg> {
    value: A,
}

/// A copy is needed if there are bytes between the fields, if a field is not a plain value, or if the type of a field
/// is generic.
#[test]
fn any_other_struct_is_copied() {
    let padded = Padded { small: 1, large: 2 };
    assert!(!is_the_struct(&mut Gap { small: 1, large: 2 }));
    assert!(!is_the_struct(&mut PaddedWhole { padded }));
    assert!(!is_the_struct(&mut SkippedBefore { _not_passed: 1, value: 2 }));
    assert!(!is_the_struct(&mut Lowered { optional: None }));
    assert!(is_the_struct(&mut Bounded { value: 1_u64 }));
    assert!(!is_the_struct(&mut Bounded { value: padded }));
    assert!(!is_the_struct(&mut Lowering { value: 1_u64 }));
    SkippedBefore { _not_passed: 1, value: 2 }.with_packed(|buffer| assert_eq!(buffer, [2, 0, 0, 0]));
}

/// The order of the rustc layout counts, not the order of the fields.
#[test]
fn what_rustc_reorders_is_copied_in_order() {
    #[derive(KernelArgs)]
    struct Reordered {
        small: u8,
        large: u32,
        other: u8,
    }
    Reordered { small: 1, large: 2, other: 3 }.with_packed(|buffer| assert_eq!(buffer, [1, 0, 0, 0, 2, 0, 0, 0, 3]));
}

//! Where the pointers of the first form point: a value that stands in the struct as the kernel reads it is not copied.

use kernel_args::{DevicePointer, DeviceType, Float4, KernelArgs};
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

/// For each parameter, whether its pointer points at the field.
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
fn plain_fields_are_pointed_at_and_others_are_copied() {
    let mut args = args();
    let copied = [false; 2];
    assert_eq!(
        in_place(&mut args),
        [true, true, true, true, copied[0], copied[1], true, false]
    );
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

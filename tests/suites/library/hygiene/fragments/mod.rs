//! Derives inside of macros: each kind of fragment, nested macros, macros of another crate and edition.

#[macro_use]
mod exported;
mod used;

use kernel_args::{DeviceType, KernelArgs};
use std::marker::PhantomData;
use used::{
    Array, Both, Item, Lengths, Members, Mixed, MixedNested, Mode, Nested, Pair, Parts, Shadowed, Transparent,
    TupleArgs, TupleItem, TupleMembers, UnitItem, Variants,
};

fn packed(args: impl KernelArgs) -> Vec<u8> {
    args.with_packed(<[u8]>::to_vec)
}

#[test]
fn an_item_has_its_parameters() {
    let item = Item { first: 1, array: [2_u16, 3], pointer: None, label: "" };
    assert_eq!(packed(item), [[1, 0, 2, 0, 3, 0, 0, 0], [0; 8]].concat());
    let members = Members { small: 2, large: 3, bytes: [4; 4] };
    assert_eq!(packed(TupleItem(1, members)), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 4, 4, 4]);
    assert!(packed(UnitItem).is_empty());
    assert_eq!(packed(Nested { n: 5 }), [5, 0, 0, 0]);
    assert_eq!(Members::CPP, kernel_args::abi::CppType::named("sim::Members"));
    let shadowed = Shadowed { __stream: 1, __same: 2, this: 3, __to: 4 };
    assert_eq!(packed(shadowed), [1, 2, 3, 4]);
}

#[test]
fn parts_of_a_struct_are_its_parameters() {
    let parts = Parts { first: 1, of_parameter: Both { a: 2_u8, b: 3_u16 }, pointer: None, label: "" };
    let expected = [&[1, 0, 2, 0, 3, 0, 0, 0][..], &[0; 8]].concat();
    assert_eq!(packed(parts), expected);
    let own = Both { a: 2, b: 3 };
    let mixed = Mixed { hidden: 1, own, last: 4 };
    assert_eq!(packed(mixed), [1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4]);
    let nested = MixedNested { hidden: 1, own: [[2, 3], [4, 5]], last: 6 };
    assert_eq!(packed(nested), [1, 2, 3, 4, 5, 6]);
}

#[derive(KernelArgs)]
struct Devices {
    transparent: Transparent,
    pair: Pair<u8, u32, 3>,
    mode: Mode,
    variants: Variants,
}

#[test]
fn device_types_have_their_bytes() {
    let pair = Pair { a: [2, 3, 4], b: 5, marker: PhantomData };
    let devices = Devices { transparent: Transparent(1.0), pair, mode: Mode::Exact, variants: Variants::Two };
    let expected = [0, 0, 0x80, 0x3f, 2, 3, 4, 0, 5, 0, 0, 0, 2, 1, 2];
    assert_eq!(packed(devices), expected);
    let members = TupleMembers(1, Array([2, 3]), kernel_args::DevicePointer::NULL);
    let args = TupleArgs(4, Array([5, 6]), kernel_args::DevicePointer::NULL, members);
    let own = [4, 0, 5, 0, 6, 0, 0, 0];
    let inner = [1, 0, 2, 0, 3, 0, 0, 0];
    assert_eq!(packed(args), [own, [0; 8], inner, [0; 8]].concat());
}

#[test]
fn lengths_of_every_fragment_are_lengths() {
    let array = Array([7, 8]);
    let lengths = Lengths {
        expr: [1; 2],
        literal: [2; 2],
        block: [3; 2],
        path: [4; 2],
        tt: [5; 2],
        generic: array,
        generic_block: array,
        tuple: Array([array; 2]),
    };
    let own = [1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
    assert_eq!(packed(lengths), [&own[..], &[7, 8].repeat(4)].concat());
}

/// The patterns that a struct names.
fn entries<A: KernelArgs>() -> &'static [&'static str] {
    A::FAMILY.map_or(&[], |family| family.entries)
}

#[test]
fn attributes_of_every_fragment_name_their_kernel() {
    let entry = |source: Option<kernel_args::args::Source>| source.map(|source| source.entry);
    for source in [used::Named::SOURCE, used::ByImage::SOURCE, used::ByConcat::SOURCE, used::NestedKernel::SOURCE] {
        assert_eq!(entry(source), Some("saxpy"));
    }
    assert_eq!(entry(used::Typed::<f32>::SOURCE), Some("_Z5saxpyifPKfPf"));
    assert_eq!(entries::<used::Pattern<f64>>(), ["saxpy<*>"]);
    assert_eq!(entries::<used::Family<f64>>(), ["saxpy<*>"]);
    assert_eq!(entries::<used::OfLength<4>>(), ["saxpy<float>"]);
    assert_eq!(used::Defined::PARAMETERS[1].offset, Some(2));
}

//! Both forms contain the bytes that the kernel must receive according to the generator. No driver is needed: Miri runs
//! it.

use crate::arguments::{heap::allocations, lists::List};
use kernel_args::{
    ArgList, DevicePointer, DeviceType, KernelArg, TensorMap,
    args::{Guard, LaunchStream},
    error::PackError,
    vector::Float4,
};
use proptest::prelude::*;
use std::{cell::Cell, panic::AssertUnwindSafe, slice};

/// The bytes behind each pointer of `kernelParams`.
fn params(arguments: &mut ArgList<'_>, values: &[Vec<u8>]) -> Vec<Vec<u8>> {
    arguments.with_kernel_params(|params| {
        assert_eq!(params.len(), values.len());
        let bytes = params.iter().zip(values).map(|(&from, value)| {
            // SAFETY: each pointer is valid for the size of its parameter, whose bytes are all initialized.
            unsafe { slice::from_raw_parts(from.cast::<u8>(), value.len()) }.to_vec()
        });
        bytes.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if cfg!(miri) { 4 } else { 256 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_forms_have_the_layout_of_c(seed: u64, len in 0..150_usize, over_aligned: bool) {
        let mut list = List::random(seed, len, over_aligned);
        // Moving a list does not change it.
        let mut moved = Box::new(std::mem::take(&mut list.arguments));
        prop_assert_eq!(moved.len(), len);
        prop_assert_eq!(params(&mut moved, &list.values), list.values.clone());
        let packed = moved.with_packed(<[u8]>::to_vec);
        if list.is_over_aligned() {
            prop_assert_eq!(packed, Err(PackError::DependsOnGpu));
        } else {
            prop_assert_eq!(packed, Ok(list.block()));
        }
        // Marshaling does not consume a list.
        prop_assert_eq!(params(&mut moved, &list.values), list.values);
    }
}

/// 64 references, pointers, numbers and vectors.
fn push_64<'a>(arguments: &mut ArgList<'a>, counted: &'a Cell<u32>) {
    for i in 0..16_u32 {
        arguments
            .push(i)
            .push(Float4::new(1.0, 2.0, 3.0, 4.0))
            .push(DevicePointer::<f32>::from_raw(8))
            .push(Counted(counted));
    }
}

/// A reference to a value of the program.
struct Counted<'a>(&'a Cell<u32>);

impl KernelArg for Counted<'_> {
    type Device = u64;

    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (u64, Guard<'s>) {
        self.0.set(self.0.get() + 1);
        (5, Guard::NONE)
    }
}

#[test]
fn a_list_of_64_takes_nothing_from_the_heap() {
    let counted = Cell::new(0);
    let (count, sizes) = allocations(|| {
        let mut arguments = ArgList::new();
        push_64(&mut arguments, &counted);
        let params = arguments.with_kernel_params(|params| params.len());
        let packed = arguments.with_packed(<[u8]>::len).expect("it can be packed");
        arguments.clear();
        push_64(&mut arguments, &counted);
        (arguments.len(), params, packed)
    });
    assert_eq!((count, sizes), (0, (64, 64, 16 * 48)));
    assert_eq!(counted.get(), 2 * 16);
}

/// Counts its live instances.
struct Alive<'c>(&'c Cell<i32>, u8);

impl<'c> Alive<'c> {
    fn new(count: &'c Cell<i32>, value: u8) -> Self {
        count.set(count.get() + 1);
        Self(count, value)
    }
}

impl Drop for Alive<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
        assert!(self.1 != BOMB, "a drop that panics");
    }
}

const BOMB: u8 = 250;

impl KernelArg for Alive<'_> {
    type Device = u8;

    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (u8, Guard<'s>) {
        (self.1, Guard::NONE)
    }
}

#[test]
fn every_argument_is_dropped_once() {
    for len in [0, 1, 63, 64, 65, 200] {
        let count = Cell::new(0);
        let mut arguments = ArgList::new();
        for i in 0..len {
            arguments.push(Alive::new(&count, i));
        }
        assert_eq!(count.get(), i32::from(len));
        let packed = arguments.with_packed(<[u8]>::to_vec);
        assert_eq!(packed, Ok((0..len).collect()));
        arguments.clear();
        assert_eq!((count.get(), arguments.len()), (0, 0));
        arguments.push(Alive::new(&count, 1)).push(Alive::new(&count, 2));
        drop(arguments);
        assert_eq!(count.get(), 0);
    }
}

#[test]
fn a_drop_that_panics_drops_no_argument_twice() {
    let count = Cell::new(0);
    let mut arguments = ArgList::new();
    for value in [1, BOMB, 3] {
        arguments.push(Alive::new(&count, value));
    }
    let cleared = std::panic::catch_unwind(AssertUnwindSafe(|| arguments.clear()));
    assert!(cleared.is_err());
    assert!(arguments.is_empty());
    // The argument after the one that panicked is forgotten; it is not dropped when a new argument replaces it.
    assert_eq!(count.get(), 1);
    arguments.push(Alive::new(&count, 4));
    assert_eq!(arguments.with_packed(<[u8]>::to_vec), Ok(vec![4]));
    drop(arguments);
    assert_eq!(count.get(), 1);
}

/// A by-value struct with padding.
#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Padded {
    x: u8,
    y: u32,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Large {
    values: [u32; 1000],
}

#[test]
fn padding_is_zero_and_large_values_are_held() {
    let mut arguments = ArgList::new();
    let mut values = [0; 1000];
    values[999] = 0x0102_0304;
    arguments.push(Padded { x: 1, y: 2 }).push(Large { values }).push(9_u8);
    let packed = arguments.with_packed(<[u8]>::to_vec).expect("it can be packed");
    assert_eq!(packed[..8], [1, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(packed[8 + 3996..], [4, 3, 2, 1, 9]);
    arguments.push(TensorMap([7; 16]));
    let (map, count) = arguments.with_kernel_params(|params| {
        let map = params[3].cast::<[u64; 16]>();
        // SAFETY: the pointer is to the 128 bytes of the map.
        let map = unsafe { map.read_unaligned() };
        (map, params.len())
    });
    assert_eq!((map, count), ([7; 16], 4));
}

#[test]
fn a_list_names_its_types() {
    let counted = Cell::new(0);
    let mut arguments = ArgList::new();
    arguments.push(1_u32).push(DevicePointer::<f32>::NULL).push(Counted(&counted));
    assert_eq!(format!("{arguments:?}"), "ArgList[u32, DevicePointer<f32>, Counted]");
}

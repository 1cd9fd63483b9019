//! Panics in every place where the library calls user code, and nested calls. Run under Miri, these tests detect use
//! after free, double free, and references that outlive their targets.

use kernel_args::{
    DeviceType, KernelArg, KernelArgs,
    args::{Guard, LaunchStream},
};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind},
};

#[derive(Clone, Copy, Debug, PartialEq, DeviceType)]
#[repr(C)]
struct Padded {
    small: u8,
    large: u32,
}

const PADDED: Padded = Padded { small: 1, large: 2 };

/// A value on the heap that is passed by value. It panics at the selected step.
struct Boxed<'c> {
    value: Box<Padded>,
    panics: Option<Place>,
    dropped: &'c Cell<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Place {
    Lower,
    Drop,
}

impl KernelArg for Boxed<'_> {
    type Device = Padded;

    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (Padded, Guard<'s>) {
        assert!(self.panics != Some(Place::Lower), "in `lower`");
        (*self.value, Guard::NONE)
    }
}

impl Drop for Boxed<'_> {
    fn drop(&mut self) {
        self.dropped.set(self.dropped.get() + 1);
        assert!(self.panics != Some(Place::Drop), "in `drop`");
    }
}

/// The code that the derive writes for a struct without type parameters.
#[derive(KernelArgs)]
struct Plain<'c> {
    first: Boxed<'c>,
    n: u8,
    second: Boxed<'c>,
    #[kernel_args(skip)]
    _skipped: Boxed<'c>,
}

/// The code that the derive writes for a generic struct.
#[derive(KernelArgs)]
struct Generic<'c, T, const N: usize> {
    values: [T; N],
    first: Boxed<'c>,
    second: Boxed<'c>,
}

/// Each way to marshal `args`, with `call` while the parameters are valid.
fn each_way<A: KernelArgs>(args: impl Fn() -> A, call: impl Fn()) -> usize {
    let offsets: Vec<usize> = A::PARAMETERS.iter().filter_map(|p| p.offset).collect();
    let ways: [&dyn Fn(); 6] = [
        &|| args().with_kernel_params(|_| call()),
        &|| args().with_packed(|_| call()),
        &|| args().with_arguments(|_| call()),
        &|| (&mut args()).with_kernel_params(|_| call()),
        &|| (&mut args()).with_packed(|_| call()),
        &|| {
            let mut buffer = vec![0xff; A::LAYOUT.size()];
            let packed = args().pack_at(&offsets, &mut buffer);
            assert_eq!(packed.map(<[u8]>::len), Ok(A::LAYOUT.size()));
            call();
        },
    ];
    ways.iter().filter(|way| catch_unwind(AssertUnwindSafe(way)).is_err()).count()
}

/// The number of panics in six ways to marshal, and the number of dropped arguments.
fn plain(panics: [Option<Place>; 3], call: impl Fn()) -> (usize, usize) {
    let dropped = Cell::new(0);
    let boxed = |i: usize| Boxed { value: Box::new(PADDED), panics: panics[i], dropped: &dropped };
    let args = || Plain { first: boxed(0), n: 3, second: boxed(1), _skipped: boxed(2) };
    (each_way(args, call), dropped.get())
}

#[test]
fn a_panic_in_lower_drops_each_argument_once() {
    let lower = Some(Place::Lower);
    assert_eq!(plain([None; 3], || ()), (0, 18));
    assert_eq!(plain([lower, None, None], || ()), (6, 18));
    assert_eq!(plain([None, lower, None], || ()), (6, 18));
    assert_eq!(plain([None, None, lower], || ()), (0, 18), "a skipped field is not lowered");
}

#[test]
fn a_panic_in_the_launch_drops_each_argument_once() {
    assert_eq!(plain([None; 3], || panic!("in the launch")), (6, 18));
}

#[test]
fn a_panic_in_drop_drops_the_other_arguments() {
    let drop = Some(Place::Drop);
    assert_eq!(plain([drop, None, None], || ()), (6, 18));
    assert_eq!(plain([None, None, drop], || ()), (6, 18));
}

#[test]
fn a_generic_struct_drops_each_argument_once() {
    let dropped = Cell::new(0);
    let args = |panics| {
        let boxed = |panics| Boxed { value: Box::new(PADDED), panics, dropped: &dropped };
        Generic { values: [PADDED; 3], first: boxed(None), second: boxed(panics) }
    };
    assert_eq!(each_way(|| args(None), || ()), 0);
    assert_eq!(each_way(|| args(Some(Place::Lower)), || ()), 6);
    assert_eq!(each_way(|| args(None), || panic!("in the launch")), 6);
    assert_eq!(dropped.get(), 3 * 6 * 2);
}

#[test]
fn after_a_panic_the_same_struct_is_marshalled_again() {
    let dropped = Cell::new(0);
    let boxed = |panics| Boxed { value: Box::new(PADDED), panics, dropped: &dropped };
    let mut args = Generic { values: [7_u8], first: boxed(None), second: boxed(Some(Place::Lower)) };
    let packed =
        |args: &mut Generic<'_, u8, 1>| catch_unwind(AssertUnwindSafe(|| args.with_packed(<[u8]>::to_vec))).ok();
    assert_eq!(packed(&mut args), None);
    args.second.panics = None;
    let padded = [1, 0, 0, 0, 2, 0, 0, 0];
    let expected = [&[7, 0, 0, 0][..], &padded, &padded].concat();
    assert_eq!(packed(&mut args), Some(expected));
    assert_eq!(dropped.get(), 0);
}

/// An argument that marshals other arguments during its conversion.
struct Nested(u32);

impl KernelArg for Nested {
    type Device = u32;

    fn lower<'s>(&'s mut self, _: &'s LaunchStream<'_>) -> (u32, Guard<'s>) {
        let Some(less) = self.0.checked_sub(1) else {
            return (0, Guard::NONE);
        };
        let inner = Inner { padded: PADDED, nested: Nested(less) };
        let value = inner.with_packed(|bytes| {
            let value = bytes[8..].try_into().map(u32::from_ne_bytes);
            value.expect("a `u32` is four bytes")
        });
        (value + 1, Guard::NONE)
    }
}

#[derive(KernelArgs)]
struct Inner {
    padded: Padded,
    nested: Nested,
}

#[test]
fn an_argument_marshals_nested_arguments_during_its_conversion() {
    let inner = Inner { padded: PADDED, nested: Nested(5) };
    inner.with_packed(|bytes| assert_eq!(bytes, [1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0]));
}

#[derive(Clone, Copy, KernelArgs)]
struct Values {
    padded: Padded,
    n: u8,
}

/// `params` points to a `Padded` and a `u8`.
fn read(params: &[*mut std::ffi::c_void]) -> (Padded, u8) {
    // SAFETY: these are the pointers of `Values`, inside the call that made them.
    let padded = unsafe { params[0].cast::<Padded>().read_unaligned() };
    // SAFETY: these are the pointers of `Values`, inside the call that made them.
    (padded, unsafe { params[1].cast::<u8>().read() })
}

#[test]
fn the_parameters_of_a_call_survive_the_calls_inside_of_it() {
    let values = |n| Values { padded: PADDED, n };
    let mut outer = values(1);
    (&mut outer).with_kernel_params(|params| {
        values(2).with_packed(|bytes| {
            values(3).with_kernel_params(|inner| {
                assert_eq!(read(inner), (PADDED, 3));
                // The kernel may write to its copy of the pointers.
                inner.fill(std::ptr::null_mut());
            });
            let panicked = catch_unwind(|| values(4).with_arguments(|_| panic!("in the launch")));
            assert!(panicked.is_err());
            assert_eq!(bytes, [1, 0, 0, 0, 2, 0, 0, 0, 2]);
        });
        assert_eq!(read(params), (PADDED, 1));
    });
    assert_eq!(outer.n, 1);
}

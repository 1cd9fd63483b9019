//! Lifetimes, type and const parameters, with bounds, defaults and `where` clauses.

use core::marker::PhantomData;
use cudarc::driver::CudaSlice;
use kernel_args::{DevicePointer, DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Box3<T = f32, const N: usize = 3>
where
    T: PartialOrd,
{
    low: [T; N],
    high: [T; N],
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Tagged<T> {
    value: u32,
    tag: PhantomData<T>,
}

#[derive(KernelArgs)]
struct Bounded<'a, 'b: 'a, T: 'b + PartialOrd, const N: usize = 2>
where
    T: Clone + Sync,
    [T; N]: Sized,
    for<'c> &'c T: PartialEq,
{
    boxed: Box3<T, N>,
    data: Option<&'a CudaSlice<T>>,
    again: Option<&'b CudaSlice<T>>,
}

#[derive(KernelArgs)]
struct Defaulted<T: DeviceType = u16, const N: usize = 2>([T; N]);

/// No field that the kernel receives uses the parameter: it need not be a device type.
#[derive(KernelArgs)]
struct Marked<'a, T: ?Sized> {
    n: Tagged<char>,
    #[kernel_args(skip)]
    marker: PhantomData<&'a T>,
}

/// A user-defined type around a parameter.
#[derive(KernelArgs)]
struct Nested<T: DeviceType> {
    pointer: DevicePointer<Box3<f32>>,
    tagged: Tagged<T>,
    wrapped: core::num::Wrapping<T>,
}

trait Precision {
    type Real: DeviceType;
}
enum Single {}
impl Precision for Single {
    type Real = f32;
}

#[derive(KernelArgs)]
struct Projected<P: Precision + 'static>
where
    P: DeviceType,
{
    precision: P,
    real: P::Real,
}

#[derive(KernelArgs)]
struct Associated {
    real: <Single as Precision>::Real,
}

/// Marshals a struct of which only the trait is known.
fn size<A: KernelArgs>(args: A) -> usize {
    args.with_kernel_params(|params| params.len()) * 1000 + A::LAYOUT.size()
}

#[test]
fn parameters_of_all_kinds_are_carried_over() {
    let boxed = Box3 { low: [1_u16, 2], high: [3, 4] };
    let bounded = Bounded { boxed, data: None, again: None };
    assert_eq!(size(bounded), 3024);
    let defaulted: Defaulted = Defaulted([1, 2]);
    assert_eq!(size(defaulted), 1004);
    let marked: Marked<'_, str> = Marked { n: Tagged { value: 7, tag: PhantomData }, marker: PhantomData };
    marked.with_packed(|buffer| assert_eq!(buffer, [7, 0, 0, 0]));
    let nested = Nested {
        pointer: DevicePointer::NULL,
        tagged: Tagged { value: 1, tag: PhantomData::<u8> },
        wrapped: core::num::Wrapping(2_u8),
    };
    assert_eq!(size(nested), 3013);
    assert_eq!(size(Associated { real: 1.0 }), 1004);
}

impl Precision for u8 {
    type Real = f64;
}

#[test]
fn a_projection_of_a_parameter_is_a_field() {
    let projected = Projected::<u8> { precision: 1, real: 2.0 };
    assert_eq!(size(projected), 2016);
}

#[test]
fn exclusive_borrows_are_arguments_too() {
    let mut args = Defaulted([1_u8, 2, 3]);
    (&mut args).with_packed(|buffer| assert_eq!(buffer, [1, 2, 3]));
    args.0[1] = 9;
    (&mut &mut args).with_packed(|buffer| assert_eq!(buffer, [1, 9, 3]));
    assert_eq!(size(&mut args), 3 + 1000);
}

#[test]
fn erased_types_have_no_lifetime() {
    fn erased<A: KernelArgs<Erased = Bounded<'static, 'static, u8, 4>>>() {}
    erased::<Bounded<'_, '_, u8, 4>>();
}

#![allow(unused_braces, unused_parens)]

use core::marker::PhantomData;
use kernel_args::{DevicePointer, DeviceType, KernelArgs};
use kernel_args_test_macros::{next, unchanged};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct Array<T: Copy, const N: usize>([T; N]);

trait Of<T> {}
impl<T, U> Of<T> for U {}

#[derive(KernelArgs)]
struct Fields {
    length: [u8; next!(length: 2)],
    block: [u8; {
        let two = next!(block: 2);
        two
    }],
    parentheses: (next!(parentheses: u8)),
    pointee: DevicePointer<next!(pointee: u8)>,
    constant: Array<u8, { next!(constant: 2) }>,
    path: [u8; kernel_args_test_macros::next!(path: 2)],
    projection: <next!(projection: [u8; 2]) as IntoIterator>::Item,
    item: [u8; {
        #[unchanged]
        const TWO: usize = 2;
        TWO
    }],
    #[kernel_args(skip)]
    skipped: PhantomData<next!(skipped: u8)>,
}

#[derive(KernelArgs)]
#[kernel_args(bound = "T: DeviceType + Of<next!(bound: u8)>")]
struct Bounds<T: Copy + Of<next!(inline: u8)> = next!(default: u8), const N: next!(parameter: usize) = 2>
where
    T: Of<next!(clause: u8)>,
{
    field: Array<T, N>,
}

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
struct OfDevice<T: Of<next!(of_device: u8)>> {
    field: T,
    marker: PhantomData<next!(marker: u8)>,
}

kernel_args::kernels! { mod typed = "ptx/saxpy_typed.ptx"; }

#[derive(KernelArgs)]
#[kernel_args(kernel = typed, entries = "saxpy<*>", T = next!(binding: f32) => "<float>")]
struct Binding<T: DeviceType> {
    n: i32,
    alpha: T,
    x: DevicePointer<T>,
    y: DevicePointer<T>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = path!())]
struct Kernel {
    n: i32,
}

#[derive(KernelArgs)]
#[kernel_args(crate = ::kernel_args::<next!(path: u8)>)]
struct Crate {
    n: i32,
}

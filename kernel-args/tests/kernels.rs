//! The kernels of an image as items.

use kernel_args::{DevicePointer, DevicePointerMut, KernelArgs};

kernel_args::kernels! {
    /// One kernel.
    mod saxpy = "../ptx/saxpy.ptx";
    mod typed = "../ptx/saxpy_typed.ptx";
}

#[derive(KernelArgs)]
#[kernel_args(kernel = saxpy::saxpy)]
struct Saxpy {
    n: u32,
    alpha: f32,
    x: DevicePointer<f32>,
    y: DevicePointerMut<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(kernel = typed::saxpy)]
struct Typed<T: kernel_args::DeviceType> {
    n: i32,
    alpha: T,
    x: DevicePointer<T>,
    y: DevicePointerMut<T>,
}

#[test]
fn a_struct_names_its_kernel() {
    let source = Saxpy::SOURCE.unwrap();
    assert_eq!(source.entry, "saxpy");
    assert_eq!(source.image, saxpy::IMAGE);
    assert_eq!(
        <Typed<f32> as KernelArgs>::SOURCE.unwrap().entry,
        "_Z5saxpyifPKfPf"
    );
    dbg!(typed::KERNELS);
}

//! A module without a prelude: even `Some`, `Option` and `Copy` are not in scope.
#![no_implicit_prelude]

#[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug, ::kernel_args::DeviceType)]
#[repr(C)]
struct Plane<T> {
    kind: u8,
    normal: [T; 3],
    distance: T,
}

#[derive(::core::clone::Clone, ::core::marker::Copy, ::kernel_args::DeviceType)]
#[repr(transparent)]
struct Index(u32);

#[derive(::core::clone::Clone, ::core::marker::Copy, ::kernel_args::DeviceType)]
#[repr(i16)]
enum Side {
    Above = -1,
}

#[derive(::kernel_args::KernelArgs)]
struct Args<'a, T, const N: usize>
where
    T: ::kernel_args::DeviceType,
{
    plane: Plane<f32>,
    index: Index,
    side: Side,
    values: [T; N],
    weights: ::core::option::Option<&'a ::cudarc::driver::CudaSlice<T>>,
    #[kernel_args(skip)]
    skipped: ::core::marker::PhantomData<&'a T>,
}

#[derive(::kernel_args::KernelArgs)]
struct Plain {
    side: Side,
    index: Index,
}

#[derive(::kernel_args::KernelArgs)]
#[kernel_args(ptx = "../ptx/vector_add.ptx", entry = "vector_add")]
struct Checked<'a> {
    a: &'a ::cudarc::driver::CudaSlice<f32>,
    b: &'a ::cudarc::driver::CudaSlice<f32>,
    c: &'a mut ::cudarc::driver::CudaSlice<f32>,
    n: u32,
}

#[test]
fn structs_marshal_without_a_prelude() {
    use ::kernel_args::KernelArgs as _;
    let args = || Args {
        plane: Plane { kind: 1, normal: [1.0, 2.0, 3.0], distance: 4.0 },
        index: Index(7),
        side: Side::Above,
        values: [1_u64, 2],
        weights: ::core::option::Option::None,
        skipped: ::core::marker::PhantomData,
    };
    args().with_packed(|buffer| {
        ::std::assert_eq!(buffer[..4], [1, 0, 0, 0]);
        ::std::assert_eq!(buffer[20..26], [7, 0, 0, 0, 0xff, 0xff]);
        ::std::assert_eq!(buffer.len(), 56);
    });
    args().with_kernel_params(|params| ::std::assert_eq!(params.len(), 5));
    let plain = Plain { side: Side::Above, index: Index(1) };
    plain.with_packed(|buffer| ::std::assert_eq!(buffer, [255, 255, 0, 0, 1, 0, 0, 0]));
    ::std::assert!(<Checked<'_> as ::kernel_args::KernelArgs>::SOURCE.is_some());
}

//! The device types of this crate in cudarc's device memory.
//!
//! cudarc itself implements `DeviceRepr` for numbers, `bool` and arrays, and with its features `f16` and `f8` for the
//! types of the crates `half` and `float8`.

use crate::device::{
    ConditionalHandle, DevicePointer, DevicePointerMut, DeviceType, Pointee, SurfaceObject, TensorMap, TensorMapA64,
    TextureObject, ZeroBits, vector,
};
use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

#[allow(dead_code, reason = "the bounds are the assertion")]
const fn device_type_with_zero_bits<T: DeviceType + ZeroBits>() {}

macro_rules! in_device_memory {
    ($($(#[$meta:meta])* [$($generics:tt)*] $ty:ty;)*) => {$(
        $(#[$meta])*
        // SAFETY: a `DeviceType` has the size, the alignment and the bytes of the type on the device.
        unsafe impl $($generics)* DeviceRepr for $ty {}

        $(#[$meta])*
        // SAFETY: the type is `ZeroBits`, as asserted below.
        unsafe impl $($generics)* ValidAsZeroBits for $ty {}

        $(#[$meta])*
        const _: () = {
            #[allow(dead_code, reason = "it is only compiled")]
            const fn assert $($generics)* () {
                device_type_with_zero_bits::<$ty>();
            }
        };
    )*};
}

in_device_memory! {
    [<T: Pointee>] DevicePointer<T>;
    [<T: Pointee>] DevicePointerMut<T>;
    [] TextureObject;
    [] SurfaceObject;
    [] ConditionalHandle;
    [] TensorMap;
    [] TensorMapA64;
}

macro_rules! table {
    (
        half_scalars $_scalars:tt
        half_vectors { $($half:ident($_half_element:ty) = $_half_cpp:literal [$($_half_field:ident)+]
            $_half_size:literal / $_half_align:literal $(, also $($_half_alias:literal)+)?;)* }
        float8_scalars $_float8:tt
        vectors { $($(#[$meta:meta])* $name:ident($_element:ty) = $_cpp:literal [$($_field:ident)+]
            $_size:literal / $_align:literal $(, same as $_same:literal)? $(, also $($_alias:literal)+)?;)* }
        objects $_objects:tt
    ) => {
        in_device_memory! {
            $(#[cfg(feature = "half")] [] super::half::$half;)*
            $($(#[$meta])* [] vector::$name;)*
        }
    };
}
kernel_args_abi::cuda_types!(table);

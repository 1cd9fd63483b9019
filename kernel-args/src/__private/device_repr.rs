//! What makes a derived device type one of cudarc's device memory.

#[cfg(feature = "cudarc")]
pub use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

/// Implements cudarc's traits for a device type, if kernel-args has the feature `cudarc`: the crate of the type need not
/// know. `[generics] type, [where clause of DeviceRepr], [where clause of ValidAsZeroBits]`.
#[cfg(feature = "cudarc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __device_repr {
    ([$($generics:tt)*] $ty:ty, [$($copied:tt)*], [$($zeroed:tt)*]) => {
        // SAFETY: a `DeviceType` has the size, the alignment and the bytes of the device's type. As with cudarc's own
        // impl for `bool`, memory of this type holds values of it: safe code can only copy values there, and the
        // caller who launches a kernel that writes to it promises that the kernel writes values.
        #[automatically_derived]
        unsafe impl $($generics)* $crate::__private::DeviceRepr for $ty $($copied)* {}

        // SAFETY: the bounds contain `ZeroBits`, which promises the same.
        #[automatically_derived]
        unsafe impl $($generics)* $crate::__private::ValidAsZeroBits for $ty $($zeroed)* {}
    };
}

/// Without the feature `cudarc` there is nothing to implement.
#[cfg(not(feature = "cudarc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __device_repr {
    ($($ignored:tt)*) => {};
}

pub use __device_repr as device_repr;

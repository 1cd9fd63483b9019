//! cudarc's traits for device memory, for derived device types.

#[cfg(feature = "cudarc")]
pub use cudarc::driver::{DeviceRepr, ValidAsZeroBits};

/// Implements cudarc's traits for a device type if kernel-args has the feature `cudarc`. The crate of the type does not
/// need such a feature. `[generics] type, [where clause of DeviceRepr], [where clause of ValidAsZeroBits]`.
#[cfg(feature = "cudarc")]
#[doc(hidden)]
#[macro_export]
macro_rules! __device_repr {
    ([$($generics:tt)*] $ty:ty, [$($copied:tt)*], [$($zeroed:tt)*]) => {
        // SAFETY: a `DeviceType` has the size, the alignment and the bytes of the type on the device. Memory of this
        // type contains values of the type, as for cudarc's implementation for `bool`: safe code can only copy values
        // to it, and the caller of a launch promises that the kernel writes only values of the type.
        #[automatically_derived]
        unsafe impl $($generics)* $crate::__private::DeviceRepr for $ty $($copied)* {}

        // SAFETY: the bounds contain `ZeroBits`, which makes the same promise.
        #[automatically_derived]
        unsafe impl $($generics)* $crate::__private::ValidAsZeroBits for $ty $($zeroed)* {}
    };
}

/// Does nothing without the feature `cudarc`.
#[cfg(not(feature = "cudarc"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __device_repr {
    ($($ignored:tt)*) => {};
}

pub use __device_repr as device_repr;

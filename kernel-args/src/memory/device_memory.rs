//! Which types a run accepts as device memory.

use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, DevicePtr, UnifiedSlice, UnifiedView, UnifiedViewMut};

/// Device memory of a step in a sequence: cudarc's slices and views, the slices that a run holds, and the slices of a
/// pool.
///
/// Only this crate implements it, because a run relies on the address and the length.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory of `{T}`",
    label = "neither a slice nor a view",
    note = "pass a slice or a view of cudarc, or a slice of the run"
)]
pub trait DeviceMemory<T>: memory::Sealed<T> {
    #[doc(hidden)]
    type Slice: DevicePtr<T>;

    #[doc(hidden)]
    fn slice(&self) -> &Self::Slice;
}

/// [`DeviceMemory`] that a step can write.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory of `{T}` that a step can write",
    label = "neither a slice nor a `CudaViewMut`",
    note = "pass `&mut` of a slice, or of a view from `slice_mut`"
)]
pub trait DeviceMemoryMut<T>: DeviceMemory<T> {}

pub(crate) mod memory {
    pub trait Sealed<T> {}
}

macro_rules! device_memory {
    ($([$($life:lifetime)?] $ty:ty;)*) => {$(
        impl<$($life,)? T> memory::Sealed<T> for $ty {}

        impl<$($life,)? T> DeviceMemory<T> for $ty {
            type Slice = Self;

            #[inline(always)]
            fn slice(&self) -> &Self {
                self
            }
        }
    )*};
}

device_memory! {
    [] CudaSlice<T>;
    [] UnifiedSlice<T>;
    ['v] CudaView<'v, T>;
    ['v] CudaViewMut<'v, T>;
    ['v] UnifiedView<'v, T>;
    ['v] UnifiedViewMut<'v, T>;
}

impl<T> DeviceMemoryMut<T> for CudaSlice<T> {}
impl<T> DeviceMemoryMut<T> for UnifiedSlice<T> {}
impl<T> DeviceMemoryMut<T> for CudaViewMut<'_, T> {}
impl<T> DeviceMemoryMut<T> for UnifiedViewMut<'_, T> {}

macro_rules! references {
    ($($reference:ty),*) => {$(
        impl<T, M: DeviceMemory<T> + ?Sized> memory::Sealed<T> for $reference {}

        impl<T, M: DeviceMemory<T> + ?Sized> DeviceMemory<T> for $reference {
            type Slice = M::Slice;

            #[inline(always)]
            fn slice(&self) -> &M::Slice {
                (**self).slice()
            }
        }
    )*};
}

references!(&M, &mut M);
impl<T, M: DeviceMemoryMut<T> + ?Sized> DeviceMemoryMut<T> for &mut M {}

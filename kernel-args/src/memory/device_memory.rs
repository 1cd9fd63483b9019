//! Which types a run accepts as device memory.

use super::Held;
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

macro_rules! derefs {
    ($([$($generics:tt)*] $reference:ty => $memory:ident;)*) => {$(
        impl<$($generics)*> memory::Sealed<T> for $reference {}

        impl<$($generics)*> DeviceMemory<T> for $reference {
            type Slice = $memory::Slice;

            #[inline(always)]
            fn slice(&self) -> &$memory::Slice {
                (**self).slice()
            }
        }
    )*};
}

derefs! {
    [T, M: DeviceMemory<T> + ?Sized] &M => M;
    [T, M: DeviceMemory<T> + ?Sized] &mut M => M;
    [T, S: DeviceMemory<T>] Held<'_, S> => S;
}

impl<T, M: DeviceMemoryMut<T> + ?Sized> DeviceMemoryMut<T> for &mut M {}
impl<T, S: DeviceMemoryMut<T>> DeviceMemoryMut<T> for Held<'_, S> {}

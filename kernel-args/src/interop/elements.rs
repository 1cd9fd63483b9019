//! The number of elements of cudarc slices and views.

use crate::contract::Elements;
use cudarc::driver::{CudaSlice, CudaView, CudaViewMut, DeviceSlice, UnifiedSlice, UnifiedView, UnifiedViewMut};

macro_rules! elements {
    ($([$($life:lifetime)*] $ty:ty;)*) => {$(
        impl<$($life,)* T> Elements for $ty {
            #[inline(always)]
            fn elements(&self) -> usize {
                DeviceSlice::<T>::len(self)
            }
        }
    )*};
}

elements! {
    [] CudaSlice<T>;
    [] UnifiedSlice<T>;
    ['a] CudaView<'a, T>;
    ['a] CudaViewMut<'a, T>;
    ['a] UnifiedView<'a, T>;
    ['a] UnifiedViewMut<'a, T>;
}

impl<E: Elements> Elements for &E {
    #[inline(always)]
    fn elements(&self) -> usize {
        E::elements(self)
    }
}

impl<E: Elements> Elements for &mut E {
    #[inline(always)]
    fn elements(&self) -> usize {
        E::elements(self)
    }
}

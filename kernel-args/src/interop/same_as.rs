//! Types of other crates that have the components of a type of this crate.

/// Implements `DeviceType` for types with the size and the components of a type of this crate and without padding.
/// Their alignment on the host may be smaller: `type as type of this crate`.
macro_rules! same_as {
    ($([$($generics:tt)*] $ty:ty as $device:ty;)*) => {$(
        // SAFETY: the documentation of the type guarantees the components of `$device` in the same order, one after
        // another; neither type has padding. `assert_layout` compares size and alignment at every use of a value.
        unsafe impl $($generics)* $crate::device::DeviceType for $ty {
            $crate::device::layout_of!($device);
            const MEMBERS: kernel_args_abi::Members<'static> = <$device as $crate::device::DeviceType>::MEMBERS;

            // The components are numbers, and every number is a value.
            fn is_value(bytes: &[u8]) -> bool {
                bytes.len() == Self::LAYOUT.size()
            }
        }

        #[diagnostic::do_not_recommend]
        // SAFETY: all components are numbers, and zero bytes are the number 0.
        unsafe impl $($generics)* $crate::device::ZeroBits for $ty {}
    )*};
}
pub(super) use same_as;

/// `From` in both directions, through arrays: `type = vector, array`.
#[cfg(any(feature = "mint", feature = "nalgebra"))]
macro_rules! conversions {
    ($($foreign:ty = $vector:ty, $array:ty;)*) => {$(
        const _: () = $crate::device::assert_layout::<$foreign>();

        impl From<$foreign> for $vector {
            fn from(vector: $foreign) -> Self {
                <$array>::from(vector).into()
            }
        }

        impl From<$vector> for $foreign {
            fn from(vector: $vector) -> Self {
                <$array>::from(vector).into()
            }
        }
    )*};
}
#[cfg(any(feature = "mint", feature = "nalgebra"))]
pub(super) use conversions;

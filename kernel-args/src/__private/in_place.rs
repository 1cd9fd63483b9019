//! Whether a struct of arguments has the bytes that the kernel receives.

use crate::{device::DeviceType, marshal::has_gaps};
use core::marker::PhantomData;
use kernel_args_abi::Parameter;

/// `InPlace::<T>::IS_VALUE` is `true` if `T` is a device type without padding. Device types use the inherent constant;
/// all different types use the constant of [`NotInPlace`]. For a generic `T`, only its bounds decide which constant is
/// used.
pub struct InPlace<T>(PhantomData<T>);

impl<T: DeviceType> InPlace<T> {
    pub const IS_VALUE: bool = !T::HAS_PADDING;
}

/// The constant of [`InPlace`] for a type that is not a device type, such as a slice.
pub trait NotInPlace {
    const IS_VALUE: bool = false;
}

impl<T> NotInPlace for InPlace<T> {}

/// Returns whether the fields of a struct are the packed form of `parameters`, without gaps. `fields` contains the
/// offset and the `IS_VALUE` of each field. Padding after the last field is allowed.
pub const fn is_packed(parameters: &[Parameter<'_>], fields: &[(usize, bool)]) -> bool {
    let mut i = 0;
    while i < parameters.len() {
        match (fields[i], parameters[i].offset) {
            ((offset, true), Some(place)) if offset == place => {}
            _ => return false,
        }
        i += 1;
    }
    !has_gaps(parameters)
}

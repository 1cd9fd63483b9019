//! Whether a struct of arguments is in memory what the kernel receives.

use crate::{device::DeviceType, marshal::has_gaps};
use core::marker::PhantomData;
use kernel_args_abi::Parameter;

/// `InPlace::<T>::IS_VALUE` tells whether `T` is a device type all of whose bytes are initialised: the inherent constant stands
/// for device types, and [`NotInPlace`]'s for all others. Where `T` is generic, what its bounds promise counts.
pub struct InPlace<T>(PhantomData<T>);

impl<T: DeviceType> InPlace<T> {
    /// Whether a field of this type is in memory what the kernel reads.
    pub const IS_VALUE: bool = !T::HAS_PADDING;
}

/// What [`InPlace`] tells of a type that is no device type, such as a slice.
pub trait NotInPlace {
    /// A field of this type is lowered.
    const IS_VALUE: bool = false;
}

impl<T> NotInPlace for InPlace<T> {}

/// Whether fields at these offsets of the struct, each with its `IS_VALUE`, are the packed form of `parameters`, without a gap. What
/// follows the last field does not count.
#[must_use]
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

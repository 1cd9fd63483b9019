//! Types that exist on the device: types that a kernel can take by value, and types that a device pointer can point to.

mod content;
mod device_type;
mod dim3;
mod object;
mod pointer;
pub(crate) mod vector;
mod zero_bits;

pub use content::in_memory;
pub use device_type::{DeviceType, Variants, assert_layout, assert_variants};
pub use object::{ConditionalHandle, SurfaceObject, TensorMap, TensorMapA64, TextureObject};
pub use pointer::{DevicePointer, DevicePointerMut, Pointee};
pub use zero_bits::{HasZero, ZeroBits};

pub(crate) use content::content_of;
#[cfg(feature = "nalgebra")]
pub(crate) use device_type::transparent;
pub(crate) use device_type::{bytes_of, component, device_types, forward_store, layout, layout_of};
#[cfg(feature = "cudarc")]
pub(crate) use device_type::{from_bytes, store_all};
pub(crate) use pointer::Nullable;

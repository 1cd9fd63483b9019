//! Types that exist on the device: what a kernel can take by value, and what a device pointer can point to.

mod device_type;
mod object;
mod pointer;
pub mod vector;

pub use device_type::DeviceType;
pub use object::{SurfaceObject, TensorMap, TensorMapA64, TextureObject};
pub use pointer::{DevicePointer, DevicePointerMut, Nullable, Pointee};

pub(crate) use device_type::{assert_layout, device_types, layout};

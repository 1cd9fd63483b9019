//! The largest arrays and textures of a GPU.

use crate::driver::{
    api::{CallError, api, out},
    error::{Error, TextureError},
};
use cudarc::driver::CudaContext;

/// Attributes of a device, by their number in `CUdevice_attribute`: the largest width, height and depth or number of layers of an array.
pub(super) struct Limits {
    pub(super) texture: &'static [u32],
    pub(super) surface: &'static [u32],
}

pub(super) const ARRAY_1D: Limits = Limits { texture: &[21], surface: &[55] };
pub(super) const ARRAY_2D: Limits = Limits { texture: &[22, 23], surface: &[56, 57] };
pub(super) const ARRAY_3D: Limits = Limits { texture: &[24, 25, 26], surface: &[58, 59, 60] };
pub(super) const LAYERED_1D: Limits = Limits { texture: &[42, 43], surface: &[61, 62] };
pub(super) const LAYERED_2D: Limits = Limits { texture: &[27, 28, 29], surface: &[63, 64, 65] };
/// `MAXIMUM_TEXTURE1D_LINEAR_WIDTH`.
pub(super) const LINEAR_1D: &[u32] = &[69];
/// `MAXIMUM_TEXTURE2D_LINEAR_WIDTH`, `HEIGHT`, `PITCH`.
pub(super) const LINEAR_2D: &[u32] = &[70, 71, 72];
pub(super) const TEXTURE_ALIGNMENT: u32 = 14;
pub(super) const TEXTURE_PITCH_ALIGNMENT: u32 = 51;

pub(super) fn attribute(context: &CudaContext, attribute: u32) -> Result<usize, CallError> {
    let api = api()?;
    let value = out(|value| api.cuDeviceGetAttribute(value, attribute, context.cu_device()))?;
    Ok(usize::try_from(value).unwrap_or(0))
}

/// Compares each dimension, which has a name and a size, with its attribute.
pub(super) fn check(
    context: &CudaContext,
    attributes: &[u32],
    dimensions: impl IntoIterator<Item = (&'static str, usize)>,
    object: impl Fn() -> String,
) -> Result<(), Error> {
    for (number, (dimension, size)) in attributes.iter().zip(dimensions) {
        let limit = attribute(context, *number)?;
        if size == 0 || size > limit {
            return Err(Error::Texture(TextureError::Size { object: object(), dimension, size, limit }));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys::CUdevice_attribute as Theirs;

    #[test]
    fn the_numbers_are_those_of_cudarc() {
        use Theirs::*;
        let ours = [ARRAY_1D, ARRAY_2D, ARRAY_3D, LAYERED_1D, LAYERED_2D]
            .map(|limits| [limits.texture, limits.surface].concat());
        let others = [LINEAR_1D, LINEAR_2D, &[TEXTURE_ALIGNMENT, TEXTURE_PITCH_ALIGNMENT]].concat();
        let theirs = [
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT,
            CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH,
            CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT,
            CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT,
        ];
        assert_eq!([ours.concat(), others].concat(), theirs.map(|one| one as u32));
    }
}

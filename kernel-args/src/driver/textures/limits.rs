//! The largest arrays and textures of a GPU.

use crate::driver::{
    error::{Error, TextureError},
    query::attribute_of,
};
use cudarc::driver::sys::CUdevice;

// `CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE…_WIDTH` and `…_SURFACE…_WIDTH`. The attributes of the height and the depth, and
// of the number of layers or the pitch, follow them.
pub(super) const ARRAY_1D: [u32; 2] = [21, 55];
pub(super) const ARRAY_2D: [u32; 2] = [22, 56];
pub(super) const ARRAY_3D: [u32; 2] = [24, 58];
pub(super) const LAYERED_1D: [u32; 2] = [42, 61];
pub(super) const LAYERED_2D: [u32; 2] = [27, 63];
pub(super) const LINEAR_1D: u32 = 69;
pub(super) const LINEAR_2D: u32 = 70;

// `CU_DEVICE_ATTRIBUTE_…`, in bytes.
pub(super) const TEXTURE_ALIGNMENT: u32 = 14;
pub(super) const TEXTURE_PITCH_ALIGNMENT: u32 = 51;

/// Compares each dimension, which has a name and a size, with its attribute, from the one of the width on.
pub(super) fn check(
    device: CUdevice,
    width: u32,
    dimensions: impl IntoIterator<Item = (&'static str, usize)>,
    object: impl Fn() -> String,
) -> Result<(), Error> {
    for (number, (dimension, size)) in (width..).zip(dimensions) {
        let limit = attribute_of(device, number)? as usize;
        if size == 0 || size > limit {
            return Err(Error::Texture(TextureError::Size { object: object(), dimension, size, limit }));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cudarc::driver::sys::CUdevice_attribute as Known;

    #[test]
    fn the_numbers_are_those_of_cudarc() {
        macro_rules! are_those_of_cudarc {
            ($($first:expr => $($name:ident)*;)*) => {
                $(for (number, theirs) in ($first..).zip([$(Known::$name),*]) {
                    assert_eq!(number, theirs as u32);
                })*
            };
        }
        are_those_of_cudarc! {
            ARRAY_1D[0] => CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH;
            ARRAY_1D[1] => CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH;
            ARRAY_2D[0] => CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT;
            ARRAY_2D[1] => CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT;
            ARRAY_3D[0] =>
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH;
            ARRAY_3D[1] =>
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH;
            LAYERED_1D[0] =>
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS;
            LAYERED_1D[1] =>
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS;
            LAYERED_2D[0] =>
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS;
            LAYERED_2D[1] =>
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT
                CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS;
            LINEAR_1D => CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH;
            LINEAR_2D =>
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT
                CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH;
            TEXTURE_ALIGNMENT => CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT;
            TEXTURE_PITCH_ALIGNMENT => CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT;
        }
    }
}

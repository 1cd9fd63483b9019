//! The largest arrays and textures of a GPU.

use crate::driver::{
    api::{CallError, api, out},
    error::{Error, TextureError},
};
use cudarc::driver::{CudaContext, sys::CUdevice_attribute};

macro_rules! attributes {
    ($($name:ident),*) => {
        &[$(CUdevice_attribute::$name),*]
    };
}

/// The largest width, height and depth or number of layers of an array.
pub(super) struct Limits {
    pub(super) texture: &'static [CUdevice_attribute],
    pub(super) surface: &'static [CUdevice_attribute],
}

pub(super) const ARRAY_1D: Limits = Limits {
    texture: attributes![CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH],
    surface: attributes![CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_WIDTH],
};
pub(super) const ARRAY_2D: Limits = Limits {
    texture: attributes![CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT],
    surface: attributes![CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH, CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT],
};
pub(super) const ARRAY_3D: Limits = Limits {
    texture: attributes![
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_WIDTH,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_HEIGHT,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE3D_DEPTH
    ],
    surface: attributes![
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_WIDTH,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_HEIGHT,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE3D_DEPTH
    ],
};
pub(super) const LAYERED_1D: Limits = Limits {
    texture: attributes![
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_WIDTH,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LAYERED_LAYERS
    ],
    surface: attributes![
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_WIDTH,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE1D_LAYERED_LAYERS
    ],
};
pub(super) const LAYERED_2D: Limits = Limits {
    texture: attributes![
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_WIDTH,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_HEIGHT,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LAYERED_LAYERS
    ],
    surface: attributes![
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_WIDTH,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_HEIGHT,
        CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_LAYERED_LAYERS
    ],
};
pub(super) const LINEAR_1D: &[CUdevice_attribute] = attributes![CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH];
pub(super) const LINEAR_2D: &[CUdevice_attribute] = attributes![
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_WIDTH,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_HEIGHT,
    CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_LINEAR_PITCH
];

pub(super) fn attribute(context: &CudaContext, attribute: CUdevice_attribute) -> Result<usize, CallError> {
    let api = api()?;
    let value = out(|value| api.cuDeviceGetAttribute(value, attribute as u32, context.cu_device()))?;
    Ok(usize::try_from(value).unwrap_or(0))
}

/// Compares each dimension, which has a name and a size, with its attribute.
pub(super) fn check(
    context: &CudaContext,
    attributes: &[CUdevice_attribute],
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

//! How a texture is sampled.

use super::TexelFormat;
use crate::driver::error::{Error, TextureError};
use cudarc::driver::sys::{CUDA_TEXTURE_DESC, CUaddress_mode, CUfilter_mode};

/// What a texture returns outside of its texels: `CUaddress_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressMode {
    /// The texels repeat. Needs normalized coordinates.
    Wrap = 0,
    /// The nearest texel of the edge.
    #[default]
    Clamp = 1,
    /// The texels repeat, and every second repetition is mirrored. Needs normalized coordinates.
    Mirror = 2,
    /// The [border color](TextureOptions::border_color).
    Border = 3,
}

impl From<AddressMode> for [AddressMode; 3] {
    fn from(mode: AddressMode) -> Self {
        [mode; 3]
    }
}

/// How a texture computes the value between texels: `CUfilter_mode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FilterMode {
    /// The nearest texel.
    #[default]
    Point = 0,
    /// The weighted mean of the nearest 2, 4 or 8 texels. The texture must return floats.
    Linear = 1,
}

/// The type of the values that a texture returns: `cudaTextureReadMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadMode {
    /// The texels as they are: `tex2D<unsigned char>` for `u8`, `tex2D<float>` for `f32` and `f16`.
    #[default]
    Element,
    /// Integers of 8 and 16 bits as floats: unsigned ones from 0 to 1, signed ones from -1 to 1. `tex2D<float>`.
    NormalizedFloat,
}

/// How a [`Texture`](super::Texture) is sampled: `CUDA_TEXTURE_DESC`.
///
/// The default is [`Clamp`](AddressMode::Clamp), [`Point`](FilterMode::Point), [`Element`](ReadMode::Element), and
/// coordinates in texels.
///
/// ```
/// use kernel_args::texture::{AddressMode, FilterMode, ReadMode, TextureOptions};
///
/// let smooth = TextureOptions::new().filter(FilterMode::Linear).read(ReadMode::NormalizedFloat);
/// let tiles = smooth.normalized_coordinates().address(AddressMode::Wrap);
/// let mixed = tiles.address([AddressMode::Wrap, AddressMode::Clamp, AddressMode::Clamp]);  // x, y, z
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use]
pub struct TextureOptions {
    address: [AddressMode; 3],
    filter: FilterMode,
    read: ReadMode,
    is_normalized: bool,
    is_srgb: bool,
    border: Option<[f32; 4]>,
}

/// The driver's modes, in the order of [`AddressMode`].
const ADDRESS_MODES: [CUaddress_mode; 4] = [
    CUaddress_mode::CU_TR_ADDRESS_MODE_WRAP,
    CUaddress_mode::CU_TR_ADDRESS_MODE_CLAMP,
    CUaddress_mode::CU_TR_ADDRESS_MODE_MIRROR,
    CUaddress_mode::CU_TR_ADDRESS_MODE_BORDER,
];

const READ_MODE: &str = "ReadMode::NormalizedFloat";

impl TextureOptions {
    /// Creates the default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the mode for all dimensions, or for x, y and z. Dimensions that the texture does not have are ignored.
    pub fn address(mut self, mode: impl Into<[AddressMode; 3]>) -> Self {
        self.address = mode.into();
        self
    }

    /// Sets how values between texels are computed.
    pub fn filter(mut self, filter: FilterMode) -> Self {
        self.filter = filter;
        self
    }

    /// Sets the type of the values that the texture returns.
    pub fn read(mut self, read: ReadMode) -> Self {
        self.read = read;
        self
    }

    /// Coordinates from 0 to 1 instead of 0 to the number of texels. Layers are always numbered from 0.
    pub fn normalized_coordinates(mut self) -> Self {
        self.is_normalized = true;
        self
    }

    /// The texels are colors in sRGB, and the texture returns linear ones. The fourth number is not changed. For 4
    /// numbers of type `u8`.
    pub fn srgb(mut self) -> Self {
        self.is_srgb = true;
        self
    }

    /// Sets the value outside of the texels, for [`AddressMode::Border`]. The default is 0.
    pub fn border_color(mut self, color: [f32; 4]) -> Self {
        self.border = Some(color);
        self
    }

    /// CUDA ignores most wrong combinations, so they are errors here.
    pub(super) fn sampler(&self, format: TexelFormat, dimensions: usize) -> Result<CUDA_TEXTURE_DESC, Error> {
        const READ_AS_INTEGER: u32 = 1;
        const NORMALIZED_COORDINATES: u32 = 2;
        const SRGB: u32 = 0x10;
        let wrong =
            |option, problem: String, help| Err(Error::Texture(TextureError::WrongOption { option, problem, help }));
        let address = &self.address[..dimensions];
        for (mode, option) in [(AddressMode::Wrap, "AddressMode::Wrap"), (AddressMode::Mirror, "AddressMode::Mirror")] {
            if address.contains(&mode) && !self.is_normalized {
                return wrong(
                    option,
                    "needs normalized coordinates: CUDA clamps coordinates in texels".into(),
                    "add `.normalized_coordinates()`, and pass coordinates from 0 to 1 in the kernel; or use `AddressMode::Clamp`",
                );
            }
        }
        let returns_floats = format.number().starts_with('f') || self.read == ReadMode::NormalizedFloat;
        if self.read == ReadMode::NormalizedFloat && !format.can_be_normalized() {
            return wrong(
                READ_MODE,
                format!("is for integers of 8 and 16 bits, and the texels are {format}"),
                "remove it: `ReadMode::Element` returns the numbers as they are",
            );
        }
        if self.filter == FilterMode::Linear && !returns_floats {
            let help = if format.can_be_normalized() {
                "add `.read(ReadMode::NormalizedFloat)`, and use `tex2D<float>` in the kernel; or use `FilterMode::Point`"
            } else {
                "convert the texels to `f32`, or use `FilterMode::Point`"
            };
            return wrong("FilterMode::Linear", format!("needs floats, and the texture returns {format}"), help);
        }
        let can_be_srgb = (format.number(), format.channels()) == ("u8", 4);
        if self.is_srgb && !(can_be_srgb && self.read == ReadMode::NormalizedFloat) {
            return wrong(
                "srgb",
                format!("is for 4 × u8 that are returned as floats, and the texels are {format} with {:?}", self.read),
                "use `[u8; 4]` or `UChar4` with `.read(ReadMode::NormalizedFloat)`, or remove `.srgb()`",
            );
        }
        if self.border.is_some() {
            if !address.contains(&AddressMode::Border) {
                return wrong(
                    "border_color",
                    "has no effect without `AddressMode::Border`".into(),
                    "add `.address(AddressMode::Border)`, or remove it",
                );
            }
            if !returns_floats {
                return wrong(
                    "border_color",
                    format!("is a float color, and the texture returns {format}"),
                    "remove it: the border is 0; or add `.read(ReadMode::NormalizedFloat)` for integers of 8 and 16 bits",
                );
            }
        }
        // With a filter, a GPU also reads next to the only texel of a dimension that the texture does not have: a
        // border would be half of each sample (seen on an H200).
        let mut all = [AddressMode::Clamp; 3];
        all[..dimensions].copy_from_slice(address);
        Ok(CUDA_TEXTURE_DESC {
            addressMode: all.map(|mode| ADDRESS_MODES[mode as usize]),
            filterMode: [CUfilter_mode::CU_TR_FILTER_MODE_POINT, CUfilter_mode::CU_TR_FILTER_MODE_LINEAR]
                [self.filter as usize],
            flags: u32::from(!returns_floats) * READ_AS_INTEGER
                + u32::from(self.is_normalized) * NORMALIZED_COORDINATES
                + u32::from(self.is_srgb) * SRGB,
            maxAnisotropy: 0,
            mipmapFilterMode: CUfilter_mode::CU_TR_FILTER_MODE_POINT,
            mipmapLevelBias: 0.0,
            minMipmapLevelClamp: 0.0,
            maxMipmapLevelClamp: 0.0,
            borderColor: self.border.unwrap_or_default(),
            reserved: [0; 12],
        })
    }
}

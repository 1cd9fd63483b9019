//! Arrays, textures and surfaces.

mod array;
mod limits;
mod options;
mod surface;
mod texel;
mod texture;

pub use array::{Array, ArrayShape};
pub use options::{AddressMode, FilterMode, ReadMode, TextureOptions};
pub use surface::Surface;
pub use texel::{Texel, TexelFormat};
pub use texture::Texture;

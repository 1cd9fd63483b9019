//! Arrays, textures and surfaces.
//!
//! The driver does not document that it waits before it destroys a texture object, so the last drop waits for the
//! launches. `ObjectUses` has events for each stream, so reads do not wait for each other, and the drop waits for all
//! of them. While cudarc records nothing (one stream), the drop waits for the context.

/// The methods and traits of a texture and of a surface. `$writes`: whether kernels write it.
macro_rules! object {
    ($ty:ident, $object:ident, $name:literal, $writes:literal, [$($argument:ty),*]) => {
        impl $ty {
            #[doc = concat!("The ", $name, " object as a number, for structs that kernels take by value and for tables in device memory.")]
            #[doc = concat!("It is valid as long as this ", $name, " exists. Its use is not tracked.")]
            #[must_use]
            pub fn object(&self) -> $object {
                $object(self.0.object())
            }

            #[doc = concat!("The context of the ", $name, ".")]
            #[must_use]
            pub fn context(&self) -> &Arc<CudaContext> {
                self.0.context()
            }
        }

        $(impl KernelArg for $argument {
            type Device = $object;

            #[inline]
            fn check_context(&self, stream: &LaunchStream<'_>) {
                stream.check_context(self.context());
            }

            #[inline]
            fn lower<'s>(&'s mut self, stream: &'s LaunchStream<'_>) -> ($object, Guard<'s>) {
                (self.object(), stream.track(&self.0, $writes))
            }
        })*

        impl fmt::Debug for $ty {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({:#x})", stringify!($ty), self.0.object())
            }
        }
    };
}

mod array;
mod limits;
mod options;
mod texel;
mod texture;

pub use array::{Array, ArrayShape};
pub use options::{AddressMode, FilterMode, ReadMode, TextureOptions};
pub use texel::{Texel, TexelFormat};
pub use texture::{Surface, Texture};

//! The summary of an image that was read at compile time.

/// An image that was read at compile time, and the data about it that loading needs: `kernel_args_image::summary`.
#[cfg_attr(not(feature = "cudarc"), allow(dead_code, reason = "images are loaded with cudarc"))]
#[derive(Clone, Copy, Debug)]
pub struct Summary {
    pub(crate) image: &'static [u8],
    pub(crate) bytes: &'static [u8],
}

impl Summary {
    /// # Safety
    /// `kernel_args_image::validate` accepted the image, and `kernel_args_image::summary` created the bytes from it:
    /// the driver reads an image without knowing its length.
    #[must_use]
    pub const unsafe fn new(image: &'static [u8], bytes: &'static [u8]) -> Self {
        Self { image, bytes }
    }
}

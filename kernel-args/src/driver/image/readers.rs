//! Readers of images that are loaded at run time. Images of `kernels!` have a summary instead. A program that loads
//! only such images does not refer to the readers, and the linker removes them.

use super::{ImageBytes, ImageContents, description};
use crate::driver::{
    api::DriverImage,
    error::{Error, ImageError},
};
use kernel_args_abi::Sm;
use kernel_args_image::{self as image, Code, contents};

#[derive(Debug)]
pub(crate) struct Readers {
    pub(super) validate: fn(Vec<u8>) -> Result<DriverImage, Error>,
    /// The code in the image. It is empty if the image cannot be read.
    pub(super) contents: fn(&[u8]) -> Vec<Code>,
    pub(super) kernels: fn(&ImageBytes, Sm) -> Result<ImageContents, image::Error>,
}

pub(crate) static READERS: Readers = Readers {
    validate: |bytes| DriverImage::new(bytes).map_err(|error| ImageError::Format(error).error()),
    contents: |bytes| contents(bytes).unwrap_or_default(),
    kernels: |image, sm| description::read_kernels(image.images(), image.table, sm, image.has_code),
};

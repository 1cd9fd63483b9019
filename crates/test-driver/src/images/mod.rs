//! What a program loads: PTX, cubins and fat binaries; modules, libraries, functions, the linker.

pub(crate) mod compile;
pub(crate) mod cubin;
pub(crate) mod cubin_writer;
pub(crate) mod fatbin;
pub(crate) mod function;
pub(crate) mod image;
pub(crate) mod jit;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod module;

use crate::error::Status;
use image::{Image, Refusal, Source};

impl Image {
    /// Reads `source` for a device of compute capability `sm`.
    pub(crate) fn read(source: &Source, sm: u32) -> Result<Self, Refusal> {
        match source {
            Source::Ptx(text) => compile::compile(text, sm),
            Source::Cubin(bytes) => cubin::read(bytes, sm),
            Source::Fatbin(bytes) => {
                let (chosen, ptx) = fatbin::chosen(bytes, sm)?;
                let image = Self::read(&chosen, sm)?;
                Ok(image.with_program(ptx))
            }
            Source::Wrapper => Err(Refusal::new(
                Status::NOT_SUPPORTED,
                "the kernel-args test driver reads fat binaries, not nvcc's wrapper around one: load the fat binary",
            )),
        }
    }
}

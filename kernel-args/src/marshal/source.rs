//! The source of a struct's kernel.

#[cfg(feature = "cudarc")]
use super::NamesKernel;
use super::Summary;
use kernel_args_abi::compiled::CompiledImage;

/// The image and the symbol of a struct's kernel, from `#[kernel_args(kernel = saxpy::saxpy)]` or
/// `#[kernel_args(ptx = "…", entry = "…")]`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Source {
    /// The image that the struct was checked against at compile time: PTX (its comments may have any encoding), a cubin
    /// or a fat binary.
    pub image: &'static [u8],
    /// The kernel's symbol in the image.
    pub entry: &'static str,
    /// The table with the kernel. It may contain more kernels.
    pub(crate) table: &'static CompiledImage,
    /// Of the image, if the table does not have it.
    #[cfg_attr(not(feature = "cudarc"), allow(dead_code, reason = "images are loaded with cudarc"))]
    pub(crate) summary: Option<Summary>,
}

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.entry == other.entry && self.image == other.image
    }
}

impl Eq for Source {}

impl Source {
    /// # Safety
    /// As for [`Summary::new`], with the image of this source.
    #[doc(hidden)]
    #[must_use]
    pub const unsafe fn summarized(self, bytes: &'static [u8]) -> Self {
        Self { summary: Some(Summary { image: self.image, bytes }), ..self }
    }
}

#[cfg(feature = "cudarc")]
impl Source {
    pub(crate) const fn of<A: NamesKernel>() -> Self {
        match A::SOURCE {
            Some(source) => source,
            None => panic!("a hand-written `NamesKernel` for a struct that names no kernel"),
        }
    }
}

//! Images of kernels: their bytes for the driver, and the description of their kernels.

mod bytes;
mod description;
mod link;
mod load_error;

#[cfg(feature = "nvrtc")]
use crate::driver::compile::CompiledSource;
use crate::marshal::Source;
use kernel_args_abi::compiled::CompiledImage;
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    string::String,
    sync::Arc,
    vec::Vec,
};

pub(crate) use bytes::ImageBytes;
pub use description::DebugInfo;
pub(crate) use description::Description;
pub(crate) use link::{link, load};
pub(crate) use load_error::{check, explained};

/// A compiled kernel image: PTX text, a cubin, or a fat binary.
///
/// `IMAGE` of a module that [`kernels!`](crate::kernels) makes is one. `&str` and `String` are PTX; `&[u8]`, `Vec<u8>` and `Arc<[u8]>` are any of the three; a `Path` or `PathBuf` is a file with any of
/// them. With the feature `nvrtc` so is what cudarc's `compile_ptx` returns.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Image<'a> {
    /// Bytes of PTX, a cubin or a fat binary: the beginning tells which.
    Bytes(Cow<'a, [u8]>),
    /// A file with one of them.
    File(Cow<'a, Path>),
    /// Bytes that are shared.
    Shared(Arc<[u8]>),
    /// An image that was read while the program compiled.
    #[non_exhaustive]
    Compiled {
        /// The image.
        bytes: &'static [u8],
        /// What was read of its kernels, perhaps of some of them.
        table: &'static CompiledImage,
    },
    /// A source that was compiled at run time.
    #[cfg(feature = "nvrtc")]
    Source(CompiledSource),
    /// What cannot be an image, and why.
    Unusable(&'static str),
}

impl<'a> From<&'a str> for Image<'a> {
    fn from(ptx: &'a str) -> Self {
        Self::Bytes(Cow::Borrowed(ptx.as_bytes()))
    }
}

impl From<String> for Image<'_> {
    fn from(ptx: String) -> Self {
        Self::Bytes(Cow::Owned(ptx.into_bytes()))
    }
}

impl<'a> From<&'a String> for Image<'a> {
    fn from(ptx: &'a String) -> Self {
        ptx.as_str().into()
    }
}

impl<'a> From<&'a [u8]> for Image<'a> {
    fn from(image: &'a [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(image))
    }
}

impl<'a, const N: usize> From<&'a [u8; N]> for Image<'a> {
    fn from(image: &'a [u8; N]) -> Self {
        image.as_slice().into()
    }
}

impl From<Vec<u8>> for Image<'_> {
    fn from(image: Vec<u8>) -> Self {
        Self::Bytes(Cow::Owned(image))
    }
}

impl<'a> From<&'a Vec<u8>> for Image<'a> {
    fn from(image: &'a Vec<u8>) -> Self {
        image.as_slice().into()
    }
}

impl<'a> From<&'a Path> for Image<'a> {
    fn from(file: &'a Path) -> Self {
        Self::File(Cow::Borrowed(file))
    }
}

impl<'a> From<&'a PathBuf> for Image<'a> {
    fn from(file: &'a PathBuf) -> Self {
        file.as_path().into()
    }
}

impl From<PathBuf> for Image<'_> {
    fn from(file: PathBuf) -> Self {
        Self::File(Cow::Owned(file))
    }
}

impl From<Arc<[u8]>> for Image<'_> {
    fn from(image: Arc<[u8]>) -> Self {
        Self::Shared(image)
    }
}

/// `IMAGE` of a module that [`kernels!`](crate::kernels) makes. Kernels are verified with the names, C++ types and members that
/// debug information told while the program compiled: the image itself need not hold it.
impl From<&'static CompiledImage> for Image<'_> {
    fn from(image: &'static CompiledImage) -> Self {
        let (bytes, table) = (image.bytes(), image);
        Self::Compiled { bytes, table }
    }
}

/// The image of a struct, with what was read of the kernels that the struct names.
impl From<Source> for Image<'_> {
    fn from(source: Source) -> Self {
        let Source {
            image: bytes,
            table,
            ..
        } = source;
        Self::Compiled { bytes, table }
    }
}

#[cfg(feature = "nvrtc")]
impl From<CompiledSource> for Image<'_> {
    fn from(source: CompiledSource) -> Self {
        Self::Source(source)
    }
}

#[cfg(feature = "nvrtc")]
impl From<&CompiledSource> for Image<'_> {
    fn from(source: &CompiledSource) -> Self {
        Self::Source(source.clone())
    }
}

/// What NVRTC compiled. cudarc does not tell what else a `Ptx` holds: loading one that was made of a text, of bytes or of a path
/// returns [`Error::Image`](crate::Error::Image), which says to pass these themselves.
#[cfg(feature = "nvrtc")]
impl<'a> From<&'a cudarc::nvrtc::Ptx> for Image<'a> {
    fn from(ptx: &'a cudarc::nvrtc::Ptx) -> Self {
        match ptx.as_bytes() {
            Some(compiled) => compiled.into(),
            None => Self::Unusable(NOT_COMPILED),
        }
    }
}

/// As from a reference to it.
#[cfg(feature = "nvrtc")]
impl From<cudarc::nvrtc::Ptx> for Image<'_> {
    fn from(ptx: cudarc::nvrtc::Ptx) -> Self {
        match ptx.as_bytes() {
            Some(compiled) => compiled.to_vec().into(),
            None => Self::Unusable(NOT_COMPILED),
        }
    }
}

#[cfg(feature = "nvrtc")]
const NOT_COMPILED: &str = "this `Ptx` was not compiled by NVRTC, and cudarc does not tell what it holds\n\
    help: pass the text, the bytes or the path that it was made of";

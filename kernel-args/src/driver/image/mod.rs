//! Images of kernels: their bytes for the driver, and the information about their kernels.
//!
//! | to change | open |
//! |---|---|
//! | why an image is rejected | `load_error.rs`; the texts: `incompatible.rs` |
//! | which bodies are analysed | `code.rs`, `description.rs`; at compile time `file.rs` and `bodies.rs` of the derive |

mod by_symbol;
mod bytes;
mod code;
mod debug_info;
mod description;
mod link;
mod load_error;
#[cfg(feature = "observe")]
mod pointer_uses;
mod readers;
mod variables;

#[cfg(feature = "nvrtc")]
use crate::driver::compile::CompiledSource;
use crate::marshal::{Source, Summary};
use kernel_args_abi::compiled::CompiledImage;
use std::{
    borrow::Cow,
    path::{Path, PathBuf},
    sync::Arc,
};

pub(crate) use bytes::ImageBytes;
pub use debug_info::DebugInfo;
pub(crate) use description::{Description, ImageContents, candidates, distinct_names, nearest};
pub(crate) use link::{link, load};
pub(crate) use load_error::{check, explained};
#[cfg(feature = "observe")]
pub(crate) use pointer_uses::PointerUses;
pub(crate) use readers::READERS;
use readers::Readers;
pub(crate) use variables::VariableDescription;

/// A compiled kernel image: PTX text, a cubin, or a fat binary.
///
/// `IMAGE` of a module that [`kernels!`](crate::kernels) generates converts into one. `&str` and `String` are PTX;
/// `&[u8]`, `Vec<u8>` and `Arc<[u8]>` are any of the three formats; a `Path` or `PathBuf` is a file in any of them.
/// With the feature `nvrtc`, the result of `cudarc::nvrtc::compile_ptx` converts too.
///
/// ```no_run
/// use kernel_args::{Image, Module};
/// use std::path::Path;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// # let ptx = "";
/// let module = Module::load(&ctx, Path::new("kernels.cubin"))?;
/// let module = Module::load(&ctx, Image::from(ptx).without_code())?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Image<'a> {
    bytes: Bytes<'a>,
    table: Option<&'static CompiledImage>,
    /// `None` if the image is summarized.
    readers: Option<&'static Readers>,
    has_code: bool,
}

#[derive(Clone, Debug)]
enum Bytes<'a> {
    Memory(Cow<'a, [u8]>),
    File(Cow<'a, Path>),
    Shared(Arc<[u8]>),
    /// In the program, with a summary for loading.
    Summarized(Summary),
    #[cfg(feature = "nvrtc")]
    Source(CompiledSource),
    /// A `Ptx` of cudarc whose contents are unknown.
    #[cfg(feature = "nvrtc")]
    NotCompiled,
}

#[cfg(feature = "observe")]
impl Bytes<'_> {
    fn name(&self) -> Option<Arc<str>> {
        match self {
            Self::File(path) => Some(path.to_string_lossy().into()),
            #[cfg(feature = "nvrtc")]
            Self::Source(source) => Some(source.name.clone()),
            _ => None,
        }
    }
}

impl<'a> Image<'a> {
    const fn new(bytes: Bytes<'a>) -> Self {
        Self { bytes, table: None, readers: Some(&READERS), has_code: true }
    }

    /// Turns off the comparison of arguments with the code of the kernels.
    ///
    /// [`checks`](crate::guide::checks#the-code-of-a-kernel) documents the comparison.
    #[must_use]
    pub fn without_code(self) -> Self {
        Self { has_code: false, ..self }
    }

    /// Returns the image of a struct's kernel. Its other kernels may be unknown.
    pub(crate) fn of_kernel(source: Source) -> Self {
        match source.summary {
            Some(summary) => {
                Self { bytes: Bytes::Summarized(summary), table: Some(source.table), readers: None, has_code: true }
            }
            None => Self::compiled(source.image, source.table),
        }
    }

    fn compiled(bytes: &'static [u8], table: &'static CompiledImage) -> Self {
        let readers = table.readers;
        let (bytes, readers) = match readers.and_then(|readers| readers.downcast_ref::<Summary>()) {
            Some(summary) => (Bytes::Summarized(*summary), None),
            None => (Bytes::Memory(Cow::Borrowed(bytes)), readers.and_then(|readers| readers.downcast_ref())),
        };
        Self { bytes, table: Some(table), readers, has_code: true }
    }
}

/// What [`Module::load`](crate::Module::load) accepts: each type that converts into an [`Image`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an image of kernels",
    label = "not an image",
    note = "an image is `IMAGE` of a module of `kernels!`, PTX (`&str`), the bytes of a file (`&[u8]`), or a file (`&Path`)"
)]
#[cfg_attr(
    not(feature = "nvrtc"),
    diagnostic::on_unimplemented(
        note = "for a `Ptx` that cudarc's `compile_ptx` returns, enable the feature `nvrtc`: `cargo add kernel-args --features nvrtc`"
    )
)]
pub trait IntoImage<'a> {
    #[doc(hidden)]
    fn into_image(self) -> Image<'a>;
}

#[diagnostic::do_not_recommend]
impl<'a, I: Into<Image<'a>>> IntoImage<'a> for I {
    fn into_image(self) -> Image<'a> {
        self.into()
    }
}

macro_rules! images {
    ($($(#[$when:meta])* [$($generics:tt)*] $ty:ty: |$given:ident| $bytes:expr;)*) => {$(
        $(#[$when])*
        impl<'a $($generics)*> From<$ty> for Image<'a> {
            fn from($given: $ty) -> Self {
                Self::new($bytes)
            }
        }
    )*};
}

images! {
    [] &'a str: |ptx| Bytes::Memory(ptx.as_bytes().into());
    [] &'a String: |ptx| Bytes::Memory(ptx.as_bytes().into());
    [] String: |ptx| Bytes::Memory(ptx.into_bytes().into());
    [] &'a [u8]: |image| Bytes::Memory(image.into());
    [, const N: usize] &'a [u8; N]: |image| Bytes::Memory(image.into());
    [] &'a Vec<u8>: |image| Bytes::Memory(image.into());
    [] Vec<u8>: |image| Bytes::Memory(image.into());
    [] Arc<[u8]>: |image| Bytes::Shared(image);
    [] &'a Path: |file| Bytes::File(file.into());
    [] &'a PathBuf: |file| Bytes::File(file.into());
    [] PathBuf: |file| Bytes::File(file.into());
    #[cfg(feature = "nvrtc")]
    [] CompiledSource: |source| Bytes::Source(source);
    #[cfg(feature = "nvrtc")]
    [] &CompiledSource: |source| Bytes::Source(source.clone());
    /// PTX that NVRTC compiled. cudarc does not expose the contents of any other `Ptx`: loading a `Ptx` that was
    /// created from text, bytes or a path returns [`Error::Load`](crate::Error::Load), which advises to pass these
    /// directly.
    #[cfg(feature = "nvrtc")]
    [] &'a cudarc::nvrtc::Ptx: |ptx| ptx.as_bytes().map_or(Bytes::NotCompiled, |bytes| Bytes::Memory(bytes.into()));
    /// PTX that NVRTC compiled: see the conversion of a reference.
    #[cfg(feature = "nvrtc")]
    [] cudarc::nvrtc::Ptx: |ptx| ptx.as_bytes().map_or(Bytes::NotCompiled, |bytes| Bytes::Memory(bytes.to_vec().into()));
}

/// `IMAGE` of a module that [`kernels!`](crate::kernels) generates. Kernels are verified with the names, C++ types and
/// members from debug information that was read when the program was compiled. The image itself needs no debug
/// information.
impl From<&'static CompiledImage> for Image<'_> {
    fn from(image: &'static CompiledImage) -> Self {
        Self::compiled(image.bytes(), image)
    }
}

// All kernels of the image can be loaded: a summary of the struct's kernel is not sufficient.
impl From<Source> for Image<'_> {
    fn from(source: Source) -> Self {
        match source.summary {
            Some(_) => Self { table: Some(source.table), ..Self::new(Bytes::Memory(source.image.into())) },
            None => Self::compiled(source.image, source.table),
        }
    }
}

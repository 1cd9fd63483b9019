//! Images of kernels: their bytes for the driver, and the description of their kernels.

use super::{attributes::ClusterDirectives, error::Error};
use crate::{device::vector::Dim3, marshal::Source};
use cudarc::driver::sys::CUjitInputType;
use kernel_args_abi::{
    Members, Parameter, Sm,
    compiled::{CompiledImage, CompiledKernel},
    image::{self, Kernel},
    mangled::Demangled,
    signature::ParameterList,
};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    format, fs,
    path::{Path, PathBuf},
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

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

/// What NVRTC compiled. cudarc does not tell what else a `Ptx` holds: loading one that was made of a text, of bytes or of a path
/// returns [`Error::Image`], which says to pass these themselves.
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

/// The bytes of an image as the driver takes them: PTX ends with NUL.
pub(super) struct ImageBytes {
    pub(super) bytes: Vec<u8>,
    pub(super) input_type: CUjitInputType,
    /// What was read of its kernels while the program compiled.
    pub(super) table: Option<&'static CompiledImage>,
}

impl ImageBytes {
    pub(super) fn read(image: Image<'_>) -> Result<Self, Error> {
        let table = match image {
            Image::Compiled { table, .. } => Some(table),
            _ => None,
        };
        let mut bytes = match image {
            Image::Compiled { bytes, .. } => bytes.to_vec(),
            Image::Bytes(bytes) => bytes.into_owned(),
            Image::Shared(bytes) => bytes.to_vec(),
            Image::Unusable(why) => return Err(Error::Image(why.into())),
            Image::File(path) => fs::read(&path).map_err(|error| {
                Error::Image(format!("cannot read {}: {error}", path.display()))
            })?,
        };
        if bytes.is_empty() {
            return Err(Error::Image(
                "the image is empty\nhelp: pass PTX, a cubin or a fat binary".into(),
            ));
        }
        if let Some(name) = file_name(&bytes) {
            return Err(Error::Image(format!(
                "{name:?} is taken as PTX, but it looks like the name of a file\n\
                 help: to load a file, pass a `Path`: `Path::new({name:?})`"
            )));
        }
        // The driver is not told the length of an image: it relies on the headers.
        let kind = image::validate(&bytes).map_err(|error| Error::Image(error.to_string()))?;
        let input_type = match kind {
            image::Kind::Cubin => CUjitInputType::CU_JIT_INPUT_CUBIN,
            image::Kind::Fatbin => CUjitInputType::CU_JIT_INPUT_FATBINARY,
            _ => {
                if let Some(nul) = bytes.iter().position(|&byte| byte == 0) {
                    bytes.truncate(nul);
                }
                bytes.push(0);
                CUjitInputType::CU_JIT_INPUT_PTX
            }
        };
        Ok(Self {
            bytes,
            input_type,
            table,
        })
    }
}

/// The text of an image, if it looks like the name of a file: one short line with one of the usual endings. PTX has several lines,
/// and no line of it ends so.
fn file_name(bytes: &[u8]) -> Option<&str> {
    const ENDINGS: [&str; 4] = ["ptx", "cubin", "fatbin", "cu"];
    let text = str::from_utf8(bytes)
        .ok()
        .filter(|text| text.len() < 4096)?;
    let ending = Path::new(text).extension()?.to_str()?;
    let usual = ENDINGS
        .iter()
        .any(|usual| ending.eq_ignore_ascii_case(usual));
    (usual && !text.contains(['\n', '\r', '\0', ';', '{'])).then_some(text)
}

/// A kernel as its image describes it.
pub(super) struct Description {
    pub(super) symbol: String,
    /// `.reqntid`.
    pub(super) required_block: Option<Dim3>,
    /// Whether it uses dynamic shared memory; not where that is unknown.
    pub(super) dynamic_shared: bool,
    pub(super) cluster: ClusterDirectives,
    demangled: Option<Demangled>,
    parameters: ParameterList,
}

impl Description {
    /// `compiled` is the same kernel as it was read while the program compiled.
    fn new(kernel: &Kernel<'_>, compiled: Option<&CompiledKernel>) -> Option<Self> {
        let by_entry = kernel
            .entry
            .as_ref()
            .and_then(|entry| entry.directives.required_threads);
        let by_record = kernel.records.and_then(|records| records.required_threads);
        let cluster = kernel.entry.as_ref().map(|entry| ClusterDirectives {
            max_rank: entry.directives.max_cluster_rank,
            explicit: entry.directives.explicit_cluster,
            blocks_are_clusters: entry.directives.blocks_are_clusters,
        });
        let mut parameters = kernel.parameters();
        let told: Vec<Parameter<'_>> = match compiled {
            Some(compiled) if !kernel.described.is_known() => compiled.parameters().collect(),
            _ => Vec::new(),
        };
        // Where the image has other parameters for this GPU, it is described by these alone.
        Members::of(&told).complete(&mut parameters);
        Some(Self {
            symbol: kernel.name.into(),
            dynamic_shared: kernel.dynamic_shared().unwrap_or(false),
            cluster: cluster.unwrap_or_default(),
            required_block: by_entry.or(by_record).map(|[x, y, z]| Dim3::new(x, y, z)),
            demangled: kernel.demangled.clone(),
            parameters: ParameterList::new(&parameters)?,
        })
    }

    /// The parameters in the common model.
    pub(super) fn parameters(&self) -> Vec<Parameter<'_>> {
        self.parameters.parameters()
    }

    /// The demangled name where there is one, else the symbol.
    pub(super) fn spelled(&self) -> &str {
        self.demangled
            .as_ref()
            .map_or(&self.symbol, Demangled::text)
    }
}

/// The kernels of an image as they are for `sm`, or why it could not be read.
pub(super) fn describe(image: &ImageBytes, sm: Option<Sm>) -> Result<Vec<Description>, String> {
    let compiled = image.table.into_iter().flat_map(CompiledImage::kernels);
    let compiled: BTreeMap<&str, CompiledKernel> = compiled
        .filter(CompiledKernel::has_debug_info)
        .map(|kernel| (kernel.symbol(), kernel))
        .collect();
    let image = image::Image::read(&image.bytes).map_err(|error| error.to_string())?;
    let kernels = image.kernels().map_err(|error| error.to_string())?;
    let symbols = kernels.symbols();
    Ok(symbols
        .filter_map(|symbol| Description::new(&kernels.kernel(symbol, sm)?, compiled.get(symbol)))
        .collect())
}

//! Images of kernels: their bytes for the driver, and the description of their kernels.

#[cfg(feature = "nvrtc")]
use super::compile::CompiledSource;
use super::{attributes::ClusterDirectives, error::Error};
use crate::device::vector::Dim3;
use cudarc::driver::sys::CUjitInputType;
use kernel_args_abi::{
    Parameter, Sm,
    image::{self, Kernel},
    mangled::Demangled,
    signature::ParameterList,
};
use std::{
    borrow::Cow,
    format, fs,
    path::{Path, PathBuf},
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};

/// A compiled kernel image: PTX text, a cubin, or a fat binary.
///
/// `&str` and `String` are PTX; `&[u8]`, `Vec<u8>` and `Arc<[u8]>` are any of the three; a `Path` or `PathBuf` is a file with any of
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
    /// Further images of the same kernels, which describe them.
    descriptions: Vec<Vec<u8>>,
    /// Names by which kernels were asked for when they were compiled, and their symbols.
    pub(super) names: Vec<(String, String)>,
}

impl ImageBytes {
    /// A cubin that the driver made.
    pub(super) fn cubin(bytes: Vec<u8>) -> Self {
        Self {
            bytes,
            input_type: CUjitInputType::CU_JIT_INPUT_CUBIN,
            descriptions: Vec::new(),
            names: Vec::new(),
        }
    }

    pub(super) fn read(image: Image<'_>) -> Result<Self, Error> {
        let (descriptions, names) = match &image {
            #[cfg(feature = "nvrtc")]
            Image::Source(source) => (
                source.descriptions().map(<[u8]>::to_vec).collect(),
                source.names().to_vec(),
            ),
            _ => (Vec::new(), Vec::new()),
        };
        let mut bytes = match image {
            #[cfg(feature = "nvrtc")]
            Image::Source(source) => source.image().to_vec(),
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
            descriptions,
            names,
        })
    }

    /// The kernels as they are for `sm`, or why the image could not be read.
    pub(super) fn describe(&self, sm: Sm) -> Result<Vec<Description>, String> {
        let mut image = read(&self.bytes)?;
        for more in &self.descriptions {
            image = image.with(read(more)?);
        }
        describe(&image, sm)
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
    fn new(kernel: &Kernel<'_>) -> Option<Self> {
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
        Some(Self {
            symbol: kernel.name.into(),
            dynamic_shared: kernel.dynamic_shared().unwrap_or(false),
            cluster: cluster.unwrap_or_default(),
            required_block: by_entry.or(by_record).map(|[x, y, z]| Dim3::new(x, y, z)),
            demangled: kernel.demangled.clone(),
            parameters: ParameterList::new(&kernel.parameters())?,
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

fn read(image: &[u8]) -> Result<image::Image<'_>, String> {
    image::Image::read(image).map_err(|error| error.to_string())
}

/// The kernels of an image as they are for `sm`, or why it could not be read.
fn describe(image: &image::Image<'_>, sm: Sm) -> Result<Vec<Description>, String> {
    let kernels = image.kernels().map_err(|error| error.to_string())?;
    let symbols = kernels.symbols();
    Ok(symbols
        .filter_map(|symbol| Description::new(&kernels.kernel(symbol, Some(sm))?))
        .collect())
}

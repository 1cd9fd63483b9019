//! The bytes of an image, for the driver.

#[cfg(feature = "observe")]
use super::PointerUses;
use super::{Bytes, Contents, Description, Image, Readers, variables::compiled_variables};
#[cfg(feature = "observe")]
use crate::driver::pointers::are_checked;
use crate::{
    driver::{
        api::DriverImage,
        error::{Error, ImageError, LoadError},
    },
    marshal::Summary,
};
use kernel_args_abi::{
    Sm,
    compiled::{CompiledImage, CompiledKernel},
};
use kernel_args_image::{self as image, Code, summary};
use std::{env, format, fs, io, path::Path, string::String, sync::Arc, vec::Vec};

/// An image for the driver, with the known information about its kernels.
pub(crate) struct ImageBytes {
    pub(crate) image: DriverImage,
    /// The kernel information that was read when the program was compiled.
    pub(super) table: Option<&'static CompiledImage>,
    reading: Reading,
    /// Additional images of the same kernels, with more information about their parameters.
    pub(super) extra_images: Vec<Arc<Vec<u8>>>,
    /// Whether arguments are compared with the code of the kernels.
    pub(super) has_code: bool,
    /// The name expressions with which kernels were compiled, and their symbols.
    pub(crate) names: Vec<(String, String)>,
    /// The file of the image, or the name of its source.
    #[cfg(feature = "observe")]
    pub(crate) name: Option<Arc<str>>,
}

/// How the contents of an image are read.
enum Reading {
    Readers(&'static Readers),
    Summary(summary::Summary),
}

impl ImageBytes {
    /// A cubin that the driver linked. Information about its kernels comes from the linked images.
    pub(crate) fn cubin(image: DriverImage) -> Self {
        Self {
            image,
            table: None,
            reading: Reading::Summary(summary::Summary::default()),
            extra_images: Vec::new(),
            has_code: false,
            names: Vec::new(),
            #[cfg(feature = "observe")]
            name: None,
        }
    }

    pub(crate) fn read(image: Image<'_>) -> Result<Self, Error> {
        let (table, readers, has_code) = (image.table, image.readers, image.has_code);
        if let Some(absent) = table.and_then(CompiledImage::why_absent) {
            return Err(unreadable(ImageError::Absent { source: absent.source, tried: absent.tried }));
        }
        #[cfg(feature = "observe")]
        let name = image.bytes.name();
        let alone = |bytes: Vec<u8>| (bytes, Vec::new(), Vec::new());
        let file = match &image.bytes {
            Bytes::File(path) => Some(path.clone().into_owned()),
            _ => None,
        };
        let (bytes, extra_images, names) = match image.bytes {
            Bytes::Summarized(summary) => {
                return Ok(Self { has_code, ..Self::summarized(summary, table) });
            }
            Bytes::Memory(bytes) => alone(bytes.into_owned()),
            Bytes::Shared(bytes) => alone(bytes.to_vec()),
            Bytes::File(path) => alone(read_file(&path).map_err(|error| {
                let (nearby, path) = (nearby(&path, &error), path.into_owned());
                unreadable(ImageError::File { path, error, nearby })
            })?),
            #[cfg(feature = "nvrtc")]
            Bytes::Source(source) => (
                source.image().to_vec(),
                source.extra_images().map(|image| Arc::new(image.to_vec())).collect(),
                source.names().to_vec(),
            ),
            #[cfg(feature = "nvrtc")]
            Bytes::NotCompiled => return Err(unreadable(ImageError::NotCompiled)),
        };
        if bytes.is_empty() {
            return Err(unreadable(match file {
                Some(path) => ImageError::File { path, error: io::Error::other("it is empty"), nearby: String::new() },
                None => ImageError::Empty,
            }));
        }
        if let Some(name) = file_name(&bytes) {
            return Err(unreadable(ImageError::FileName(name.into())));
        }
        let readers = readers.ok_or_else(|| unreadable(ImageError::Version))?;
        Ok(Self {
            image: (readers.validate)(bytes).map_err(|error| match (error, file) {
                (Error::Load(LoadError::Image(ImageError::Format(error))), Some(path)) => {
                    unreadable(ImageError::FileFormat { path, error })
                }
                (error, _) => error,
            })?,
            table,
            reading: Reading::Readers(readers),
            extra_images,
            has_code,
            names,
            #[cfg(feature = "observe")]
            name,
        })
    }

    fn summarized(known: &Summary, table: Option<&'static CompiledImage>) -> Self {
        let kernels = table.map_or(0, |table| table.kernels().len());
        let (image, summary) = DriverImage::summarized(known, kernels);
        Self {
            image,
            table,
            reading: Reading::Summary(summary),
            extra_images: Vec::new(),
            has_code: true,
            names: Vec::new(),
            #[cfg(feature = "observe")]
            name: None,
        }
    }

    /// The code in the image. It is empty if the image cannot be read.
    pub(crate) fn contents(&self) -> Vec<Code> {
        match &self.reading {
            Reading::Readers(readers) => (readers.contents)(self.image.bytes()),
            Reading::Summary(summary) => summary.contents.clone(),
        }
    }

    /// The kernels and variables for the GPU `sm`, or the reason why the image could not be read.
    pub(crate) fn contents_for(&self, sm: Sm) -> Result<Contents, image::Error> {
        #[cfg(feature = "observe")]
        if are_checked() {
            let mut images = std::vec![self.image.shared()];
            images.extend(self.extra_images.iter().cloned());
            let mut contents = self.read_for(sm)?;
            for kernel in &mut contents.kernels {
                let uses = PointerUses::new(&images, sm, &kernel.symbol);
                kernel.pointer_uses = Some(Arc::new(uses));
            }
            return Ok(contents);
        }
        self.read_for(sm)
    }

    fn read_for(&self, sm: Sm) -> Result<Contents, image::Error> {
        match &self.reading {
            Reading::Readers(readers) => (readers.kernels)(self, sm),
            Reading::Summary(summary) => {
                let describe =
                    |(kernel, limits): (CompiledKernel, _)| Description::compiled(&kernel, limits, self.has_code);
                let kernels = self.table.map_or_else(Vec::new, |table| {
                    let kernels = table.kernels().into_iter().zip(&summary.kernels);
                    kernels.map(describe).collect()
                });
                Ok(Contents { kernels, variables: compiled_variables(self.table) })
            }
        }
    }
}

#[cold]
fn unreadable(error: ImageError) -> Error {
    Error::Load(LoadError::Image(error))
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    // Reading a pipe or a device may never end. Reading a folder fails with its own error text.
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::other("it is not a regular file"));
    }
    fs::read(path)
}

/// Where a relative path starts, and which files are in the folder of a file that does not exist.
#[cold]
fn nearby(path: &Path, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return String::new();
    }
    let start = match env::current_dir() {
        Ok(current) if path.is_relative() => {
            format!("\n  the path starts at the current folder, {}", current.display())
        }
        _ => String::new(),
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = fs::read_dir(folder) else {
        return format!("{start}\n  the folder {} does not exist", folder.display());
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let (similar, names) = image::similar_files(&path.file_name().unwrap_or_default().to_string_lossy(), names);
    let list = if names.is_empty() { "no files".into() } else { names.join(", ") };
    let help = similar.map(|name| format!("\nhelp: load {}", path.with_file_name(name).display()));
    format!("{start}\n  the folder has {list}{}", help.unwrap_or_default())
}

/// The text of an image, if it looks like the name of a file: a single short line with a usual file extension. PTX has
/// several lines, and none of its lines ends with such an extension.
fn file_name(bytes: &[u8]) -> Option<&str> {
    const ENDINGS: [&str; 4] = ["ptx", "cubin", "fatbin", "cu"];
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() < 4096)?;
    let ending = Path::new(text).extension()?.to_str()?;
    let usual = ENDINGS.iter().any(|usual| ending.eq_ignore_ascii_case(usual));
    (usual && !text.contains(['\n', '\r', '\0', ';', '{'])).then_some(text)
}

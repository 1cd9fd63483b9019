#[cfg(feature = "observe")]
use super::PointerUses;
use super::{Bytes, Description, Image, ImageContents, Readers, variables::compiled_variables};
#[cfg(feature = "observe")]
use crate::driver::observe::pointers_are_checked;
use crate::driver::{
    api::DriverImage,
    error::{Error, ImageError, LoadError},
};
use core::iter;
use kernel_args_abi::{
    Sm,
    compiled::{CompiledImage, CompiledKernel},
};
use kernel_args_image::{self as image, Code, summary};
use std::{env, fs, io, path::Path, sync::Arc};

pub(crate) struct ImageBytes {
    pub(crate) image: DriverImage,
    /// The kernel information that was read when the program was compiled.
    pub(super) table: Option<&'static CompiledImage>,
    reading: Reading,
    /// Additional images of the same kernels, with more information about their parameters.
    extra_images: Vec<Arc<Vec<u8>>>,
    /// Whether arguments are compared with the code of the kernels.
    pub(super) has_code: bool,
    /// The name expressions with which kernels were compiled, and their symbols.
    pub(crate) names: Vec<(String, String)>,
    /// The file of the image, or the name of its source.
    #[cfg(feature = "observe")]
    pub(crate) name: Option<Arc<str>>,
}

enum Reading {
    Readers(&'static Readers),
    Summary(summary::Summary),
}

impl ImageBytes {
    fn of(image: DriverImage, reading: Reading) -> Self {
        Self {
            image,
            table: None,
            reading,
            extra_images: Vec::new(),
            has_code: false,
            names: Vec::new(),
            #[cfg(feature = "observe")]
            name: None,
        }
    }

    /// Returns a cubin that the driver linked. Information about its kernels comes from the linked images.
    pub(crate) fn cubin(image: DriverImage) -> Self {
        Self::of(image, Reading::Summary(summary::Summary::default()))
    }

    pub(crate) fn read(image: Image<'_>) -> Result<Self, Error> {
        let Image { bytes, table, readers, has_code } = image;
        if let Some(absent) = table.and_then(|table| table.absent) {
            return Err(ImageError::Absent { source: absent.source, tried: absent.tried }.error());
        }
        #[cfg(feature = "observe")]
        let name = bytes.name();
        #[cfg_attr(not(feature = "nvrtc"), allow(unused_mut, reason = "only sources have more images and names"))]
        let (mut extra_images, mut names, mut file) = (Vec::new(), Vec::new(), None);
        let bytes = match bytes {
            Bytes::Summarized(summary) => {
                let kernels = table.map_or(0, |table| table.kernels().len());
                let (image, summary) = DriverImage::summarized(summary, kernels);
                return Ok(Self { table, has_code, ..Self::of(image, Reading::Summary(summary)) });
            }
            Bytes::Memory(bytes) => bytes.into_owned(),
            Bytes::Shared(bytes) => bytes.to_vec(),
            Bytes::File(path) => {
                file = Some(path.to_path_buf());
                read_file(&path).map_err(|error| {
                    let nearby = nearby(&path, &error);
                    ImageError::File { path: path.into_owned(), error, nearby }.error()
                })?
            }
            #[cfg(feature = "nvrtc")]
            Bytes::Source(source) => {
                extra_images = source.extra_images().map(|image| Arc::new(image.to_vec())).collect();
                names = source.names().to_vec();
                source.image().to_vec()
            }
            #[cfg(feature = "nvrtc")]
            Bytes::NotCompiled => return Err(ImageError::NotCompiled.error()),
        };
        if bytes.is_empty() {
            return Err(match file {
                Some(path) => ImageError::File { path, error: io::Error::other("it is empty"), nearby: String::new() },
                None => ImageError::Empty,
            }
            .error());
        }
        if let Some(name) = file_name(&bytes) {
            return Err(ImageError::FileName(name.into()).error());
        }
        let readers = readers.ok_or_else(|| ImageError::Version.error())?;
        let image = (readers.validate)(bytes).map_err(|error| match (error, file) {
            (Error::Load(LoadError::Image(ImageError::Format(error))), Some(path)) => {
                ImageError::FileFormat { path, error }.error()
            }
            (error, _) => error,
        })?;
        Ok(Self {
            table,
            extra_images,
            has_code,
            names,
            #[cfg(feature = "observe")]
            name,
            ..Self::of(image, Reading::Readers(readers))
        })
    }

    pub(crate) fn contents(&self) -> Vec<Code> {
        match &self.reading {
            Reading::Readers(readers) => (readers.contents)(self.image.bytes()),
            Reading::Summary(summary) => summary.contents.clone(),
        }
    }

    pub(crate) fn contents_for(&self, sm: Sm) -> Result<ImageContents, image::Error> {
        let contents = match &self.reading {
            Reading::Readers(readers) => (readers.kernels)(self, sm)?,
            Reading::Summary(summary) => {
                let describe =
                    |(kernel, limits): (CompiledKernel, _)| Description::compiled(&kernel, limits, self.has_code);
                let kernels = self.table.map_or_else(Vec::new, |table| {
                    let kernels = table.kernels().into_iter().zip(&summary.kernels);
                    kernels.map(describe).collect()
                });
                ImageContents { kernels, variables: compiled_variables(self.table) }
            }
        };
        #[cfg(feature = "observe")]
        if pointers_are_checked() {
            let (mut contents, images) = (contents, self.images());
            for kernel in &mut contents.kernels {
                kernel.pointer_uses = Some(Arc::new(PointerUses::new(&images, sm, &kernel.symbol)));
            }
            return Ok(contents);
        }
        Ok(contents)
    }

    pub(super) fn images(&self) -> Vec<Arc<Vec<u8>>> {
        iter::once(self.image.shared()).chain(self.extra_images.iter().cloned()).collect()
    }
}

fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let found = fs::metadata(path)?;
    // Reading a pipe or a device may never end. Reading a folder fails with its own error text.
    if !found.is_file() && !found.is_dir() {
        return Err(io::Error::other("it is not a regular file"));
    }
    fs::read(path)
}

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
    let entries: Vec<_> = entries.flatten().collect();
    let wanted = path.file_name().unwrap_or_default();
    let below = entries.iter().map(|entry| entry.path().join(wanted)).find(|path| path.is_file());
    let names = entries.iter().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let (similar, names) = image::similar_files(&wanted.to_string_lossy(), names);
    let list = if names.is_empty() { "no files".into() } else { names.join(", ") };
    let meant = below.or_else(|| similar.map(|name| path.with_file_name(name)));
    let help = meant.map(|path| format!("\nhelp: load {}", path.strip_prefix(".").unwrap_or(&path).display()));
    format!("{start}\n  the folder has {list}{}", help.unwrap_or_default())
}

/// Returns the text of an image, if it looks like the name of a file: a single short line with a usual file extension.
/// PTX has several lines, and none of its lines ends with such an extension.
fn file_name(bytes: &[u8]) -> Option<&str> {
    const ENDINGS: [&str; 4] = ["ptx", "cubin", "fatbin", "cu"];
    let text = str::from_utf8(bytes).ok().filter(|text| text.len() < 4096)?;
    let ending = Path::new(text).extension()?.to_str()?;
    let usual = ENDINGS.iter().any(|usual| ending.eq_ignore_ascii_case(usual));
    (usual && !text.contains(['\n', '\r', '\0', ';', '{'])).then_some(text)
}

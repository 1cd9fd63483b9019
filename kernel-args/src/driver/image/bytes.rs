//! The bytes of an image, as the driver takes them.

use super::{Description, Image, description};
use crate::driver::{api::DriverImage, error::Error};
use kernel_args_abi::{Sm, compiled::CompiledImage};
use std::{
    format, fs,
    path::Path,
    string::{String, ToString},
    vec::Vec,
};

/// An image as the driver takes it, and what is known of its kernels.
pub(crate) struct ImageBytes {
    pub(crate) image: DriverImage,
    /// What was read of its kernels while the program compiled.
    pub(crate) table: Option<&'static CompiledImage>,
    /// Further images of the same kernels, which describe them.
    descriptions: Vec<Vec<u8>>,
    /// Names by which kernels were asked for when they were compiled, and their symbols.
    pub(crate) names: Vec<(String, String)>,
}

impl ImageBytes {
    /// A cubin that the driver made.
    pub(crate) fn cubin(image: DriverImage) -> Self {
        Self {
            image,
            table: None,
            descriptions: Vec::new(),
            names: Vec::new(),
        }
    }

    pub(crate) fn read(image: Image<'_>) -> Result<Self, Error> {
        let table = match image {
            Image::Compiled { table, .. } => Some(table),
            _ => None,
        };
        let (descriptions, names) = match &image {
            #[cfg(feature = "nvrtc")]
            Image::Source(source) => (
                source.descriptions().map(<[u8]>::to_vec).collect(),
                source.names().to_vec(),
            ),
            _ => (Vec::new(), Vec::new()),
        };
        let bytes = match image {
            Image::Compiled { bytes, .. } => bytes.to_vec(),
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
        let image = DriverImage::new(bytes).map_err(|error| Error::Image(error.to_string()))?;
        Ok(Self {
            image,
            table,
            descriptions,
            names,
        })
    }

    /// The kernels as they are for `sm`, or why the image could not be read.
    pub(crate) fn describe(&self, sm: Sm) -> Result<Vec<Description>, String> {
        let mut image = description::read(self.image.bytes())?;
        for more in &self.descriptions {
            image = image.with(description::read(more)?);
        }
        description::describe(&image, self.table, sm)
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

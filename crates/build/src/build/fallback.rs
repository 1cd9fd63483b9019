//! Committed images, for machines without a compiler.

use super::{
    files::{Files, write},
    record::{Record, hash},
    unit::Made,
};
use crate::{error::Error, sources::Source, texts};
use std::{
    fs,
    path::{Path, PathBuf},
};

pub(super) struct Fallback<'a> {
    /// The path as the user wrote it.
    pub(super) folder: &'a Path,
    pub(super) root: &'a Path,
    /// The extension of the images; `None` if another crate compiles them.
    pub(super) extension: Option<&'a str>,
}

impl Fallback<'_> {
    fn place(&self, source: &Source, extension: &str) -> PathBuf {
        self.folder.join(format!("{}.{extension}", source.name))
    }

    /// The paths of a source's files, relative as the user wrote the folder.
    pub(super) fn files(&self, source: &Source) -> Vec<PathBuf> {
        let extensions = self.extension.into_iter().chain(["debug.ptx", "sources"]);
        extensions.map(|extension| self.place(source, extension)).collect()
    }

    pub(super) fn has(&self, source: &Source) -> bool {
        self.root.join(self.place(source, "sources")).is_file()
    }

    /// # Errors
    /// If the files do not exist (only the image may be missing if it `is_optional`), or were made from sources or settings that have changed since.
    pub(super) fn take(
        &self,
        source: &Source,
        files: &Files<'_>,
        options: &[String],
        is_optional: bool,
    ) -> Result<Made, String> {
        let read = |extension: &str| {
            let path = self.place(source, extension);
            fs::read(self.root.join(&path)).map_err(|error| texts::not_committed(&path, &error))
        };
        let place = self.place(source, "sources");
        let record = read("sources")?;
        let record = Record::read(&String::from_utf8_lossy(&record)).ok_or_else(|| texts::no_record(&place))?;
        let mut differences = files.differences(&record, options);
        let description = read("debug.ptx")?;
        let image = match self.extension.map(read).transpose() {
            Err(_) if is_optional => None,
            image => image?,
        };
        let is_as_recorded = hash(&description) == record.description
            && image.as_deref().map(hash) == record.image.filter(|_| image.is_some());
        if !is_as_recorded {
            differences.push(texts::edited(&self.place(source, self.extension.unwrap_or("debug.ptx"))));
        }
        if differences.is_empty() {
            Ok(Made { image, description, record })
        } else {
            Err(texts::outdated(&source.path, self.folder, &differences))
        }
    }

    pub(super) fn update(&self, source: &Source, made: &Made) -> Result<(), Error> {
        let folder = self.root.join(self.folder);
        fs::create_dir_all(&folder).map_err(|error| Error::new(texts::cannot_write(&folder, &error)))?;
        let path = |extension: &str| self.root.join(self.place(source, extension));
        if let (Some(extension), Some(image)) = (self.extension, &made.image) {
            write(&path(extension), image)?;
        }
        write(&path("debug.ptx"), &made.description)?;
        write(&path("sources"), made.record.portable().write().as_bytes())
    }
}

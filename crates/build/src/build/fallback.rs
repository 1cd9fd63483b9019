//! Committed images, for machines without a compiler. Their folder is a path as the user wrote it.

use super::{
    files::write,
    plan::{Build, Done, Made, Unit},
    record::{Record, hash},
};
use crate::{compiler::find::Tried, error::all, sources::Source, texts};
use std::{
    fs,
    path::{Path, PathBuf},
};

fn committed(folder: &Path, source: &Source, extension: &str) -> PathBuf {
    folder.join(format!("{}.{extension}", source.name))
}

impl Build<'_> {
    /// Returns the committed files of a source that exist, relative as the user wrote the folder.
    pub(super) fn committed_files(&self, folder: &Path, source: &Source) -> impl Iterator<Item = PathBuf> {
        let extensions = self.made.into_iter().chain([self.description, "sources"]);
        let paths = extensions.map(|extension| committed(folder, source, extension));
        paths.filter(|path| self.root.join(path).is_file())
    }

    pub(super) fn take(&self, folder: &Path, tried: &Tried) -> Result<Vec<Done>, String> {
        let mut errors = Vec::new();
        let mut done = Vec::new();
        for unit in &self.units {
            let source = &unit.source;
            if self.is_optional && !self.root.join(committed(folder, source, "sources")).is_file() {
                done.push(Done::unknown(unit));
                continue;
            }
            match self.take_one(folder, unit, self.is_optional) {
                Ok(made) => {
                    let is_absent = match self.made {
                        Some(_) => made.image.is_none(),
                        None => !self.place(source, self.extension).is_file(),
                    };
                    let files = made.record.sources.keys().map(PathBuf::from).collect();
                    done.push(Done { is_known: !is_absent, is_absent, ..Done::new(made, files) });
                }
                Err(why) => errors.push(why),
            }
        }
        if !errors.is_empty() {
            errors.push(texts::no_compiler(tried, true));
        }
        all(&errors)?;
        Ok(done)
    }

    /// The error is that the files do not exist (only the image may be missing if it `is_optional`), or were
    /// made from sources or settings that have changed since.
    fn take_one(
        &self,
        folder: &Path,
        Unit { source, lines, .. }: &Unit<'_>,
        is_optional: bool,
    ) -> Result<Made, String> {
        let read = |extension: &str| {
            let path = committed(folder, source, extension);
            fs::read(self.root.join(&path)).map_err(|error| texts::not_committed(&path, &error))
        };
        let record = Record::read(&String::from_utf8_lossy(&read("sources")?));
        let record = record.ok_or_else(|| texts::no_record(&committed(folder, source, "sources")))?;
        let mut differences = self.files.differences(&record, lines);
        let description = read(self.description)?;
        let image = match self.made.map(read).transpose() {
            Err(_) if is_optional => None,
            image => image?,
        };
        let is_as_recorded = hash(&description) == record.description
            && image.as_deref().map(hash) == record.image.filter(|_| image.is_some());
        if !is_as_recorded {
            differences.push(texts::edited(&committed(folder, source, self.made.unwrap_or(self.description))));
        }
        if differences.is_empty() {
            Ok(Made { image, description, record })
        } else {
            Err(texts::outdated(&source.path, folder, &differences.join("; ")))
        }
    }

    /// Writes the committed files, or warns if they are out of date. Also warns if a change of a header cannot be
    /// noticed.
    pub(super) fn compare(&self, folder: &Path, done: &[Done], update: bool) -> Result<Vec<String>, String> {
        let mut warnings = Vec::new();
        for (unit, done) in self.units.iter().zip(done) {
            if !update {
                warnings.extend(self.take_one(folder, unit, false).err());
                continue;
            }
            let place = self.root.join(folder);
            fs::create_dir_all(&place).map_err(|error| texts::cannot_write(&place, &error))?;
            let path = |extension: &str| committed(&place, &unit.source, extension);
            let Made { image, description, record } = &done.made;
            if let (Some(extension), Some(image)) = (self.made, image) {
                write(&path(extension), image)?;
            }
            write(&path(self.description), description)?;
            write(&path("sources"), record.portable().write().as_bytes())?;
            if !done.is_known {
                warnings.push(texts::not_noticed(&unit.source.path));
            }
        }
        Ok(warnings)
    }
}

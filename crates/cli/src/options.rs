//! The options of a command.

use crate::{read::Wanted, select::Select};
use clap::ArgMatches;
use std::path::{Path, PathBuf};

#[derive(Clone, Copy)]
pub(crate) struct Options<'m>(pub(crate) &'m ArgMatches);

impl<'m> Options<'m> {
    pub(crate) fn is(self, flag: &str) -> bool {
        self.0.get_flag(flag)
    }

    /// Returns which kernels are analysed; `None` if host functions are read instead.
    pub(crate) fn kernels<'w>(self, wanted: &'w Wanted<'w>) -> Option<&'w Wanted<'w>> {
        (!self.is("launchers")).then_some(wanted)
    }

    pub(crate) fn value<T: Clone + Send + Sync + 'static>(self, name: &str) -> Option<T> {
        self.0.get_one::<T>(name).cloned()
    }

    pub(crate) fn values<T: Clone + Send + Sync + 'static>(self, name: &str) -> Vec<T> {
        self.0.get_many(name).into_iter().flatten().cloned().collect()
    }

    pub(crate) fn path(self, name: &str) -> &'m Path {
        self.0.get_one::<PathBuf>(name).map_or(Path::new(""), PathBuf::as_path)
    }

    pub(crate) fn files(self) -> Vec<PathBuf> {
        self.values("file")
    }

    pub(crate) fn select(self) -> Select {
        Select { patterns: self.values("kernel"), gpus: self.values("arch") }
    }

    pub(crate) fn demangle(self) -> bool {
        !self.is("no-demangle")
    }
}

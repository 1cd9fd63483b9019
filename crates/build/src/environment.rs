//! The environment variables of a build, and a list of those that were read.

use std::{cell::RefCell, collections::BTreeSet, env, ffi::OsString, path::PathBuf};

type Values = Box<dyn Fn(&str) -> Option<OsString>>;

/// An empty variable counts as not set.
pub(crate) struct Environment {
    value: Values,
    read: RefCell<BTreeSet<&'static str>>,
}

impl Environment {
    pub(crate) fn of_process() -> Self {
        Self::new(|name| env::var_os(name))
    }

    pub(crate) fn new(value: impl Fn(&str) -> Option<OsString> + 'static) -> Self {
        Self { value: Box::new(value), read: RefCell::default() }
    }

    /// Reads a variable that the user sets. If it changes, cargo runs the build script again.
    pub(crate) fn get(&self, name: &'static str) -> Option<OsString> {
        self.read.borrow_mut().insert(name);
        self.get_untracked(name)
    }

    /// Reads a variable that cargo sets, or `PATH`, which differs between terminals.
    pub(crate) fn get_untracked(&self, name: &str) -> Option<OsString> {
        (self.value)(name).filter(|value| !value.is_empty())
    }

    pub(crate) fn path(&self, name: &'static str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    pub(crate) fn read(&self) -> BTreeSet<&'static str> {
        self.read.borrow().clone()
    }
}

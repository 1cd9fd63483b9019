//! The variables of a build, and which of them were asked.

use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

/// The value of a variable.
type Values = Box<dyn Fn(&str) -> Option<OsString>>;

/// Where the values of variables come from. A variable that is set to nothing counts as not set.
pub(crate) struct Environment {
    value: Values,
    asked: Mutex<BTreeSet<&'static str>>,
}

impl Environment {
    pub(crate) fn of_process() -> Self {
        Self::new(|name| env::var_os(name))
    }

    pub(crate) fn new(value: impl Fn(&str) -> Option<OsString> + 'static) -> Self {
        Self {
            value: Box::new(value),
            asked: Mutex::default(),
        }
    }

    /// A variable of the user's: when it changes, the build script runs again.
    pub(crate) fn get(&self, name: &'static str) -> Option<OsString> {
        self.asked
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name);
        self.get_untracked(name)
    }

    /// A variable that cargo sets; or `PATH`, which changes from one terminal to the next.
    pub(crate) fn get_untracked(&self, name: &str) -> Option<OsString> {
        (self.value)(name).filter(|value| !value.is_empty())
    }

    pub(crate) fn path(&self, name: &'static str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    /// The variables that were asked, in alphabetical order.
    pub(crate) fn asked(&self) -> Vec<&'static str> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.iter().copied().collect()
    }
}

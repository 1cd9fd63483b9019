//! Parses short PTX texts.

use kernel_args_image::ptx::{Entry, Module};

pub(crate) const HEADER: &str = ".version 9.0\n.target sm_75\n.address_size 64\n";

pub(crate) fn with_header(rest: &str) -> String {
    format!("{HEADER}{rest}")
}

/// Reads the only kernel of a text.
pub(crate) fn only<R>(rest: &str, look: impl FnOnce(&Entry<'_>) -> R) -> R {
    let text = with_header(rest);
    let module = Module::read(text.as_bytes()).unwrap_or_else(|error| panic!("{rest}: {error}"));
    assert_eq!(module.entries().len(), 1, "{rest}");
    look(&module.entries()[0])
}

pub(crate) fn refused(rest: &str) -> String {
    match Module::read(with_header(rest).as_bytes()) {
        Ok(module) => panic!("{rest} was read as {module:?}"),
        Err(error) => error.to_string(),
    }
}

//! Finds NVRTC where the operating system looks for libraries.

use crate::{Error, Nvrtc};
use std::{path::Path, sync::OnceLock};

/// The CUDA releases whose libraries are tried.
const MAJORS: std::ops::RangeInclusive<u16> = 11..=15;

/// Returns the file names of NVRTC, in the order in which they are tried: without a version, of the major CUDA release
/// `preferred`, then of the remaining releases, the newest first.
#[must_use]
pub fn library_names(preferred: Option<u16>) -> Vec<String> {
    let numbered = |major: u16| {
        if cfg!(windows) {
            let minor = if major == 11 { 2 } else { 0 };
            format!("nvrtc64_{major}{minor}_0.dll")
        } else if major == 11 {
            "libnvrtc.so.11.2".into()
        } else {
            format!("libnvrtc.so.{major}")
        }
    };
    let mut majors: Vec<u16> = MAJORS.rev().collect();
    majors.sort_by_key(|&major| Some(major) != preferred);
    let mut names: Vec<_> = majors.into_iter().map(numbered).collect();
    if !cfg!(windows) {
        names.insert(0, "libnvrtc.so".into());
    }
    names
}

/// Finds NVRTC on the system and loads it once per process: of several releases the one of `driver_major`, the major
/// CUDA version of the driver, which is guaranteed to accept its cubins.
///
/// # Errors
/// [`Error::Library`] if no library is found, [`Error::EntryPoint`] if it is too old.
pub fn system(driver_major: u16) -> Result<&'static Nvrtc, &'static Error> {
    static NVRTC: OnceLock<Result<Nvrtc, Error>> = OnceLock::new();
    let find = || {
        let mut missing = Error::Library(String::new());
        for name in library_names(Some(driver_major)) {
            match Nvrtc::open(Path::new(&name)) {
                Err(error @ Error::Library(_)) => missing = error,
                found => return found,
            }
        }
        Err(missing)
    };
    NVRTC.get_or_init(find).as_ref()
}

#[cfg(test)]
mod tests {
    use super::library_names;

    #[test]
    fn the_release_of_the_driver_is_searched_first() {
        if cfg!(windows) {
            return;
        }
        assert_eq!(library_names(Some(12))[..3], ["libnvrtc.so", "libnvrtc.so.12", "libnvrtc.so.15"]);
        assert_eq!(library_names(Some(11))[1], "libnvrtc.so.11.2");
        assert_eq!(library_names(Some(99)).len(), 6);
        assert_eq!(library_names(None)[1], "libnvrtc.so.15");
    }
}

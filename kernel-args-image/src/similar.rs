//! Names of files that are similar to a name that does not exist.

use crate::mangled::nearest_by_name;
use alloc::{string::String, vec::Vec};

/// At most four of the names in a folder: the similar names first, then images, then the rest. Also the most similar name.
#[doc(hidden)]
#[must_use]
pub fn similar_files(wanted: &str, mut names: Vec<String>) -> (Option<String>, Vec<String>) {
    const LISTED: usize = 4;
    let is_image = |name: &str| [".ptx", ".cubin", ".fatbin"].iter().any(|ending| name.ends_with(ending));
    names.retain(|name| !name.starts_with('.'));
    names.sort_by(|a, b| is_image(b).cmp(&is_image(a)).then_with(|| a.cmp(b)));
    let stem = |name: &str| String::from(name.split('.').next().unwrap_or_default());
    let similar = nearest_by_name(&stem(wanted), names.iter().map(|name| (name.as_str(), stem(name))));
    let similar: Vec<String> = similar.into_iter().map(String::from).collect();
    names.retain(|name| !similar.contains(name));
    let best = similar.first().cloned();
    let listed = similar.into_iter().chain(names).take(LISTED).collect();
    (best, listed)
}

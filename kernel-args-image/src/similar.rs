//! Names of files that are similar to a name that does not exist.

use crate::mangled::nearest_by_name;
use alloc::{string::String, vec::Vec};

/// At most four of the names in a folder: the similar names; without any, names with the same ending first, then images. Also the most
/// similar name.
#[doc(hidden)]
#[must_use]
pub fn similar_files(wanted: &str, mut names: Vec<String>) -> (Option<String>, Vec<String>) {
    const LISTED: usize = 4;
    let ending = |name: &str| String::from(name.rsplit_once('.').unwrap_or_default().1);
    let wanted_ending = ending(wanted);
    names.retain(|name| !name.starts_with('.'));
    names.sort_by_cached_key(|name| {
        let ending = ending(name);
        let is_image = ["ptx", "cubin", "fatbin"].contains(&&*ending);
        (ending != wanted_ending, !is_image, name.clone())
    });
    let stem = |name: &str| String::from(name.split('.').next().unwrap_or_default());
    let similar = nearest_by_name(&stem(wanted), names.iter().map(|name| (name.as_str(), stem(name))));
    let similar: Vec<String> = similar.into_iter().map(String::from).collect();
    names.truncate(LISTED);
    let best = similar.first().cloned();
    (best, if similar.is_empty() { names } else { similar })
}

#[cfg(test)]
mod tests {
    use super::similar_files;
    use alloc::{string::String, vec::Vec};

    #[test]
    fn similar_names_are_first_and_images_are_listed_without_them() {
        let files = |names: &[&str]| names.iter().copied().map(String::from).collect::<Vec<_>>();
        let folder = files(&["main.rs", "reduce.ptx", "saxpy.cu", ".git", "saxpy.ptx", "a.txt", "b.txt", "c.txt"]);
        let similar = similar_files("saxpi.cubin", folder.clone());
        assert_eq!(similar, (Some("saxpy.ptx".into()), files(&["saxpy.ptx", "saxpy.cu"])));
        let (similar, listed) = similar_files("convolution.ptx", folder);
        assert_eq!((similar, listed), (None, files(&["reduce.ptx", "saxpy.ptx", "a.txt", "b.txt"])));
        assert_eq!(similar_files("x.ptx", Vec::new()), (None, Vec::new()));
    }
}

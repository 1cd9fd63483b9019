//! Names of files that are similar to a name that does not exist.

use crate::mangled::nearest_by_name;
use alloc::{string::String, vec::Vec};

/// The name in a folder that is meant by `wanted`, and at most four names: the similar ones; without any, names with the same ending
/// first, then images.
///
/// An image can be meant by the name of an image, but not by the name of a source, nor the other way around.
#[doc(hidden)]
#[must_use]
pub fn similar_files(wanted: &str, mut names: Vec<String>) -> (Option<String>, Vec<String>) {
    const LISTED: usize = 4;
    let ending = |name: &str| String::from(name.rsplit_once('.').unwrap_or_default().1);
    let wanted_ending = ending(wanted);
    names.retain(|name| !name.starts_with('.'));
    let is_image = |name: &str| ["ptx", "cubin", "fatbin"].contains(&&*ending(name));
    names.sort_by_cached_key(|name| (ending(name) != wanted_ending, !is_image(name), name.clone()));
    let stem = |name: &str| String::from(name.split('.').next().unwrap_or_default());
    let similar = nearest_by_name(&stem(wanted), names.iter().map(|name| (name.as_str(), stem(name))));
    let similar: Vec<String> = similar.into_iter().map(String::from).collect();
    names.truncate(LISTED);
    let can_be_meant = |name: &&String| ending(name) == wanted_ending || is_image(name) && wanted_ending != "cu";
    let meant = similar.iter().find(can_be_meant).cloned();
    (meant, if similar.is_empty() { names } else { similar })
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
        // Neither is the source an image, nor the image a source.
        assert_eq!(similar_files("saxpy.ptx", files(&["saxpy.cu"])), (None, files(&["saxpy.cu"])));
        assert_eq!(similar_files("saxpi.cu", files(&["saxpy.ptx"])), (None, files(&["saxpy.ptx"])));
        assert_eq!(similar_files("saxpy", files(&["saxpy.ptx"])), (Some("saxpy.ptx".into()), files(&["saxpy.ptx"])));
    }
}

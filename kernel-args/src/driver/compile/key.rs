use super::{architecture::Architecture, options::CompileOptions};
use kernel_args_nvrtc::{Includes, Search, Text, option};
use sha2::{Digest as _, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

/// When each file that the source can include was changed; for a missing file, its folder.
pub(super) type Changes = Vec<Option<SystemTime>>;

/// Returns the name of the cache entry, or the reason why the source cannot be cached.
///
/// The times of the last changes are not part of the name: they show a file that changes and changes back during a
/// compilation.
pub(super) fn key(
    options: &CompileOptions,
    source: &str,
    (major, minor): (i32, i32),
    architecture: &Architecture,
) -> Result<(String, Changes), &'static str> {
    let mut key = Key::new();
    key.add(format!("NVRTC {major}.{minor}").as_bytes());
    key.add(options.source_name().as_bytes());
    key.add(source.as_bytes());
    key.add(architecture.name.as_bytes());
    key.list(&options.list());
    key.list(&options.name_expressions);
    key.list(&options.headers.iter().flat_map(|(name, text)| [name, text]).collect::<Vec<_>>());
    key.add(&[u8::from(options.debug_info)]);
    key.list(options.cache_key.as_slice());
    let others = option::named(options.others.iter().map(String::as_str));
    let includes = includes(options, source, &others.directives);
    for (path, text) in &includes.files {
        let path = path.to_string_lossy();
        let exists = [u8::from(text.is_some())];
        key.list(&[path.as_bytes(), &exists, text.as_deref().unwrap_or_default()]);
    }
    // With `cache_key`, user code guarantees that the key covers the unknown parts.
    if options.cache_key.is_none() {
        if others.has_files() {
            return Err("an option names files");
        }
        if let Some(unknown) = includes.unknown.first() {
            return Err(unknown.text());
        }
    }
    let changed = |(path, text): (&PathBuf, &Option<_>)| {
        let path: &Path = if text.is_some() { path } else { path.parent()? };
        fs::metadata(path).and_then(|file| file.modified()).ok()
    };
    Ok((key.finish(), includes.files.iter().map(changed).collect()))
}

fn includes(options: &CompileOptions, source: &str, directives: &str) -> Includes {
    let mut defines: String = options.defines.iter().map(|define| option::definition(define)).collect();
    defines += directives;
    let headers = options.headers.iter().map(|(name, text)| Text { name, text });
    let own = [Text { name: options.source_name(), text: source }, Text { name: "", text: &defines }];
    kernel_args_nvrtc::includes(&Search {
        root: Path::new(""),
        folders: options.include_paths.clone(),
        texts: headers.chain(own).collect(),
        files: Vec::new(),
    })
}

struct Key(Sha256);

impl Key {
    /// Begins with the version of the crate and of the format.
    fn new() -> Self {
        let mut key = Self(Sha256::new());
        key.add(concat!("kernel-args ", env!("CARGO_PKG_VERSION"), " 1").as_bytes());
        key
    }

    /// Adds a part, preceded by its length, so two different lists of parts never have the same bytes.
    fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    fn list(&mut self, parts: &[impl AsRef<[u8]>]) {
        self.0.update((parts.len() as u64).to_le_bytes());
        for part in parts {
            self.add(part.as_ref());
        }
    }

    fn finish(self) -> String {
        let digits: Vec<String> = self.0.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        digits.concat()
    }
}

pub(super) fn checksum(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel_args_abi::Sm;

    #[test]
    fn every_part_of_a_source_is_in_its_key() {
        let options = || CompileOptions::new().define("A", 1).header("a.h", "int a;");
        let key = |options: &CompileOptions, source: &str, version: (i32, i32), architecture: &str| {
            let architecture = Architecture::choose(Some(architecture), false, Sm(90), &[]).unwrap();
            key(options, source, version, &architecture)
        };
        let of = |options: &CompileOptions| key(options, "int x;", (13, 0), "sm_90").unwrap();
        let base = of(&options());
        assert_eq!(of(&options()), base);
        for other in [
            options().define("B", 1),
            options().header("b.h", ""),
            options().name("other.cu"),
            options().name_expression("f<int>"),
            options().debug_info(true),
            options().cache_key(""),
            options().cache_key("2"),
            options().line_info(),
        ] {
            assert_ne!(of(&other), base);
        }
        for (source, version, architecture) in [
            ("int y;", (13, 0), "sm_90"),
            ("int x;", (13, 1), "sm_90"),
            ("int x;", (13, 0), "sm_90a"),
            ("int x;", (13, 0), "compute_90"),
        ] {
            assert_ne!(key(&options(), source, version, architecture).unwrap(), base);
        }
        let computed = "#include MACRO";
        assert!(key(&options(), computed, (13, 0), "sm_90").is_err());
        assert!(key(&options().cache_key("1"), computed, (13, 0), "sm_90").is_ok());
        assert!(key(&options().option("-I/usr"), "int x;", (13, 0), "sm_90").is_err());
    }

    #[test]
    fn the_parts_of_a_key_do_not_run_into_each_other() {
        let key = |lists: &[&[&str]]| {
            let mut key = Key::new();
            for list in lists {
                key.list(list);
            }
            key.finish()
        };
        let keys = [
            key(&[&["ab"], &["c"]]),
            key(&[&["a"], &["bc"]]),
            key(&[&["a", "b"], &["c"]]),
            key(&[&["a"], &["b", "c"]]),
            key(&[&["ab", "c"], &[]]),
            key(&[]),
        ];
        for (i, a) in keys.iter().enumerate() {
            assert_eq!(a.len(), 64);
            assert!(keys[i + 1..].iter().all(|b| a != b), "{i}");
        }
    }
}

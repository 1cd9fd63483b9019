//! A cache of compiled sources in a folder.

use super::{
    entry::{decode, encode},
    source::{CacheUse, Compiled},
};
use kernel_args_nvrtc::{read_file, write_file};
use std::{format, fs, io, path::Path};

/// The maximum size of an entry that is read, in bytes.
const LARGEST: usize = 1 << 30;

pub(super) fn read(folder: &Path, name: &str) -> Option<Compiled> {
    decode(name, &read_file(&folder.join(name), LARGEST).ok()??)
}

/// Stores the entry with this name atomically: other processes see the complete entry or no entry.
pub(super) fn write(folder: &Path, name: &str, compiled: &Compiled) -> CacheUse {
    let store = || -> io::Result<()> {
        fs::create_dir_all(folder)?;
        write_file(&folder.join(name), &encode(name, compiled))
    };
    match store() {
        Ok(()) => CacheUse::Stored,
        Err(error) => CacheUse::Failed(format!("{}: {}", folder.display(), error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        env, process,
        string::{String, ToString as _},
        thread,
        vec::Vec,
    };

    fn compiled(text: &str) -> Compiled {
        Compiled {
            architecture: "sm_90".into(),
            ptx: text.as_bytes().to_vec(),
            cubin: [7; 10_000].into(),
            debug: Vec::new(),
            log: String::new(),
            names: Vec::new(),
        }
    }

    #[test]
    fn readers_see_whole_entries_while_many_write() {
        let folder = env::temp_dir().join(format!("kernel-args-cache-{}", process::id()));
        thread::scope(|scope| {
            for writer in 0..4 {
                let folder = &folder;
                scope.spawn(move || {
                    for _ in 0..50 {
                        let stored = write(folder, "one", &compiled(&writer.to_string()));
                        assert_eq!(stored, CacheUse::Stored);
                    }
                });
            }
            let mut seen = 0;
            while seen < 200 {
                if let Ok(bytes) = fs::read(folder.join("one")) {
                    assert!(decode("one", &bytes).is_some(), "{} bytes", bytes.len());
                    seen += 1;
                }
            }
        });
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "no scratch file is left");
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! A cache of compiled sources in a folder.
//!
//! An entry is a mark, a checksum of the rest, then the entry's name and its parts, each with its length before it.

use super::{
    key::checksum,
    source::{CacheUse, Compiled},
};
use kernel_args_nvrtc::{read_file, write_file};
use std::{fs, io, path::Path};

const MARK: &[u8] = b"kernel-args\0\x01";

fn encode(name: &str, compiled: &Compiled) -> Vec<u8> {
    let Compiled { architecture, ptx, cubin, debug, log, names } = compiled;
    let names = names.iter().flat_map(|(expression, symbol)| [expression.as_bytes(), symbol.as_bytes()]);
    let mut parts = Vec::new();
    for part in [name.as_bytes(), architecture.as_bytes(), ptx, cubin, debug, log.as_bytes()].into_iter().chain(names) {
        parts.extend((part.len() as u64).to_le_bytes());
        parts.extend(part);
    }
    [MARK, &checksum(&parts), &parts].concat()
}

/// Decodes the entry with this name; `None` if the entry has a different name or is damaged.
fn decode(name: &str, entry: &[u8]) -> Option<Compiled> {
    let rest = entry.strip_prefix(MARK)?;
    let (sum, mut parts) = rest.split_at_checked(32)?;
    if checksum(parts) != sum {
        return None;
    }
    let mut next = || -> Option<Vec<u8>> {
        let (length, rest) = parts.split_first_chunk::<8>()?;
        let (part, rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
        parts = rest;
        Some(part.to_vec())
    };
    let text = |bytes| String::from_utf8(bytes).ok();
    if next()? != name.as_bytes() {
        return None;
    }
    let mut compiled = Compiled {
        architecture: text(next()?)?,
        ptx: next()?,
        cubin: next()?,
        debug: next()?,
        log: text(next()?)?,
        names: Vec::new(),
    };
    while let Some(expression) = next() {
        let symbol = next()?;
        compiled.names.push((text(expression)?, text(symbol)?));
    }
    Some(compiled)
}

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
    use std::{env, process, string::ToString as _, thread};

    fn compiled(text: &str) -> Compiled {
        Compiled {
            architecture: "sm_90".into(),
            ptx: text.as_bytes().to_vec(),
            cubin: (0..=255).collect(),
            debug: Vec::new(),
            log: "a warning\n".into(),
            names: [("f<int>".into(), "_Z1fIiEvv".into()), ("g".into(), "g".into())].into(),
        }
    }

    #[test]
    fn every_damage_is_noticed() {
        let bytes = encode("name", &compiled("ptx"));
        assert_eq!((decode("name", &bytes), decode("other", &bytes)), (Some(compiled("ptx")), None));
        for at in 0..bytes.len() {
            for flip in [1, 0x80] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                assert_eq!(decode("name", &damaged), None, "{at}");
            }
            assert_eq!(decode("name", &bytes[..at]), None, "{at}");
        }
        let mut longer = bytes;
        longer.push(0);
        assert_eq!(decode("name", &longer), None);
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

//! What an entry of the cache is found by.

use sha2::{Digest as _, Sha256};
use std::{fmt::Write as _, string::String};

/// A hash of everything that the compiled code depends on, part by part.
pub(super) struct Key(Sha256);

impl Key {
    /// Entries of another version of this crate, or of another format, are others.
    pub(super) fn new() -> Self {
        let mut key = Self(Sha256::new());
        key.add(concat!("kernel-args ", env!("CARGO_PKG_VERSION"), " 1").as_bytes());
        key
    }

    /// A part: its length goes before it, so that no two lists of parts are the same bytes.
    pub(super) fn add(&mut self, part: &[u8]) {
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// A list of parts.
    pub(super) fn list<'p>(&mut self, parts: impl ExactSizeIterator<Item = &'p [u8]>) {
        self.0.update((parts.len() as u64).to_le_bytes());
        for part in parts {
            self.add(part);
        }
    }

    /// The name of the entry.
    pub(super) fn finish(self) -> String {
        hex(&self.0.finalize())
    }
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // A `String` takes any text.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The checksum of an entry.
pub(super) fn checksum(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_key_do_not_run_into_each_other() {
        let key = |lists: &[&[&str]]| {
            let mut key = Key::new();
            for list in lists {
                key.list(list.iter().map(|part| part.as_bytes()));
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

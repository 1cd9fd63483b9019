//! The inputs of an image: the file `NAME.sources`.
//!
//! ```text
//! kernel-args-build 1
//! output ptx
//! define N=4
//! image 0123456789abcdef
//! description 0123456789abcdef
//! source 0123456789abcdef src/saxpy.cu
//! ```
//!
//! In `OUT_DIR` the file also contains the compiler, files outside of the package, other inputs, and the compiler's
//! warnings.

use std::{collections::BTreeMap, fs, path::Path, time::UNIX_EPOCH};

/// The first line, with the version of the format.
const FIRST: &str = "kernel-args-build 1";

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Record {
    pub(super) options: Vec<String>,
    pub(super) image: Option<u64>,
    pub(super) description: u64,
    /// By relative paths with `/`.
    pub(super) sources: BTreeMap<String, u64>,
    /// Files by the size and time that the system reports, with the compiler.
    pub(super) outside: BTreeMap<String, String>,
    /// Other inputs: variables of the compiler, and which headers were found.
    pub(super) state: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Record {
    /// Returns whether the sources and this image are as in the other record.
    pub(super) fn has_contents_of(&self, other: &Self, image: &Path) -> bool {
        let image = &*image.to_string_lossy();
        let state = self.outside.get(image);
        state.is_some() && state == other.outside.get(image) && self.sources == other.sources
    }

    /// Returns the committed form, without the lines that depend on this machine.
    pub(super) fn portable(&self) -> Self {
        Self { outside: BTreeMap::new(), state: Vec::new(), warnings: Vec::new(), ..self.clone() }
    }

    pub(super) fn write(&self) -> String {
        let mut lines = vec![FIRST.to_owned()];
        lines.extend_from_slice(&self.options);
        lines.extend(self.image.map(|image| format!("image {image:016x}")));
        lines.push(format!("description {:016x}", self.description));
        lines.extend(self.sources.iter().map(|(path, hash)| format!("source {hash:016x} {path}")));
        lines.extend(self.outside.iter().map(|(path, stamp)| format!("outside {stamp} {path}")));
        lines.extend(self.state.iter().map(|state| format!("state {state}")));
        lines.extend(self.warnings.iter().map(|warning| format!("warning {warning}")));
        lines.join("\n") + "\n"
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        lines.next().filter(|line| *line == FIRST)?;
        let mut record = Self::default();
        let number = |hash: &str| u64::from_str_radix(hash, 16).ok();
        let mut is_whole = false;
        for line in lines {
            let (word, rest) = line.split_once(' ')?;
            match word {
                "image" => record.image = Some(number(rest)?),
                "description" => {
                    record.description = number(rest)?;
                    is_whole = true;
                }
                "source" => {
                    let (hash, path) = rest.split_once(' ')?;
                    record.sources.insert(path.into(), number(hash)?);
                }
                "outside" => {
                    let (stamp, path) = rest.split_once(' ')?;
                    record.outside.insert(path.into(), stamp.into());
                }
                "state" => record.state.push(rest.into()),
                "warning" => record.warnings.push(rest.into()),
                _ => record.options.push(line.into()),
            }
        }
        is_whole.then_some(record)
    }

    pub(super) fn open(path: &Path) -> Option<Self> {
        let text = kernel_args_nvrtc::read_file(path, usize::MAX).ok()??;
        Self::read(&String::from_utf8(text).ok()?)
    }
}

/// 64-bit FNV-1a, which detects accidental changes only, with Unix line ends, because version control may change them.
/// Committed files contain its values, so it must not change.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte != b'\r' || after.first() != Some(&b'\n') {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

pub(super) fn stamp(path: &Path) -> Option<String> {
    let found = fs::metadata(path).ok()?;
    let time = found.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(format!("{}-{}", time.as_nanos(), found.len()))
}

#[cfg(test)]
mod tests {
    use super::{Record, hash};

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let record = Record {
            options: vec!["output ptx".into(), "define N=4".into()],
            image: Some(7),
            description: u64::MAX,
            sources: [("src/a b.cu".into(), 3), ("src/ü.cu".into(), 4)].into(),
            outside: [("/usr/include/stdio.h".into(), "1-2".into())].into(),
            state: vec!["NVCC_CCBIN=clang".into()],
            warnings: vec!["k.cu(1): warning".into(), "  x".into()],
        };
        assert_eq!(Record::read(&record.write()), Some(record.clone()));
        let portable = record.portable().write();
        assert!(["/usr", "NVCC_CCBIN", "warning"].iter().all(|word| !portable.contains(word)), "{portable}");
        assert_eq!(Record::read(&portable.replace('\n', "\r\n")), Some(record.portable()));
        for wrong in [
            "",
            "kernel-args-build 0\ndescription 0\n",
            "kernel-args-build 1\n",
            "kernel-args-build 1\ndescription x\n",
        ] {
            assert_eq!(Record::read(wrong), None, "{wrong}");
        }
    }

    /// Committed files contain these values.
    #[test]
    fn the_hash_stays() {
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
        assert_eq!(hash(b"a\r\nb\n"), hash(b"a\nb\r\n"));
        assert_ne!(hash(b"a\rb"), hash(b"ab"));
    }
}

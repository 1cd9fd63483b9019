//! Files that the traced program has written.

use std::{
    fs::{self, File, OpenOptions},
    io,
    path::Path,
};

/// Opens a regular file.
///
/// # Errors
/// If the name is a link, a device, a pipe or a folder, if the file is longer than `limit` bytes, or if the system denies access.
pub(super) fn open(path: &Path, limit: u64) -> io::Result<File> {
    let check = |found: &fs::Metadata| match found.len() {
        _ if !found.is_file() => Err(io::Error::other("not a regular file")),
        size if size > limit => Err(io::Error::other(format!("larger than {limit} bytes"))),
        _ => Ok(()),
    };
    // This check precedes `open`, because opening a device can have an effect.
    check(&fs::symlink_metadata(path)?)?;
    let file = options().open(path)?;
    // The name can be another file than before.
    check(&file.metadata()?)?;
    Ok(file)
}

/// Options to read a file. Links are not followed, and opening a pipe does not wait for a writer.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        const O_NONBLOCK: i32 = 0o4000;
        const O_NOFOLLOW: i32 = if cfg!(target_arch = "x86_64") { 0o400_000 } else { 0o100_000 };
        options.custom_flags(O_NONBLOCK | O_NOFOLLOW);
    }
    options
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::{open, options};
    use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

    #[test]
    fn only_regular_files_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        let [file, link, pipe] = ["file", "link", "pipe"].map(|name| folder.path().join(name));
        fs::write(&file, "text").unwrap();
        symlink(&file, &link).unwrap();
        assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
        assert!(open(&file, 4).is_ok());
        assert!(open(&file, 3).unwrap_err().to_string().contains("larger than 3 bytes"));
        for other in [&link, &pipe, folder.path(), Path::new("/dev/zero")] {
            assert!(open(other, 4).unwrap_err().to_string().contains("not a regular file"), "{other:?}");
        }
        // Even if they replaced a file after it was found.
        assert!(options().open(&link).is_err());
        assert!(!options().open(&pipe).unwrap().metadata().unwrap().is_file());
    }
}

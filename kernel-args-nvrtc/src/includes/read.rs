//! Reads regular files with a size limit.

use std::{
    fs::{self, OpenOptions},
    io::{self, Read as _},
    path::Path,
};

/// Reads a regular file of at most `limit` bytes. Returns `None` if no file has this name; a folder is not a file.
///
/// # Errors
/// If the file is a device or a pipe, which could block or be endless; if it is longer than `limit`
/// ([`io::ErrorKind::FileTooLarge`]); and if the system denies access.
pub fn read_file(path: &Path, limit: usize) -> io::Result<Option<Vec<u8>>> {
    let is_absent = |error: &io::Error| {
        matches!(
            error.kind(),
            io::ErrorKind::NotFound
                | io::ErrorKind::NotADirectory
                | io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidFilename
        )
    };
    // This check precedes `open`, because opening a pipe waits for a writer.
    let found = match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Ok(None),
        Err(error) if is_absent(&error) => return Ok(None),
        found => found?,
    };
    if !found.is_file() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let file = options().open(path)?;
    // The path can name another file than before.
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let mut bytes = Vec::new();
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_end(&mut bytes)?;
    if bytes.len() > limit {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some(bytes))
}

/// Options to read a file. Opening a pipe does not wait for a writer.
fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        const O_NONBLOCK: i32 = 0o4000;
        options.custom_flags(O_NONBLOCK);
    }
    options
}

#[cfg(test)]
mod tests {
    use super::read_file;
    use std::{env, fs, io::ErrorKind, path::Path, process};

    #[test]
    fn only_regular_files_are_read() {
        let folder = env::temp_dir().join(format!("kernel-args-nvrtc-read-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("file");
        fs::write(&file, "text").unwrap();
        assert_eq!(read_file(&file, 4).unwrap().as_deref(), Some(&b"text"[..]));
        assert_eq!(read_file(&file, 3).unwrap_err().kind(), ErrorKind::FileTooLarge);
        for absent in [&folder, &folder.join("absent"), &file.join("inside")] {
            assert_eq!(read_file(absent, 4).unwrap(), None, "{absent:?}");
        }
        if cfg!(unix) {
            assert!(read_file(Path::new("/dev/zero"), 4).is_err());
            let pipe = folder.join("pipe");
            let made = process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.is_ok_and(|status| status.success()), "mkfifo");
            assert!(read_file(&pipe, 4).is_err());
            if cfg!(target_os = "linux") {
                // Even if the pipe replaced a file after it was found.
                let opened = super::options().open(&pipe).unwrap();
                assert!(!opened.metadata().unwrap().is_file());
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

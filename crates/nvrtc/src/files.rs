//! Reads and writes regular files only. A device or a pipe could block, be endless or be destroyed, and a link leads to
//! a file that the program did not name.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write},
    path::{Path, PathBuf},
    process,
    sync::atomic::{AtomicU32, Ordering},
};

/// Reads a regular file of at most `limit` bytes. Returns `None` if no file has this name; a folder is not a file.
///
/// # Errors
/// If the file is a device or a pipe, if it is longer than `limit` ([`io::ErrorKind::FileTooLarge`]), or if the system
/// denies access.
pub fn read_file(path: &Path, limit: usize) -> io::Result<Option<Vec<u8>>> {
    use io::ErrorKind::{InvalidFilename, InvalidInput, NotADirectory, NotFound};
    let is_absent =
        |error: &io::Error| matches!(error.kind(), NotFound | NotADirectory | InvalidInput | InvalidFilename);
    // This check precedes `open`, because opening a pipe waits for a writer.
    let found = match fs::metadata(path) {
        Ok(found) if found.is_dir() => return Ok(None),
        Err(error) if is_absent(&error) => return Ok(None),
        found => found?,
    };
    if !found.is_file() {
        return Err(io::ErrorKind::Unsupported.into());
    }
    let file = options(0).read(true).open(path)?;
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

/// Opens a regular file of a program that is not trusted, to read it. A link is not followed.
///
/// # Errors
/// If the name is a link, a device, a pipe or a folder, if the file is longer than `limit` bytes, or if the system
/// denies access.
pub fn open_to_read(path: &Path, limit: u64) -> io::Result<File> {
    let check = |found: &fs::Metadata| match found.len() {
        _ if !found.is_file() => Err(io::Error::other("not a regular file")),
        size if size > limit => Err(io::Error::other(format!("larger than {limit} bytes"))),
        _ => Ok(()),
    };
    // This check precedes `open`, because opening a device can have an effect.
    check(&fs::symlink_metadata(path)?)?;
    let file = options(NO_LINK).read(true).open(path)?;
    // The name can be another file than before.
    check(&file.metadata()?)?;
    Ok(file)
}

/// `O_NOFOLLOW` of Linux. On other systems, links are followed after the check that precedes `open`.
const NO_LINK: i32 = if cfg!(target_arch = "x86_64") { 0o400_000 } else { 0o100_000 };

/// Options to open a file. Opening a pipe does not wait for the other end.
#[cfg_attr(not(target_os = "linux"), allow(unused_variables, reason = "these are Linux's values of the flags"))]
fn options(flags: i32) -> OpenOptions {
    #[cfg_attr(not(target_os = "linux"), allow(unused_mut, reason = "these are Linux's values of the flags"))]
    let mut options = OpenOptions::new();
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        const O_NONBLOCK: i32 = 0o4000;
        options.custom_flags(O_NONBLOCK | flags);
    }
    options
}

/// A file that gets its name when it is complete. Until then it is `NAME.PROCESS.NUMBER.part`, which is removed if
/// [`finish`](Self::finish) is not called or fails.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    /// Empty after it was renamed.
    part: PathBuf,
    path: PathBuf,
}

impl NewFile {
    /// # Errors
    /// If the path names a link, a device or a folder ([`io::ErrorKind::Unsupported`]), or if its folder cannot be
    /// written.
    pub fn create(path: &Path) -> io::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        regular_or_absent(path)?;
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let mut part = OsString::from(path);
            part.push(format!(".{}.{number}.part", process::id()));
            // A link with this name is not followed.
            match OpenOptions::new().write(true).create_new(true).open(&part) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => return Ok(Self { file: file?, part: part.into(), path: path.into() }),
            }
        }
    }

    /// Gives the file its name, in one step. It replaces a file of this name.
    ///
    /// # Errors
    /// The errors of [`create`](Self::create), if the folder was changed since.
    pub fn finish(mut self) -> io::Result<()> {
        regular_or_absent(&self.path)?;
        fs::rename(&self.part, &self.path)?;
        self.part.clear();
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.part.as_os_str().is_empty() {
            // Nothing can be done if this fails.
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// Writes a [`NewFile`]: other processes see all these bytes or none.
///
/// # Errors
/// The errors of [`NewFile`], and of writing.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Opens an empty file that other programs read while it grows.
///
/// # Errors
/// If the path names something that is no regular file ([`io::ErrorKind::Unsupported`]), or cannot be opened.
pub fn open_to_write(path: &Path) -> io::Result<File> {
    regular_or_absent(path)?;
    let file = options(NO_LINK).write(true).create(true).truncate(false).open(path)?;
    // The path can name something else than before.
    regular_or_absent(path)?;
    if !file.metadata()?.is_file() {
        return Err(not_regular());
    }
    file.set_len(0)?;
    Ok(file)
}

fn regular_or_absent(path: &Path) -> io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err(not_regular()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn not_regular() -> io::Error {
    let what = "this name is a link, a folder, a device or a pipe, which is never replaced: name another file";
    io::Error::new(io::ErrorKind::Unsupported, what)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(unix)]
    use std::env;
    use tempfile::tempdir;

    #[cfg(unix)]
    fn pipe(folder: &Path) -> PathBuf {
        let pipe = folder.join("pipe");
        kernel_args_test_generator::tools::pipe(&pipe);
        pipe
    }

    fn names(folder: &Path) -> Vec<String> {
        let names =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        let mut names: Vec<_> = names.collect();
        names.sort();
        names
    }

    #[test]
    fn only_regular_files_are_read() {
        let temporary = tempdir().unwrap();
        let folder = temporary.path();
        let file = folder.join("file");
        fs::write(&file, "text").unwrap();
        assert_eq!(read_file(&file, 4).unwrap().as_deref(), Some(&b"text"[..]));
        assert_eq!(read_file(&file, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        for absent in [folder, &folder.join("absent"), &file.join("inside")] {
            assert_eq!(read_file(absent, 4).unwrap(), None, "{absent:?}");
        }
        #[cfg(unix)]
        {
            assert!(read_file(Path::new("/dev/zero"), 4).is_err());
            let pipe = pipe(folder);
            assert!(read_file(&pipe, 4).is_err());
            if cfg!(target_os = "linux") {
                // Even if the pipe replaced a file after it was found.
                let opened = options(0).read(true).open(&pipe).unwrap();
                assert!(!opened.metadata().unwrap().is_file());
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_regular_files_are_opened() {
        let temporary = tempdir().unwrap();
        let folder = temporary.path();
        let [file, link] = ["file", "link"].map(|name| folder.join(name));
        fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        let pipe = pipe(folder);
        assert!(open_to_read(&file, 4).is_ok());
        assert!(open_to_read(&file, 3).unwrap_err().to_string().contains("larger than 3 bytes"));
        for other in [&link, &pipe, folder, Path::new("/dev/zero")] {
            let error = open_to_read(other, 4).unwrap_err().to_string();
            assert!(error.contains("not a regular file"), "{other:?}");
        }
        // Even if they replaced a file after it was found.
        assert!(options(NO_LINK).read(true).open(&link).is_err());
        assert!(!options(NO_LINK).read(true).open(&pipe).unwrap().metadata().unwrap().is_file());
    }

    /// Each way to write, as a function of the path.
    const WAYS: [fn(&Path) -> io::Result<()>; 2] =
        [|path| write_file(path, b"new"), |path| open_to_write(path)?.write_all(b"new")];

    #[test]
    fn a_file_is_written_whole_and_replaced() {
        for way in WAYS {
            let temporary = tempdir().unwrap();
            let folder = temporary.path();
            let file = folder.join("file");
            for before in [None, Some("a longer text")] {
                before.inspect(|text| fs::write(&file, text).unwrap());
                way(&file).unwrap();
                assert_eq!(fs::read(&file).unwrap(), b"new");
                assert_eq!(names(folder), ["file"]);
            }
        }
    }

    #[test]
    fn nothing_appears_until_a_file_is_finished() {
        let temporary = tempdir().unwrap();
        let folder = temporary.path();
        let mut file = NewFile::create(&folder.join("file")).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!folder.join("file").exists());
        drop(file);
        assert_eq!(names(folder), [""; 0]);
    }

    /// As root too, for whom no permission is missing.
    #[cfg(unix)]
    #[test]
    fn links_devices_folders_and_pipes_are_refused() {
        use std::os::unix::fs::symlink;
        let temporary = tempdir().unwrap();
        let folder = temporary.path();
        let at = |name| folder.join(name);
        fs::write(at("target"), "old").unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink(at("target"), at("link")).unwrap();
        symlink(at("absent"), at("dangling")).unwrap();
        symlink("/dev/null", at("device")).unwrap();
        pipe(folder);
        let before = names(folder);
        for way in WAYS {
            for name in ["folder", "link", "dangling", "device", "pipe"] {
                assert_eq!(way(&at(name)).unwrap_err().kind(), io::ErrorKind::Unsupported, "{name}");
            }
            for device in ["/dev/null", "/dev/full"] {
                assert_eq!(way(Path::new(device)).unwrap_err().kind(), io::ErrorKind::Unsupported);
                assert!(!fs::metadata(device).unwrap().is_file());
            }
        }
        // The target became a link while the file was written.
        let mut file = NewFile::create(&at("late")).unwrap();
        file.write_all(b"new").unwrap();
        symlink(at("target"), at("late")).unwrap();
        assert_eq!(file.finish().unwrap_err().kind(), io::ErrorKind::Unsupported);
        fs::remove_file(at("late")).unwrap();
        assert_eq!(names(folder), before);
        assert_eq!(fs::read(at("target")).unwrap(), b"old");
    }

    /// A link that waits under the name of the part is not followed.
    #[cfg(unix)]
    #[test]
    fn a_part_is_a_new_file() {
        let temporary = tempdir().unwrap();
        let folder = temporary.path();
        let target = folder.join("target");
        fs::write(&target, "old").unwrap();
        for number in 0..1000 {
            let part = folder.join(format!("file.{}.{number}.part", process::id()));
            std::os::unix::fs::symlink(&target, part).unwrap();
        }
        write_file(&folder.join("file"), b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(fs::read(folder.join("file")).unwrap(), b"new");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_cannot_be_written_is_an_error() {
        for way in WAYS {
            assert!(way(Path::new("/proc/kernel-args")).is_err());
            assert!(way(Path::new("/proc/self/comm/inside")).is_err());
        }
    }

    /// The test runs itself again with a limit for the size of files, which has the effect of a full disk.
    #[cfg(unix)]
    #[test]
    fn a_full_disk_leaves_the_old_file() {
        const FILE: &str = "KERNEL_ARGS_TEST_FULL_DISK";
        if let Some(file) = env::var_os(FILE) {
            let file = Path::new(&file);
            write_file(&file.with_extension("small"), b"fits").unwrap();
            let bytes = vec![1; 1 << 20];
            assert!(write_file(file, &bytes).is_err());
            // This file is one that grows.
            assert!(open_to_write(&file.with_extension("trace")).unwrap().write_all(&bytes).is_err());
            return;
        }
        let temporary = tempdir().unwrap();
        let folder = temporary.path();
        let file = folder.join("file");
        fs::write(&file, "old").unwrap();
        let status = process::Command::new("/bin/sh")
            .args([
                "-c",
                r#"trap "" XFSZ; ulimit -f 16; exec "$0" --exact files::tests::a_full_disk_leaves_the_old_file"#,
            ])
            .arg(env::current_exe().unwrap())
            .env(FILE, &file)
            .stdout(process::Stdio::null())
            .status();
        assert!(status.unwrap().success());
        assert_eq!(fs::read(&file).unwrap(), b"old");
        assert_eq!(names(folder), ["file", "file.small", "file.trace"]);
    }
}

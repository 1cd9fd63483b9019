//! Makes the test driver the `libcuda` of one process: finds the library, creates a directory with the right names, and
//! starts the process again with this directory first in the library path.

use std::{
    env,
    ffi::{c_int, c_uint},
    fs, io,
    mem::ManuallyDrop,
    path::{Path, PathBuf},
    process::{self, Command, ExitCode},
    sync::atomic::{AtomicU32, Ordering},
};

use libloading::Library;

#[cfg(not(windows))]
use crate::client::runtime_library;
use crate::{Control, Settings, client::exports, config::Config};

const LIBRARY: &str = if cfg!(windows) { "kernel_args_test_driver.dll" } else { "libkernel_args_test_driver.so" };
/// The names by which programs load the driver.
pub(crate) const DRIVERS: &[&str] = if cfg!(windows) { &["nvcuda.dll"] } else { &["libcuda.so", "libcuda.so.1"] };
/// The variable with the folders of libraries.
const FOLDERS: &str = if cfg!(windows) { "PATH" } else { "LD_LIBRARY_PATH" };
/// Set in the processes of a session.
const ACTIVE: &str = "KERNEL_ARGS_TEST_DRIVER_ACTIVE";
/// The variable with the path of the library if it is not next to the binary.
const PATH: &str = "KERNEL_ARGS_TEST_DRIVER_LIBRARY";

/// Returns the library of the test driver: the path in `KERNEL_ARGS_TEST_DRIVER_LIBRARY`, or the newest file near the
/// running binary.
///
/// Next to it are test binaries in `target/*/deps`, and a bundle copied elsewhere. For examples and programs it is in
/// `deps`, next to the binary or above it.
#[must_use]
pub fn locate() -> Option<PathBuf> {
    if let Some(path) = env::var_os(PATH) {
        return Some(PathBuf::from(path)).filter(|path| path.is_file());
    }
    let binary = env::current_exe().ok()?;
    let beside = binary.parent()?;
    // `cargo test` writes into `deps` only, so the library of an earlier `cargo build` can be older.
    // Of equal times, the last one counts.
    [beside.join(".."), beside.join("../deps"), beside.join("deps"), beside.to_owned()]
        .into_iter()
        .map(|directory| directory.join(LIBRARY))
        .filter(|path| path.is_file())
        .max_by_key(|path| path.metadata().and_then(|file| file.modified()).ok())
}

/// Returns whether a [`Session`] started this process.
#[must_use]
pub fn is_active() -> bool {
    env::var_os(ACTIVE).is_some()
}

/// A directory in which `libcuda.so` and `libcuda.so.1` (`nvcuda.dll` on Windows) are the test driver. Dropping it
/// removes the directory.
#[derive(Debug)]
pub struct Session {
    directory: PathBuf,
    variables: Vec<(String, String)>,
}

impl Session {
    /// Creates the directory, under the system's directory for temporary files.
    ///
    /// # Errors
    /// If the library is not found, or the directory cannot be created. `InvalidInput` if a variable has a wrong value.
    pub fn start(settings: &Settings) -> io::Result<Self> {
        let library = locate().ok_or_else(|| {
            let text = format!("{LIBRARY} is not next to this binary: add the dependency kernel-args-test-driver to the package, or set {PATH} to the file");
            io::Error::new(io::ErrorKind::NotFound, text)
        })?;
        let library = fs::canonicalize(library)?;
        let session = Self::create(settings)?;
        session.install(&library, &settings.absent())?;
        Ok(session)
    }

    /// Starts a session with the contents of a library that is part of the program.
    ///
    /// # Errors
    /// If the directory cannot be created. `InvalidInput` if a variable has a wrong value.
    pub fn of_library(library: &[u8], settings: &Settings) -> io::Result<Self> {
        let session = Self::create(settings)?;
        let path = session.directory.join(LIBRARY);
        fs::write(&path, library)?;
        session.install(&path, &settings.absent())?;
        Ok(session)
    }

    fn create(settings: &Settings) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        Config::read(None).map_err(|why| io::Error::new(io::ErrorKind::InvalidInput, why))?;
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let directory = env::temp_dir().join(format!("kernel-args-test-driver-{}-{number}", process::id()));
            match fs::create_dir(&directory) {
                Ok(()) => return Ok(Self { directory, variables: settings.variables() }),
                // A process with this id was killed, and has left its directory.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns a command for `program` that loads the test driver as its `libcuda`. The session must outlive the
    /// process.
    #[must_use]
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut path = self.directory.clone().into_os_string();
        if let Some(rest) = env::var_os(FOLDERS).filter(|rest| !rest.is_empty()) {
            path.push(if cfg!(windows) { ";" } else { ":" });
            path.push(rest);
        }
        let mut command = Command::new(program.as_ref());
        command.env(FOLDERS, path).env(ACTIVE, "1");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns the command for a program whose tests may start sessions with their own settings.
    #[must_use]
    pub fn outer_command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = self.command(program);
        command.env_remove(ACTIVE);
        command
    }

    /// Returns the directory that must be first in `LD_LIBRARY_PATH`, or in `PATH` on Windows.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn install(&self, library: &Path, absent: &[String]) -> io::Result<()> {
        let [first, more @ ..] = DRIVERS else { return Ok(()) };
        let first = self.directory.join(first);
        if absent.is_empty() {
            link(library, &first)?;
        } else {
            let mut bytes = fs::read(library)?;
            exports::strike_out(&mut bytes, absent)?;
            fs::write(&first, bytes)?;
        }
        // It also plays CUPTI and the CUDA runtime.
        #[cfg(not(windows))]
        for name in ["libcudart.so.12", "libcudart.so.13"] {
            fs::write(self.directory.join(name), runtime_library::library(name, DRIVERS[1]))?;
        }
        let cupti = if cfg!(windows) { None } else { Some(&"libcupti.so.13") };
        more.iter().chain(cupti).try_for_each(|name| link(&first, &self.directory.join(name)))
    }
}

/// Returns a second name of a file.
fn link(file: &Path, name: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return std::os::unix::fs::symlink(file, name);
    // Symbolic links need a privilege on Windows, and hard links need the same drive.
    #[cfg(windows)]
    return fs::hard_link(file, name).or_else(|_| fs::copy(file, name).map(drop));
}

impl Drop for Session {
    fn drop(&mut self) {
        // A failure to remove it has no consequences.
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Runs this program again, with the same arguments, on the test driver, and returns its exit code. Returns `None` in
/// the started process. Call it first in `main`:
///
/// ```no_run
/// # use std::process::ExitCode;
/// # use kernel_args_test_driver::{reexec_with_stand_in, Settings};
/// fn main() -> std::io::Result<ExitCode> {
///     if let Some(code) = reexec_with_stand_in(&Settings::new())? {
///         return Ok(code);
///     }
///     // From here on, libcuda is the test driver.
///     Ok(ExitCode::SUCCESS)
/// }
/// ```
///
/// # Errors
/// The errors of [`Session::start`], and if the program cannot be started.
pub fn reexec_with_stand_in(settings: &Settings) -> io::Result<Option<ExitCode>> {
    if is_active() { Ok(None) } else { run_again(settings).map(|code| Some(ExitCode::from(code))) }
}

/// Runs this program again on the test driver, and returns its exit code.
fn run_again(settings: &Settings) -> io::Result<u8> {
    let session = Session::start(settings)?;
    let status = session.command(env::current_exe()?).args(env::args_os().skip(1)).status()?;
    Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

/// On a machine without a GPU, runs this program again on the test driver and then exits with its exit code. Its first
/// line states that kernels are interpreted. With a GPU, and on the test driver, it returns. Call it first in the
/// `main` of an example or a benchmark that everybody should be able to run.
///
/// # Errors
/// The errors of [`reexec_with_stand_in`].
pub fn interpret_without_gpu(settings: &Settings) -> io::Result<()> {
    if is_active() || gpus() > 0 {
        return Ok(());
    }
    println!("There is no GPU here: kernel-args-test-driver interprets the kernels.\n");
    process::exit(run_again(settings)?.into())
}

/// Returns the number of GPUs of the driver of this machine, 0 without a driver.
fn gpus() -> c_int {
    let count = || -> Option<c_int> {
        let name = DRIVERS.last()?;
        // SAFETY: libcuda is initialized by `cuInit` only, and stays loaded.
        let library = ManuallyDrop::new(unsafe { Library::new(*name) }.ok()?);
        // SAFETY: cuda.h declares the function with this type.
        let init = unsafe { library.get::<unsafe extern "C" fn(c_uint) -> c_int>(b"cuInit\0") }.ok()?;
        // SAFETY: cuda.h declares the function with this type; a reference has the ABI of a pointer.
        let count = unsafe { library.get::<unsafe extern "C" fn(&mut c_int) -> c_int>(b"cuDeviceGetCount\0") }.ok()?;
        let mut gpus = 0;
        // SAFETY: the call has no precondition.
        let started = unsafe { init(0) };
        // SAFETY: the driver writes the number through the reference.
        (started == 0 && unsafe { count(&mut gpus) } == 0).then_some(gpus)
    };
    count().unwrap_or_default()
}

/// Runs the body of a `#[test]` on the test driver, in a separate process. The test's name is taken from the closure's
/// type, so the closure must be written in the test function itself:
///
/// ```no_run
/// # use kernel_args_test_driver::{within, Settings};
/// #[test]
/// fn a_kernel_launches() {
///     within(&Settings::new().sm(80), |driver| {
///         // libcuda is the test driver here
///         assert_eq!(driver.launches(), 0);
///     });
/// }
/// ```
///
/// # Panics
/// If the body panics, and if the process cannot be started or did not run the test.
pub fn within<F: FnOnce(&Control)>(settings: &Settings, body: F) {
    if is_active() {
        let control = Control::attach();
        return body(&control.expect("libcuda.so is not the test driver, although this process was started on it"));
    }
    let path = std::any::type_name::<F>();
    let path = path.split("::{{closure}}").next().unwrap_or(path);
    let name = path.split_once("::").map_or(path, |(_crate, name)| name);
    let session = Session::start(settings).unwrap_or_else(|error| panic!("no test driver: {error}"));
    let binary = env::current_exe().unwrap_or_else(|error| panic!("no path to this test binary: {error}"));
    let mut command = session.command(binary);
    command.args([name, "--exact", "--include-ignored", "--nocapture", "--test-threads=1"]);
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let (text, errors) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(
        output.status.success() && text.contains("1 passed"),
        "`{name}` failed on the test driver ({}):\n{text}\n{errors}",
        output.status
    );
}

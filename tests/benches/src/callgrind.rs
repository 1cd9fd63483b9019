//! Counts the instructions of calls with callgrind.

use core::{error::Error, ffi::c_void, ptr};
use kernel_args_stand_in::{Session, Settings};
use std::{
    env, fs, io,
    path::Path,
    process::{self, Command, Stdio},
};

/// A function whose instructions are counted, and its argument.
pub type Call = unsafe extern "C" fn(*mut c_void);

/// Calls `call`. Callgrind reports one number for each call.
///
/// # Safety
/// The requirements of `call`.
#[inline(never)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn measured(call: Call, argument: *mut c_void) {
    // SAFETY: the caller guarantees the requirements of `call`.
    unsafe { call(argument) };
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// Measures the cost of an empty [`measured`] call. Call it first in the process that is counted.
pub fn calibrate() {
    // SAFETY: the function does nothing.
    unsafe { measured(nothing, ptr::null_mut()) };
}

/// Runs this program with `argument` on the test driver, then again under callgrind. Returns the instructions of each
/// measured call, as [`count`] does, and what the program prints.
///
/// # Errors
/// The errors of [`count`].
pub fn count_on_stand_in(argument: &str) -> Result<(Vec<u64>, String), Box<dyn Error>> {
    let session = Session::start(&Settings::new())?;
    let mut command: Command = session.command(env::current_exe()?);
    command.arg(argument);
    let output = command.output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into());
    }
    Ok((count(&command)?, String::from_utf8(output.stdout)?))
}

/// Runs `command` under callgrind. Returns the instructions of each call through [`measured`], without the instructions
/// inside functions whose names begin with `cu` (the driver), and without the cost that [`calibrate`] measured.
///
/// # Errors
/// If valgrind cannot be started, the command fails, or nothing was counted.
pub fn count(command: &Command) -> io::Result<Vec<u64>> {
    let directory = env::temp_dir().join(format!("kernel-args-benches-{}", process::id()));
    fs::create_dir_all(&directory)?;
    let counts = within(&directory, command);
    // The result does not depend on the removal.
    let _ = fs::remove_dir_all(&directory);
    let mut counts = counts?.into_iter();
    let calibration = counts.next().ok_or_else(|| io::Error::other("callgrind has counted nothing"))?;
    Ok(counts.map(|count| count - calibration).collect())
}

fn within(directory: &Path, command: &Command) -> io::Result<Vec<u64>> {
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--quiet", "--tool=callgrind", "--demangle=no"])
        // Entering one of these functions toggles counting. Driver calls outside of measured calls are therefore
        // counted too. Their count is reset when a measured call begins.
        .args(["--toggle-collect=measured", "--toggle-collect=cu*"])
        .args(["--zero-before=measured", "--dump-after=measured"])
        .arg(format!("--callgrind-out-file={}", directory.join("out").display()))
        .arg(command.get_program())
        .args(command.get_args())
        .stdout(Stdio::null());
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            valgrind.env(name, value);
        }
    }
    let status = valgrind.status()?;
    if !status.success() {
        return Err(io::Error::other(format!("valgrind: {status}")));
    }
    let mut counts = Vec::new();
    loop {
        let dump = directory.join(format!("out.{}", counts.len() + 1));
        if !dump.is_file() {
            return Ok(counts);
        }
        counts.push(summary(&fs::read_to_string(dump)?)?);
    }
}

/// The count between two dumps.
fn summary(dump: &str) -> io::Result<u64> {
    let line = dump.lines().find_map(|line| line.strip_prefix("summary: "));
    let count = line.and_then(|line| line.trim().parse().ok());
    count.ok_or_else(|| io::Error::other("callgrind wrote no summary"))
}

//! Instructions of calls, counted by callgrind.

use core::{ffi::c_void, ptr};
use std::{
    env, fs, io,
    path::Path,
    process::{self, Command, Stdio},
};

/// A function whose instructions are counted, and what it takes.
pub type Call = unsafe extern "C" fn(*mut c_void);

/// Calls `call`: what callgrind counts, one number for each time.
///
/// # Safety
/// As `call`.
#[inline(never)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn measured(call: Call, argument: *mut c_void) {
    // SAFETY: the caller's promise is the same one.
    unsafe { call(argument) };
}

unsafe extern "C" fn nothing(_: *mut c_void) {}

/// To be called first in the process whose calls are counted: what a call of [`measured`] costs by itself.
pub fn calibrate() {
    // SAFETY: it does nothing.
    unsafe { measured(nothing, ptr::null_mut()) };
}

/// Runs `command` under callgrind: the instructions of each call through [`measured`], less those that ran inside
/// functions whose names begin with `cu`, the driver, and less those of the call that [`calibrate`] made.
///
/// # Errors
/// Where valgrind cannot be started, the command fails, or nothing was counted.
pub fn count(command: &Command) -> io::Result<Vec<u64>> {
    let directory = env::temp_dir().join(format!("kernel-args-benches-{}", process::id()));
    fs::create_dir_all(&directory)?;
    let counts = within(&directory, command);
    // Nothing depends on its being gone.
    let _ = fs::remove_dir_all(&directory);
    let mut counts = counts?.into_iter();
    let calibration = counts
        .next()
        .ok_or_else(|| io::Error::other("callgrind has counted nothing"))?;
    Ok(counts.map(|count| count - calibration).collect())
}

fn within(directory: &Path, command: &Command) -> io::Result<Vec<u64>> {
    let mut valgrind = Command::new("valgrind");
    valgrind
        .args(["--quiet", "--tool=callgrind", "--demangle=no"])
        // Entering one of these turns counting on where it is off, and off where it is on. So what the driver does
        // for calls that are not measured is counted too: it is forgotten when a measured one begins.
        .args(["--toggle-collect=measured", "--toggle-collect=cu*"])
        .args(["--zero-before=measured", "--dump-after=measured"])
        .arg(format!(
            "--callgrind-out-file={}",
            directory.join("out").display()
        ))
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

/// What was counted between two dumps.
fn summary(dump: &str) -> io::Result<u64> {
    let line = dump.lines().find_map(|line| line.strip_prefix("summary: "));
    let count = line.and_then(|line| line.trim().parse().ok());
    count.ok_or_else(|| io::Error::other("callgrind wrote no summary"))
}

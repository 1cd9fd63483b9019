//! The versions of the tools and libraries.

use std::{fs, process::Command};

/// The compiler that built this program.
pub const RUSTC: &str = env!("BENCHES_RUSTC");
/// The version of cudarc.
pub const CUDARC: &str = env!("BENCHES_CUDARC");

/// Compilers and valgrind.
#[must_use]
pub fn compilers() -> String {
    let first = |program: &str| {
        let output = Command::new(program).arg("--version").output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.lines().next()?.to_owned())
    };
    let [cc, valgrind] = ["cc", "valgrind"].map(|program| first(program).unwrap_or_default());
    format!("{RUSTC}, {cc} -O3, {valgrind}, cudarc {CUDARC}")
}

/// The processor.
#[must_use]
pub fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name"));
    let model = model.map_or("unknown processor", |model| model.trim_start_matches([' ', '\t', ':']));
    let processors = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{model}, {processors} processors")
}

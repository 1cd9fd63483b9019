//! Writes the structs of the benchmarks and, for each struct, the hand-written marshalling in Rust and in C.

mod c;
mod rust;
mod shape;

use std::{env, fs, io, path::PathBuf, process::Command};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=c");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let shapes = shape::all();
    fs::write(out.join("shapes.rs"), rust::source(&shapes))?;
    let hand_written = out.join("hand_written.c");
    fs::write(&hand_written, c::source(&shapes))?;
    // The cargo profile does not matter: C is compiled with -O3.
    cc::Build::new()
        .opt_level(3)
        .warnings(false)
        .include("c")
        .file("c/sink.c")
        .file(hand_written)
        .compile("hand_written");
    println!("cargo::rustc-env=BENCHES_RUSTC={}", rustc());
    println!("cargo::rustc-env=BENCHES_CUDARC={}", locked("cudarc"));
    Ok(())
}

fn rustc() -> String {
    let version = || {
        let output = Command::new(env::var_os("RUSTC")?).arg("--version").output().ok()?;
        String::from_utf8(output.stdout).ok()
    };
    version().unwrap_or_default().trim().to_owned()
}

/// Returns the version of a dependency from `Cargo.lock`.
fn locked(package: &str) -> String {
    let lock = fs::read_to_string("../../Cargo.lock").unwrap_or_default();
    let mut lines = lock.lines().skip_while(|line| *line != format!("name = \"{package}\""));
    let version = lines.nth(1).and_then(|line| line.strip_prefix("version = "));
    version.unwrap_or("unknown").trim_matches('"').to_owned()
}

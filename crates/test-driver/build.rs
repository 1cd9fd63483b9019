//! Builds the library for the program `kernel-args-test-driver`, which contains it: `cargo install` installs programs
//! only.
//!
//! In this repository, cargo builds the library next to the program, which finds it there.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        // A program can close it before it ends, but functions of it run at the end.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
    if env::var_os("CARGO_FEATURE_PROGRAM").is_none() {
        return;
    }
    println!("cargo::rerun-if-changed=src");
    println!("cargo::rerun-if-changed=Cargo.toml");
    let text = match library() {
        Ok(Some(library)) => format!("Some(include_bytes!({:?}))", library.display().to_string()),
        Ok(None) => "None".into(),
        Err(why) => {
            println!("cargo::error=the library of the test driver cannot be built: {why}");
            return;
        }
    };
    let text = format!("const LIBRARY: Option<&[u8]> = {text};\n");
    if let Err(error) = fs::write(folder("OUT_DIR").join("library.rs"), text) {
        println!("cargo::error=library.rs cannot be written: {error}");
    }
}

/// A folder that cargo passes to build scripts.
fn folder(variable: &str) -> PathBuf {
    env::var_os(variable).map(PathBuf::from).unwrap_or_default()
}

/// The path of the library. `None` if the program does not contain it.
fn library() -> io::Result<Option<PathBuf>> {
    let (package, out) = (folder("CARGO_MANIFEST_DIR"), folder("OUT_DIR"));
    let is = |name, value| env::var(name).is_ok_and(|is| is == value);
    let file = match env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux") => "libkernel_args_test_driver.so",
        Ok("windows") => "kernel_args_test_driver.dll",
        _ => return Ok(None),
    };
    let manifest = fs::read_to_string(package.join("Cargo.toml"))?;
    // Cargo writes the manifest of a package again when it packs it.
    let is_repository = manifest.contains("workspace = true");
    let manifest = match is_repository {
        true if !is("PROFILE", "release") => return Ok(None),
        true => package.join("Cargo.toml"),
        false => copy(&package, &manifest, &out.join("package"))?,
    };
    let target = env::var("TARGET").unwrap_or_default();
    // What this package needs is already downloaded, but cargo can be unable to select it.
    if build(&manifest, &target, &out, true).is_err() {
        build(&manifest, &target, &out, false)?;
    }
    Ok(Some(out.join("target").join(target).join("release").join(file)))
}

/// Copies a package out of the folders of cargo, which can be read-only or inside of another workspace.
fn copy(package: &Path, manifest: &str, to: &Path) -> io::Result<PathBuf> {
    // Without the dependencies of the tests, which are not downloaded.
    let mut text = String::from("[workspace]\n");
    let mut is_kept = true;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_kept = !line.starts_with("[dev-dependencies");
        }
        if is_kept {
            text += line;
            text.push('\n');
        }
    }
    // An earlier version of the sources, or nothing.
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to)?;
    for name in ["src", "build.rs"] {
        copy_all(&package.join(name), &to.join(name))?;
    }
    fs::write(to.join("Cargo.toml"), text)?;
    Ok(to.join("Cargo.toml"))
}

fn copy_all(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        return fs::copy(from, to).map(|_| ());
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        copy_all(&from.join(&name), &to.join(&name))?;
    }
    Ok(())
}

/// Builds the library, optimized. The error is cargo's output.
fn build(manifest: &Path, target: &str, out: &Path, offline: bool) -> io::Result<()> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command
        .args(["build", "--lib", "--release", "--no-default-features", "--features", "runtime", "--target"])
        .arg(target)
        .arg("--manifest-path")
        .arg(manifest)
        .arg("--target-dir")
        .arg(out.join("target"))
        .env("CARGO_PROFILE_RELEASE_DEBUG", "0")
        // Otherwise this build script would build the library again.
        .env_remove("CARGO_FEATURE_PROGRAM")
        // A linter that replaces the compiler of the outer build.
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    if offline {
        command.arg("--offline");
    }
    let output = command.output()?;
    if output.status.success() {
        return Ok(());
    }
    // A directive is one line.
    let text = String::from_utf8_lossy(&output.stderr).replace('\n', " | ");
    Err(io::Error::other(text))
}

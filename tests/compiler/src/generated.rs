//! A cargo workspace of generated crates, built in cargo's target folder with what the suites' own build has compiled.

use crate::{read, root, target, write};
use kernel_args_test_generator::size;
use serde_json::Value;
use std::{
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A generated crate.
#[derive(Clone, Debug)]
pub struct Generated<'t> {
    /// Its name.
    pub name: String,
    /// The files of `src` by their names, with their texts: `main.rs` or `lib.rs` is the first.
    pub files: Vec<(&'t str, &'t str)>,
}

/// What a build gave.
#[derive(Debug)]
pub struct Build {
    /// Every message of cargo and rustc.
    pub messages: Vec<Value>,
    /// The programs that were built.
    pub programs: Vec<PathBuf>,
    /// What cargo printed.
    pub stderr: String,
}

impl Build {
    /// The errors as rustc shows them, after what cargo printed.
    #[must_use]
    pub fn errors(&self) -> String {
        let errors = self
            .messages
            .iter()
            .map(|message| &message["message"])
            .filter(|message| message["level"] == "error")
            .filter_map(|message| message["rendered"].as_str());
        errors.fold(self.stderr.clone(), |text, error| text + error)
    }
}

/// Writes crates into `folder`, and builds them all as far as they compile.
///
/// Each depends on `kernel-args`, `cudarc` and `half`, and on `packages`, which are folders of `tests` by their names.
///
/// # Errors
/// Where files cannot be written or cargo cannot be started; a crate that does not compile is none.
pub fn build(folder: &Path, crates: &[Generated], packages: &[&str]) -> Result<Build, String> {
    let names = crates.iter().map(|generated| &generated.name);
    let members: Vec<String> = names.clone().map(|name| format!("{name:?}")).collect();
    let settings = read(&root().join("Cargo.toml"))?;
    let mut manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n{}",
        members.join(", "),
        profiles(&settings)
    );
    if size::is_full() {
        // Thousands of structs are read from hundreds of kernels: that pays for what optimising takes.
        for package in [
            "kernel-args-abi",
            "kernel-args-codegen",
            "kernel-args-derive",
            "kernel-args-image",
        ] {
            let _ = write!(manifest, "[profile.dev.package.{package}]\nopt-level = 1\n");
        }
    }
    for name in names {
        // Debug information of thousands of instances takes longer than they do.
        let _ = write!(
            manifest,
            "[profile.dev.package.{name}]\ndebug = false\nincremental = false\n"
        );
    }
    write(&folder.join("Cargo.toml"), &manifest)?;
    // The versions of this workspace, so that what it has compiled serves here too.
    write(
        &folder.join("Cargo.lock"),
        &read(&root().join("Cargo.lock"))?,
    )?;
    for generated in crates {
        let place = folder.join(&generated.name);
        fs::create_dir_all(place.join("src"))
            .map_err(|error| format!("{}: {error}", place.display()))?;
        write(
            &place.join("Cargo.toml"),
            &package(&generated.name, packages),
        )?;
        for (file, text) in &generated.files {
            write(&place.join("src").join(file), text)?;
        }
    }

    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .current_dir(folder)
        .args([
            "build",
            "--workspace",
            "--keep-going",
            "--message-format=json",
            "--offline",
        ])
        .arg("--target-dir")
        .arg(target()?)
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let messages: Vec<Value> = lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    let programs = messages
        .iter()
        .filter_map(|message| message["executable"].as_str())
        .map(PathBuf::from)
        .collect();
    Ok(Build {
        messages,
        programs,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// The sections `[profile.dev…]` of a manifest.
fn profiles(manifest: &str) -> String {
    let mut inside = false;
    let lines = manifest.lines().filter(|line| {
        if line.starts_with('[') {
            inside = line.starts_with("[profile.dev");
        }
        inside && !line.is_empty()
    });
    lines.fold(String::new(), |text, line| text + line + "\n")
}

fn package(name: &str, packages: &[&str]) -> String {
    let root = root();
    let at = |folder: &str| root.join(folder).display().to_string();
    let mut text = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
         kernel-args = {{ path = {:?}, default-features = false, features = [\"compressed\", \"cudarc\", \"debug-info\", \"half\"] }}\n\
         kernel-args-abi = {{ path = {:?} }}\n\
         kernel-args-image = {{ path = {:?} }}\n\
         half = \"2.7\"\n\
         cudarc = {{ version = \"0.19.10\", default-features = false, features = [\"std\", \"driver\", \
         \"fallback-dynamic-loading\", \"cuda-13000\", \"nvrtc\"] }}\n",
        at("kernel-args"),
        at("kernel-args-abi"),
        at("kernel-args-image")
    );
    for folder in packages {
        let path = at(&format!("tests/{folder}"));
        let _ = writeln!(text, "kernel-args-test-{folder} = {{ path = {path:?} }}");
    }
    text
}

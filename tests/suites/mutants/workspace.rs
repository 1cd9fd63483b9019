//! A cargo workspace of generated crates, built once, and what rustc says of each line.

use crate::{
    corpus::{read, root, write},
    source::{Place, Source},
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    env,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The workspace's folder, in cargo's target folder.
pub(crate) fn folder() -> Result<PathBuf, String> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    for part in ["images", "programs"] {
        make(&folder.join(part))?;
    }
    Ok(folder)
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// What a generated crate is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// rustc must find mistakes in it.
    Checked,
    /// It must run.
    Program,
}

/// A generated crate.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) purpose: Purpose,
    pub(crate) source: Source,
}

/// An error of rustc.
#[derive(Debug)]
pub(crate) struct Diagnostic {
    pub(crate) package: String,
    /// The case in whose lines it is, and where; `None` where it is in none's.
    pub(crate) place: Option<(usize, Place)>,
    pub(crate) message: String,
}

/// What a build gave.
pub(crate) struct Built {
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Of each [`Purpose::Program`], where it was built.
    pub(crate) programs: Vec<PathBuf>,
}

/// Writes the packages, and builds them all.
pub(crate) fn build(folder: &Path, packages: &[Package]) -> Result<Built, String> {
    let members: Vec<String> = packages
        .iter()
        .map(|package| format!("{:?}", package.name))
        .collect();
    // Debug information of thousands of instances takes longer than they do.
    let mut manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [{}]\n\n[profile.dev.package.kernel-args-derive]\nopt-level = 1\n\
         [profile.dev.package.kernel-args-abi]\nopt-level = 1\n",
        members.join(", ")
    );
    for package in packages {
        let _ = write!(
            manifest,
            "[profile.dev.package.{}]\ndebug = false\nincremental = false\n",
            package.name
        );
        package.write(folder)?;
    }
    write(&folder.join("Cargo.toml"), &manifest)?;
    // The versions of this workspace, so that what it has compiled serves here too.
    write(
        &folder.join("Cargo.lock"),
        &read(&root().join("Cargo.lock"))?,
    )?;

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
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).join(".."))
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cargo cannot be started: {error}"))?;
    let mut built = Built {
        diagnostics: Vec::new(),
        programs: Vec::new(),
    };
    for line in output.stdout.split(|byte| *byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<Value>(line) else {
            continue;
        };
        let target = message["target"]["name"].as_str().unwrap_or_default();
        let Some(package) = packages.iter().find(|package| package.name == target) else {
            continue;
        };
        if let Some(program) = message["executable"].as_str() {
            built.programs.push(program.into());
        }
        if message["message"]["level"] == "error" {
            built
                .diagnostics
                .extend(diagnostic(package, &message["message"]));
        }
    }
    let mut judged: BTreeMap<&str, usize> = BTreeMap::new();
    for diagnostic in &built.diagnostics {
        *judged.entry(&diagnostic.package).or_default() += 1;
    }
    for package in packages {
        let program = built
            .programs
            .iter()
            .any(|path| path.ends_with(&package.name));
        let judged = judged.contains_key(package.name.as_str());
        if (package.purpose == Purpose::Program) != program || program == judged {
            return Err(format!(
                "`{}` was not compiled as it should be:\n{}\n{:#?}",
                package.name,
                String::from_utf8_lossy(&output.stderr),
                built
                    .diagnostics
                    .iter()
                    .find(|found| found.package == package.name)
            ));
        }
    }
    Ok(built)
}

impl Package {
    fn write(&self, folder: &Path) -> Result<(), String> {
        let folder = folder.join(&self.name);
        make(&folder.join("src"))?;
        let root = root();
        let root = fs::canonicalize(&root).map_err(|error| error.to_string())?;
        write(
            &folder.join("Cargo.toml"),
            &format!(
                "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n[dependencies]\n\
                 kernel-args = {{ path = {:?}, default-features = false, features = [\"cudarc\", \"half\"] }}\n\
                 half = \"2.7\"\n\
                 cudarc = {{ version = \"0.19.10\", default-features = false, features = [\"std\", \"driver\", \
                 \"fallback-dynamic-loading\", \"cuda-13000\", \"nvrtc\"] }}\n",
                self.name,
                root.join("kernel-args").display().to_string(),
            ),
        )?;
        let file = match self.purpose {
            Purpose::Checked => "lib.rs",
            Purpose::Program => {
                write(&folder.join("src/judge.rs"), crate::source::judge())?;
                "main.rs"
            }
        };
        write(&folder.join("src").join(file), &self.source.text)
    }
}

/// One for each line that an error is at; one without a place where it is at none.
fn diagnostic(package: &Package, message: &Value) -> Vec<Diagnostic> {
    let text = message["message"].as_str().unwrap_or_default();
    // rustc counts its errors in the end.
    if text.starts_with("aborting due to") {
        return Vec::new();
    }
    let spans = message["spans"].as_array().map_or(&[][..], Vec::as_slice);
    let primary = spans.iter().filter(|span| span["is_primary"] == true);
    let mut places: Vec<Option<(usize, Place)>> =
        primary.map(|span| place(package, span)).collect();
    if places.is_empty() {
        places.push(None);
    }
    let diagnostic = |place| Diagnostic {
        package: package.name.clone(),
        place,
        message: text.to_owned(),
    };
    places.into_iter().map(diagnostic).collect()
}

/// The line of a span that the generated crate itself wrote: that of the outermost expansion.
fn place(package: &Package, span: &Value) -> Option<(usize, Place)> {
    let mut span = span;
    loop {
        let line = span["line_start"]
            .as_u64()
            .and_then(|line| usize::try_from(line).ok())?;
        let file = span["file_name"].as_str().unwrap_or_default();
        let own = file.starts_with(&package.name);
        if let Some(place) = package.source.places.get(&line).filter(|_| own) {
            return Some(place.clone());
        }
        span = span.get("expansion")?.get("span")?;
    }
}

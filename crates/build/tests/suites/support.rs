//! Packages in a temporary folder, and the compilers of this repository.

use crate::compilers::SCRIPT;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
    time::{Duration, SystemTime},
};

/// Variables that name a compiler. The tests remove them, to ignore the compilers of the machine.
const VARIABLES: [&str; 16] = [
    "NVCC",
    "CUDA_COMPUTE_CAP",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_TOOLKIT_ROOT_DIR",
    "NVCC_APPEND_FLAGS",
    "NVCC_PREPEND_FLAGS",
    "NVCC_CCBIN",
    "KERNEL_ARGS_BUILD_UPDATE",
    "KERNEL_ARGS_OPTIONAL",
    "DOCS_RS",
    "NUM_JOBS",
    "CARGO_MAKEFLAGS",
    "MAKEFLAGS",
    "MFLAGS",
];

/// The root of the repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// NVRTC in the folder of a compiler.
pub(crate) fn nvrtc(home: &Path) -> PathBuf {
    home.join(if cfg!(windows) { "bin/x86_64/nvrtc64_130_0.dll" } else { "lib/libnvrtc.so.13" })
}

/// A package. Its path contains a space and a non-ASCII letter.
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) root: PathBuf,
    pub(crate) out: PathBuf,
}

impl Package {
    pub(crate) fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernel-args-build tests ü").join(name);
        let _ = fs::remove_dir_all(&folder);
        let package = Self { name: name.to_owned(), root: folder.join("package"), out: folder.join("out") };
        fs::create_dir_all(&package.root).unwrap();
        fs::create_dir_all(&package.out).unwrap();
        package
    }

    /// Writes a file.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.root.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }

    /// Writes a file with a modification time in the past, like a file that was not written just now.
    pub(crate) fn write_old(&self, path: &str, text: &str) {
        let file = self.root.join(path);
        let old = fs::metadata(&file).and_then(|found| found.modified());
        self.write(path, text);
        let past = SystemTime::now() - Duration::from_secs(1000);
        let time = old.map_or(past, |old| old + Duration::from_secs(1));
        let file = fs::File::options().append(true).open(file).unwrap();
        file.set_modified(time).unwrap();
    }

    pub(crate) fn written(&self, name: &str) -> String {
        let path = self.out.join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.out.join(name).exists()
    }

    /// Runs the build script with this name, which is this program started again.
    pub(crate) fn run(&self, script: &str, variables: &[(&str, &Path)]) -> Ran {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .env(SCRIPT, script)
            .env("OUT_DIR", &self.out)
            .env("CARGO_MANIFEST_DIR", &self.root)
            .current_dir(&self.root);
        clear(&mut command);
        command.envs(variables.iter().copied());
        Ran::new(&command.output().unwrap())
    }
}

/// Hides the compilers of the machine.
pub(crate) fn clear(command: &mut Command) {
    for name in VARIABLES {
        command.env_remove(name);
    }
}

/// The output of a build script.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran {
    pub(crate) fn new(output: &Output) -> Self {
        Self {
            success: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The values of the directives with this name.
    pub(crate) fn directives(&self, directive: &str) -> Vec<&str> {
        let prefix = format!("cargo::{directive}=");
        self.stdout.lines().filter_map(|line| line.strip_prefix(&prefix)).collect()
    }

    #[track_caller]
    pub(crate) fn succeeded(self) -> Self {
        assert!(self.success, "{}", self.stderr);
        self
    }

    /// The error of a build script that printed no directives.
    #[track_caller]
    pub(crate) fn failed(self) -> String {
        assert!(!self.success, "{}", self.stdout);
        assert_eq!(self.stdout, "");
        self.stderr
    }
}

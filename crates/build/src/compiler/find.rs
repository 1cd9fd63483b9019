//! Finds the compiler.

use super::{Compiler, nvrtc::Nvrtc};
use crate::{environment::Environment, sources::entries, texts};
use kernel_args_nvrtc::library_names;
use std::{
    env,
    path::{Path, PathBuf},
};

/// The variables that name the folder of a toolkit, by priority.
pub(crate) const FOLDERS: [&str; 4] = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT", "CUDA_TOOLKIT_ROOT_DIR"];

/// The places that were tried, each with the reason why it was rejected.
pub(crate) type Tried = Vec<(String, String)>;

/// Returns the newest version first.
fn versions(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = entries(folder, |name| name.starts_with(prefix)).collect();
    found.sort_by_cached_key(|path| numbers(path));
    found.reverse();
    found
}

/// Returns the numbers in a file name: `libnvrtc.so.13.0.88` gives 13, 0, 88.
fn numbers(path: &Path) -> Vec<u64> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let digits = name.split(|c: char| !c.is_ascii_digit());
    digits.filter_map(|digits| digits.parse().ok()).collect()
}

pub(crate) struct Search<'a> {
    pub(crate) environment: &'a Environment,
    root: &'a Path,
    /// Whether fat binaries are requested, which only nvcc writes.
    needs_nvcc: bool,
    /// Default folders, and names of NVRTC, for when no setting names a compiler.
    usual: Vec<PathBuf>,
    loader: Vec<String>,
}

impl<'a> Search<'a> {
    pub(crate) fn of_system(environment: &'a Environment, root: &'a Path, needs_nvcc: bool) -> Self {
        let usual = if cfg!(windows) {
            let all = environment.get_untracked("ProgramFiles");
            let all = all.map(|folder| Path::new(&folder).join("NVIDIA GPU Computing Toolkit").join("CUDA"));
            all.map_or_else(Vec::new, |folder| versions(&folder, "v"))
        } else {
            let usual = ["/usr/local/cuda", "/opt/cuda"].map(PathBuf::from);
            usual.into_iter().chain(versions(Path::new("/usr/local"), "cuda-")).collect()
        };
        Self { environment, root, needs_nvcc, usual, loader: library_names(None) }
    }

    pub(crate) fn run(&self, explicit: Option<&Path>) -> Result<Compiler, Tried> {
        let mut tried = Tried::new();
        // If the requested compiler does not work, no other compiler replaces it.
        let named = |what: &str, path: &Path| self.named(path).map_err(|why| vec![(what.to_owned(), why)]);
        if let Some(path) = explicit {
            return named(".compiler(…)", path);
        }
        if let Some(path) = self.environment.path("NVCC") {
            return named("NVCC", &path);
        }
        tried.push(("NVCC".into(), texts::NOT_SET.into()));
        let folders = FOLDERS.iter().map(|name| {
            let folder = self.environment.path(name);
            (name.to_string(), folder.ok_or(texts::NOT_SET.into()).and_then(|folder| self.in_folder(&folder)))
        });
        let on_path =
            std::iter::once_with(|| ("PATH".into(), self.on_path("nvcc").map(nvcc).ok_or(texts::NOT_ON_PATH.into())));
        let usual = self.usual.iter().map(|folder| (folder.display().to_string(), self.in_folder(folder)));
        let load = |name: &String| (name.clone(), self.nvrtc(Path::new(name)).map_err(|_| texts::NOT_LOADED.into()));
        let loader = self.loader.iter().map(load);
        for (place, found) in folders.chain(on_path).chain(usual).chain(loader) {
            match found {
                Ok(compiler) => return Ok(compiler),
                Err(why) => tried.push((place, why)),
            }
        }
        Err(tried)
    }

    /// Returns a program, a library, a folder, or the name of a program on `PATH`.
    fn named(&self, path: &Path) -> Result<Compiler, String> {
        let absolute = self.root.join(path);
        if absolute.is_dir() {
            return self.in_folder(&absolute);
        }
        let file = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        if file.contains("nvrtc") {
            return self.nvrtc(if absolute.is_file() { &absolute } else { path });
        }
        if absolute.is_file() {
            return Ok(nvcc(absolute));
        }
        let is_name = path.components().count() == 1;
        let found = is_name.then(|| self.on_path(&path.to_string_lossy())).flatten();
        found.map(nvcc).ok_or_else(|| texts::no_such_compiler(path))
    }

    fn in_folder(&self, folder: &Path) -> Result<Compiler, String> {
        let folder = &self.root.join(folder);
        if !folder.is_dir() {
            return Err(texts::no_folder(folder));
        }
        let program = folder.join("bin").join(format!("nvcc{}", env::consts::EXE_SUFFIX));
        if program.is_file() {
            return Ok(nvcc(program));
        }
        match library_in(folder) {
            Some(library) => self.nvrtc(&library),
            None => Err(texts::no_compiler_in(folder)),
        }
    }

    fn nvrtc(&self, library: &Path) -> Result<Compiler, String> {
        if self.needs_nvcc {
            return Err(texts::NVRTC_HAS_NO_FATBIN.into());
        }
        let folders = FOLDERS.iter().filter_map(|name| self.environment.path(name));
        let places: Vec<PathBuf> = folders.chain(self.usual.iter().cloned()).collect();
        let nvrtc = Nvrtc::load(library, &places).map_err(|error| texts::cannot_load(library, &error))?;
        Ok(Compiler { path: library.to_owned(), nvrtc: Some(nvrtc) })
    }

    fn on_path(&self, program: &str) -> Option<PathBuf> {
        let path = self.environment.get_untracked("PATH")?;
        let suffix = if program.ends_with(env::consts::EXE_SUFFIX) { "" } else { env::consts::EXE_SUFFIX };
        env::split_paths(&path)
            .map(|folder| self.root.join(folder).join(format!("{program}{suffix}")))
            .find(|path| path.is_file())
    }
}

const fn nvcc(path: PathBuf) -> Compiler {
    Compiler { path, nvrtc: None }
}

/// NVRTC in the folder of a toolkit or a Python package, the newest version first.
fn library_in(folder: &Path) -> Option<PathBuf> {
    const INSIDE: [&str; 8] = [
        "lib64",
        "lib",
        "targets/x86_64-linux/lib",
        "targets/sbsa-linux/lib",
        "targets/aarch64-linux/lib",
        "bin/x64",
        "bin/x86_64",
        "bin",
    ];
    let is_nvrtc = |name: &str| {
        let is_library = if cfg!(windows) {
            name.starts_with("nvrtc64_") && name.strip_suffix(".dll").is_some()
        } else {
            name.starts_with("libnvrtc.so")
        };
        is_library && !name.contains("builtins") && !name.contains("alt")
    };
    INSIDE.iter().find_map(|inside| entries(&folder.join(inside), is_nvrtc).max_by_key(|path| numbers(path)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{collections::HashMap, ffi::OsString, fs};
    use tempfile::TempDir;

    /// A folder with toolkits whose files have the right names and are empty.
    struct Machine {
        root: TempDir,
        variables: HashMap<&'static str, OsString>,
    }

    impl Machine {
        fn new() -> Self {
            Self { root: tempfile::tempdir().unwrap(), variables: HashMap::new() }
        }

        fn at(&self, path: &str) -> PathBuf {
            self.root.path().join(path)
        }

        fn file(&self, path: &str) -> PathBuf {
            let path = self.at(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        }

        fn nvcc(&self, toolkit: &str) -> PathBuf {
            self.file(&format!("{toolkit}/bin/nvcc{}", env::consts::EXE_SUFFIX))
        }

        fn set(&mut self, name: &'static str, folder: &str) {
            self.variables.insert(name, self.at(folder).into());
        }

        fn search(&self, explicit: Option<&str>, needs_nvcc: bool) -> Result<PathBuf, Tried> {
            let variables = self.variables.clone();
            let environment = &Environment::new(move |name| variables.get(name).cloned());
            let (usual, loader) = (vec![self.at("usual")], vec!["libnvrtc-that-is-nowhere.so".into()]);
            let search = Search { environment, root: self.root.path(), needs_nvcc, usual, loader };
            search.run(explicit.map(Path::new)).map(|compiler| compiler.path)
        }
    }

    /// Sets the variables from the lowest priority to the highest: each result replaces the previous one.
    #[test]
    fn the_first_place_counts() {
        let mut machine = Machine::new();
        let usual = machine.nvcc("usual");
        assert_eq!(machine.search(None, false).unwrap(), usual);
        let on_path = machine.nvcc("path");
        let path = env::join_paths([machine.at("none"), machine.at("path/bin")]).unwrap();
        machine.variables.insert("PATH", path);
        assert_eq!(machine.search(None, false).unwrap(), on_path);
        for name in FOLDERS.into_iter().rev() {
            machine.set(name, name);
            let expected = machine.nvcc(name);
            assert_eq!(machine.search(None, false).unwrap(), expected);
        }
        let named = machine.nvcc("named");
        machine.variables.insert("NVCC", named.clone().into());
        assert_eq!(machine.search(None, false).unwrap(), named);
        let explicit = machine.nvcc("explicit");
        assert_eq!(machine.search(Some("explicit"), false).unwrap(), explicit, "a folder");
        assert_eq!(machine.search(explicit.to_str(), false).unwrap(), explicit, "a program");
        assert_eq!(machine.search(Some("nvcc"), false).unwrap(), on_path, "a name");
        // A requested compiler is not replaced.
        for (name, explicit) in [(".compiler(…)", Some("wrong/nvcc")), ("NVCC", None)] {
            machine.set("NVCC", "wrong");
            let tried = machine.search(explicit, false).unwrap_err();
            assert!(tried.len() == 1 && tried[0].0 == name && tried[0].1.contains("wrong"), "{tried:?}");
        }
    }

    #[test]
    fn everything_that_was_tried_is_listed() {
        let mut machine = Machine::new();
        machine.set("CUDA_HOME", "absent");
        fs::create_dir(machine.at("empty")).unwrap();
        machine.set("CUDA_PATH", "empty");
        machine.variables.insert("CUDA_ROOT", "".into());
        let tried = machine.search(None, false).unwrap_err();
        let places: Vec<&str> = tried.iter().map(|(place, _)| place.as_str()).collect();
        let usual = machine.at("usual").display().to_string();
        assert_eq!(places, [&["NVCC"][..], &FOLDERS, &["PATH", &usual, "libnvrtc-that-is-nowhere.so"]].concat());
        assert!(tried[1].1.contains("absent") && tried[2].1.contains("empty"), "{tried:?}");
        assert_eq!(tried[3].1, "is not set", "{tried:?}");
    }

    #[test]
    fn an_invalid_library_is_rejected() {
        let machine = Machine::new();
        let (folder, names) = if cfg!(windows) {
            ("bin/x86_64", ["nvrtc64_130_0.dll", "nvrtc-builtins64_130.dll"])
        } else {
            ("lib", ["libnvrtc.so.13", "libnvrtc-builtins.so.13"])
        };
        let [library, _] = names.map(|name| machine.file(&format!("cu13/{folder}/{name}")));
        assert_eq!(library_in(&machine.at("cu13")), Some(library));
        for (needs_nvcc, why) in [(false, "cannot be loaded"), (true, "fat binaries")] {
            let tried = machine.search(Some("cu13"), needs_nvcc).unwrap_err();
            assert!(tried[0].1.contains(why), "{tried:?}");
        }
    }

    #[test]
    fn newer_versions_come_first() {
        let machine = Machine::new();
        for version in ["cuda-9.2", "cuda-12.10", "cuda-12.4", "other-13"] {
            machine.file(version);
        }
        let expected = ["cuda-12.10", "cuda-12.4", "cuda-9.2"].map(|name| machine.at(name));
        assert_eq!(versions(machine.root.path(), "cuda-"), expected);
    }
}

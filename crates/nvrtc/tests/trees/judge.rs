//! Compilers whose output shows which files they read.

use crate::tree::{Forms, STANDARDS, Tree};
use kernel_args_nvrtc::{Search, Text};
use kernel_args_test_generator::tools::{self as tools, GCC, NVRTC};
use std::{
    ffi::CString,
    path::{Path, PathBuf},
    process::Stdio,
};

pub(crate) trait Judge: Send + Sync {
    fn name(&self) -> &'static str;
    /// The forms of directives that the compiler supports.
    fn forms(&self) -> Forms;
    /// Compiles a tree. Two trees give different outputs if the compiler reads different texts. The error means that
    /// the tree does not compile.
    fn read(&self, tree: &Tree) -> Result<Vec<u8>, String>;
    fn search<'t>(&self, tree: &'t Tree) -> Search<'t>;
}

/// The options as directives.
fn defines(tree: &Tree) -> Text<'_> {
    Text { name: "", text: &tree.directives }
}

/// The GCC preprocessor, which nvcc uses.
pub(crate) struct Gcc;

impl Judge for Gcc {
    fn name(&self) -> &'static str {
        "gcc"
    }

    fn forms(&self) -> Forms {
        Forms { texts: false, blanks: true }
    }

    fn read(&self, tree: &Tree) -> Result<Vec<u8>, String> {
        let mut command = tools::command(GCC);
        command
            .args(["-E", "-P", "-w", "-x", "c++", "-Iinc1", "-Iinc2"])
            .arg(format!("-std={}", STANDARDS[tree.standard]))
            .args(tree.defines.iter().map(|define| format!("-D{define}")))
            .arg("src/k.cu")
            .current_dir(&tree.root)
            .stdin(Stdio::null());
        let output = command.output().map_err(|error| error.to_string())?;
        if output.status.success() {
            Ok(output.stdout)
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }

    fn search<'t>(&self, tree: &'t Tree) -> Search<'t> {
        Search {
            root: &tree.root,
            folders: ["inc1", "inc2"].map(PathBuf::from).into(),
            texts: vec![defines(tree)],
            files: vec!["src/k.cu".into()],
        }
    }
}

/// NVRTC. Its PTX contains a variable for each text that it reads.
pub(crate) struct Nvrtc(kernel_args_nvrtc::Nvrtc);

impl Nvrtc {
    pub(crate) fn new() -> Self {
        let file = if cfg!(windows) { "bin/x86_64/nvrtc64_130_0.dll" } else { "lib/libnvrtc.so.13" };
        Self(kernel_args_nvrtc::Nvrtc::open(&tools::path(NVRTC).join(file)).expect("NVRTC"))
    }
}

impl Judge for Nvrtc {
    fn name(&self) -> &'static str {
        "nvrtc"
    }

    fn forms(&self) -> Forms {
        Forms { texts: true, blanks: false }
    }

    fn read(&self, tree: &Tree) -> Result<Vec<u8>, String> {
        let text = |text: &str| CString::new(text).map_err(|error| error.to_string());
        let headers = tree.texts.iter();
        let headers = headers.map(|(name, content)| Ok((text(name)?, text(content)?)));
        let headers = headers.collect::<Result<Vec<_>, String>>()?;
        let (source, name) = (text(tree.source())?, text(&tree.path("src/k.cu"))?);
        let mut options = vec![
            "--gpu-architecture=compute_75".to_owned(),
            format!("--std={}", STANDARDS[tree.standard]),
            format!("--include-path={}", tree.path("inc1")),
            format!("--include-path={}", tree.path("inc2")),
        ];
        options.extend(tree.defines.iter().map(|define| format!("-D{define}")));
        let options = options.iter().map(|option| text(option));
        let options = options.collect::<Result<Vec<_>, _>>()?;
        let program = self.0.program(&source, &name, &headers);
        let mut program = program.map_err(|error| error.to_string())?;
        program.compile(&options).map_err(|_| program.log())?;
        program.ptx().map_err(|error| error.to_string())
    }

    fn search<'t>(&self, tree: &'t Tree) -> Search<'t> {
        let mut texts = vec![defines(tree)];
        let headers = tree.texts.iter();
        texts.extend(headers.map(|(name, text)| Text { name, text }));
        texts.push(Text { name: &tree.source_name, text: tree.source() });
        Search {
            root: Path::new(""),
            folders: ["inc1", "inc2"].map(|folder| tree.path(folder).into()).into(),
            texts,
            files: Vec::new(),
        }
    }
}

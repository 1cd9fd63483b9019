//! Random right signatures, the kernels that have them, and the PTX that NVRTC made of these.
//!
//! The PTX of the standard size is committed, so that the suite runs without NVIDIA's compiler. Where that is
//! installed the sources are compiled again, for cubins, and the committed PTX is compared with what comes out.

use kernel_args_test_generator::{Shape, Signature, Type, cpp, signature};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// All signatures follow from it.
pub(crate) const SEED: u64 = 0x6d75_7461;
/// How many right signatures there are, unless `MUTANTS_SIGNATURES` says otherwise.
const STANDARD: usize = 1000;
/// How many kernels one image holds.
pub(crate) const CHUNK: usize = 50;
/// The architecture of the PTX; every driver that can verify compiles it.
const PTX: &str = "compute_75";
/// The architecture of the cubins, and of the test driver's GPU: its parameter block begins at 0x210.
const CUBIN: &str = "sm_90";
/// Between the images of the committed file.
const SEPARATOR: &str = "//// mutants: image ";

/// Tensor maps by the name that mangled names have for them, in the versions of two toolkits. cuda.h, "CUtensorMap".
const TENSOR_MAPS: &str = "\
namespace cuda12 { struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; }; }
namespace cuda13 { struct alignas(128) CUtensorMap_st { unsigned long long opaque[16]; }; }
using TensorMap64 = cuda12::CUtensorMap_st;
using TensorMap128 = cuda13::CUtensorMap_st;
";

/// How a kernel's name is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linkage {
    /// `extern "C"`: the plain name, which tells nothing of types.
    C,
    /// Mangled, and its types with it.
    Mangled,
    /// Mangled, the kernel and its types in a namespace.
    Namespace,
}

impl Linkage {
    /// Whether the kernel's name tells its C++ types.
    pub(crate) fn tells_types(self) -> bool {
        self != Self::C
    }
}

/// A kernel that has a right struct.
pub(crate) struct Kernel {
    pub(crate) signature: Signature,
    pub(crate) linkage: Linkage,
}

impl Kernel {
    /// The name as the source writes it, and as `entry = "…"` names it.
    pub(crate) fn name(&self) -> &str {
        &self.signature.name
    }

    fn source(&self) -> String {
        let signature = &self.signature;
        let text = signature.cpp_definitions() + &signature.cpp_kernel();
        match self.linkage {
            Linkage::C => text,
            Linkage::Mangled => text.replace("extern \"C\" ", ""),
            Linkage::Namespace => format!(
                "namespace sim {{\n{}}}\n",
                text.replace("extern \"C\" ", "")
            ),
        }
    }
}

/// How many right signatures this run has.
pub(crate) fn size() -> Result<usize, String> {
    match std::env::var("MUTANTS_SIGNATURES") {
        Ok(text) => text
            .parse()
            .map_err(|error| format!("MUTANTS_SIGNATURES={text}: {error}")),
        Err(_) => Ok(STANDARD),
    }
}

/// The first `count` kernels of the seed.
pub(crate) fn kernels(count: usize) -> Vec<Kernel> {
    (0..)
        .map(|index| signature(SEED, Shape::Plain, index))
        .filter(is_wanted)
        .take(count)
        .enumerate()
        .map(|(number, mut signature)| {
            // A struct with type parameters is checked as a whole, not field by field: see the oracle's suites.
            signature.open = 0;
            let linkage = match number % 4 {
                0 | 2 => Linkage::C,
                1 => Linkage::Mangled,
                _ => Linkage::Namespace,
            };
            Kernel { signature, linkage }
        })
        .collect()
}

/// Leaves out what costs much and shows nothing new: most very long lists and very large blocks.
fn is_wanted(signature: &Signature) -> bool {
    let count = signature.parameters.len();
    let rare = signature.name.ends_with("77");
    (count <= 10 || rare) && signature.definitions().len() <= 6
}

/// One source with the kernels of a chunk.
fn source(kernels: &[Kernel]) -> String {
    let prelude = cpp::PRELUDE
        .lines()
        .filter(|line| !line.contains("TensorMap"));
    let mut text = prelude.fold(TENSOR_MAPS.to_owned(), |text, line| text + line + "\n");
    for kernel in kernels {
        text.push_str(&kernel.source());
    }
    text
}

/// The compiled kernels of a chunk.
pub(crate) struct Images {
    pub(crate) ptx: PathBuf,
    /// Where NVRTC is installed.
    pub(crate) cubin: Option<PathBuf>,
}

/// What there is of a run's kernels, compiled.
pub(crate) struct Corpus {
    /// One for each chunk of [`CHUNK`] kernels.
    pub(crate) images: Vec<Images>,
    /// Who compiled the PTX.
    pub(crate) origin: String,
    /// What is wrong with the committed PTX.
    pub(crate) stale: Option<String>,
}

/// The repository's root.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn golden() -> PathBuf {
    root().join("tests/golden/mutants.ptx")
}

impl Corpus {
    /// Writes the images into `folder`. `MUTANTS_BLESS=1` replaces the committed PTX.
    pub(crate) fn make(folder: &Path, kernels: &[Kernel]) -> Result<Self, String> {
        let chunks: Vec<&[Kernel]> = kernels.chunks(CHUNK).collect();
        let compiled = compile(folder, &chunks)?;
        let path = |i: usize, suffix: &str| folder.join(format!("c{i}.{suffix}"));
        let golden_text = fs::read_to_string(golden()).unwrap_or_default();
        let (origin, stale) = if let Some(version) = compiled {
            let mut text = String::new();
            for i in 0..chunks.len() {
                let image = read(&path(i, "ptx"))?;
                let _ = write!(text, "{SEPARATOR}{i}\n{image}");
            }
            if std::env::var_os("MUTANTS_BLESS").is_some() {
                write(&golden(), &text)?;
            }
            // Some runs have more kernels than the committed file, some fewer: whole chunks that both have count.
            let whole = kernels.len() / CHUNK;
            let images = text.split(SEPARATOR).zip(golden_text.split(SEPARATOR));
            let compared = images.clone().skip(1).count();
            let stale = images
                .take(1 + whole)
                .any(|(made, committed)| made != committed)
                || compared < whole.min(STANDARD / CHUNK);
            (
                version,
                stale.then(|| "the committed PTX is not what NVRTC makes now".into()),
            )
        } else {
            let images: Vec<&str> = golden_text.split(SEPARATOR).skip(1).collect();
            if images.len() < chunks.len() {
                return Err(format!(
                    "{} holds {} images, {} are needed, and NVRTC is not installed: run \
                         `python3 ptx/toolchain.py nvrtc`",
                    golden().display(),
                    images.len(),
                    chunks.len()
                ));
            }
            for (i, image) in images.iter().take(chunks.len()).enumerate() {
                let image = image.split_once('\n').map_or("", |(_, image)| image);
                write(&path(i, "ptx"), image)?;
            }
            ("the committed PTX (NVRTC is not installed)".into(), None)
        };
        let cubins = path(0, &format!("{CUBIN}.cubin")).is_file() && origin.starts_with("NVRTC");
        let images = (0..chunks.len())
            .map(|i| Images {
                ptx: path(i, "ptx"),
                cubin: cubins.then(|| path(i, &format!("{CUBIN}.cubin"))),
            })
            .collect();
        Ok(Self {
            images,
            origin,
            stale,
        })
    }
}

/// Compiles every chunk, and gives NVRTC's version; `None` where it is not installed.
fn compile(folder: &Path, chunks: &[&[Kernel]]) -> Result<Option<String>, String> {
    let mut command = Command::new("python3");
    command
        .arg(root().join("tests/suites/oracle/compile.py"))
        .arg(folder)
        .arg(format!("{PTX},{CUBIN}"))
        .stdin(Stdio::null());
    for (i, chunk) in chunks.iter().enumerate() {
        let path = folder.join(format!("c{i}.cu"));
        write(&path, &source(chunk))?;
        command.arg(path);
    }
    let Ok(output) = command.output() else {
        return Ok(None);
    };
    match output.status.code() {
        Some(0) => {
            let text = String::from_utf8_lossy(&output.stdout);
            Ok(Some(text.lines().next().unwrap_or_default().to_owned()))
        }
        Some(3) => Ok(None),
        _ => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// The symbol of the kernel `name` in PTX.
pub(crate) fn symbol<'t>(ptx: &'t str, name: &str) -> Option<&'t str> {
    let mangled = format!("{}{name}", name.len());
    ptx.lines()
        .filter_map(|line| line.strip_prefix(".visible .entry "))
        .map(|line| line.trim_end_matches(['(', ')', ' ']))
        .find(|symbol| {
            let rest = symbol
                .strip_prefix("_ZN3sim")
                .or_else(|| symbol.strip_prefix("_Z"));
            *symbol == name || rest.is_some_and(|rest| rest.starts_with(&mangled))
        })
}

/// The types that all parameters of a list are made of, each definition once by its name, if no two have one name.
pub(crate) fn definitions(types: &[Type]) -> Option<Vec<(String, String)>> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut agree = true;
    for ty in types {
        ty.walk(&mut |ty| {
            let Some(name) = name(ty) else { return };
            let text: String = ty
                .rust_definition()
                .lines()
                .filter(|line| !line.starts_with("draw!"))
                .fold(String::new(), |text, line| text + line + "\n");
            match found.iter().find(|(known, _)| known == name) {
                Some((_, known)) => agree &= *known == text,
                None => found.push((name.to_owned(), text)),
            }
        });
    }
    agree.then_some(found)
}

/// The name under which a type is defined.
pub(crate) fn name(ty: &Type) -> Option<&str> {
    match ty {
        Type::Enum(e) => Some(&e.name),
        Type::Alias { name, .. } => Some(name),
        Type::Struct(s) => Some(&s.name),
        Type::Leaf(_) | Type::Pointer { .. } | Type::Array(..) => None,
    }
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Writes a file, unless it is already so: cargo goes by its time.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), String> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

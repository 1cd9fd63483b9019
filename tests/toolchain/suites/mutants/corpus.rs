//! Random correct signatures, their kernels, and the PTX that NVRTC compiled from these.
//!
//! The PTX of the default size is committed, to run the suite without NVIDIA's compiler. If the compiler is installed,
//! the sources are compiled again, for cubins, and the result is compared with the committed PTX.

use kernel_args_test_generator::tools;
use kernel_args_test_generator::{Shape, Signature, Type, cpp, signature, size};
use kernel_args_toolchain_tests::{
    golden,
    nvrtc::{self, NVRTC},
    read, write,
};
use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// The seed of all signatures.
pub(crate) const SEED: u64 = 0x6d75_7461;
/// The number of kernels in the committed PTX.
const COMMITTED: usize = 100;
/// The number of kernels in one image.
pub(crate) const CHUNK: usize = 50;
/// The architecture of the PTX. Every driver that can verify kernels compiles it.
const PTX: &str = "compute_75";
/// The architecture of the cubins and of the test driver's GPU. Its parameter block begins at 0x210.
const CUBIN: &str = "sm_90";
/// The folder of the PTX with debug information, in the folder of the images.
pub(crate) const DEBUG: &str = "debug";
/// The separator between images in the committed file.
const SEPARATOR: &str = "//// mutants: image ";

/// Tensor maps by their name in mangled names, in two versions of the toolkit. cuda.h, "CUtensorMap".
const TENSOR_MAPS: &str = "\
namespace cuda12 { struct alignas(64) CUtensorMap_st { unsigned long long opaque[16]; }; }
namespace cuda13 { struct alignas(128) CUtensorMap_st { unsigned long long opaque[16]; }; }
using TensorMap64 = cuda12::CUtensorMap_st;
using TensorMap128 = cuda13::CUtensorMap_st;
";

/// The form of a kernel's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Linkage {
    /// `extern "C"`: the plain name, without types.
    C,
    /// Mangled, with its types.
    Mangled,
    /// Mangled, the kernel and its types in a namespace.
    Namespace,
}

impl Linkage {
    /// Whether the kernel's name contains its C++ types.
    pub(crate) fn contains_types(self) -> bool {
        self != Self::C
    }
}

/// A kernel with a correct struct.
pub(crate) struct Kernel {
    pub(crate) signature: Signature,
    pub(crate) linkage: Linkage,
}

impl Kernel {
    /// The name in the source and in `entry = "…"`.
    pub(crate) fn name(&self) -> &str {
        &self.signature.name
    }

    fn source(&self) -> String {
        let signature = &self.signature;
        let text = signature.cpp_definitions() + &signature.cpp_kernel();
        match self.linkage {
            Linkage::C => text,
            Linkage::Mangled => text.replace("extern \"C\" ", ""),
            Linkage::Namespace => format!("namespace sim {{\n{}}}\n", text.replace("extern \"C\" ", "")),
        }
    }
}

/// The number of correct signatures in this run.
pub(crate) fn size() -> Result<usize, String> {
    match std::env::var("KERNEL_ARGS_MUTANTS_SIGNATURES") {
        Ok(text) => text.parse().map_err(|error| format!("KERNEL_ARGS_MUTANTS_SIGNATURES={text}: {error}")),
        Err(_) => Ok(size::choose(CHUNK, 1000)),
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

/// Leaves out expensive cases that add nothing: most very long lists and very large blocks.
fn is_wanted(signature: &Signature) -> bool {
    let count = signature.parameters.len();
    let rare = signature.name.ends_with("77");
    (count <= 10 || rare) && signature.definitions().len() <= 6
}

/// A source with the kernels of a chunk.
fn source(kernels: &[Kernel]) -> String {
    let prelude = cpp::PRELUDE.lines().filter(|line| !line.contains("TensorMap"));
    let mut text = prelude.fold(TENSOR_MAPS.to_owned(), |text, line| text + line + "\n");
    for kernel in kernels {
        text.push_str(&kernel.source());
    }
    text
}

/// The compiled kernels of a chunk.
pub(crate) struct Images {
    pub(crate) ptx: PathBuf,
    /// Cubins, if NVRTC is installed.
    pub(crate) cubin: Option<PathBuf>,
    /// PTX of the same kernels with debug information, if NVRTC is installed.
    pub(crate) debug: Option<PathBuf>,
}

/// The compiled kernels of a run.
pub(crate) struct Corpus {
    /// One for each chunk of [`CHUNK`] kernels.
    pub(crate) images: Vec<Images>,
    /// The compiler of the PTX.
    pub(crate) origin: String,
}

/// The committed PTX, in `tests/golden`.
const GOLDEN: &str = "mutants.ptx";

impl Corpus {
    /// Writes the images into `folder`.
    pub(crate) fn make(folder: &Path, kernels: &[Kernel]) -> Result<Self, String> {
        let chunks = kernels.len().div_ceil(CHUNK);
        let path = |i: usize, suffix: &str| folder.join(format!("c{i}.{suffix}"));
        let has_nvrtc = tools::has(NVRTC);
        let origin = if has_nvrtc {
            compile(folder, kernels, &format!("{PTX},{CUBIN}"), &[])?;
            compile(&folder.join(DEBUG), kernels, PTX, &["--device-debug"])?;
            nvrtc::version()
        } else {
            let place = golden::place(GOLDEN);
            let text = read(&place)?;
            let images: Vec<&str> = text.split(SEPARATOR).skip(1).collect();
            if images.len() < chunks {
                return Err(format!(
                    "{} holds {} images, {chunks} are needed, and NVRTC is not installed: run \
                         `python3 ptx/toolchain.py nvrtc`",
                    place.display(),
                    images.len(),
                ));
            }
            for (i, image) in images.iter().take(chunks).enumerate() {
                let image = image.split_once('\n').map_or("", |(_, image)| image);
                write(&path(i, "ptx"), image)?;
            }
            "the committed PTX (NVRTC is not installed)".into()
        };
        let images = (0..chunks)
            .map(|i| Images {
                ptx: path(i, "ptx"),
                cubin: has_nvrtc.then(|| path(i, &format!("{CUBIN}.cubin"))),
                debug: has_nvrtc.then(|| folder.join(DEBUG).join(format!("c{i}.ptx"))),
            })
            .collect();
        Ok(Self { images, origin })
    }
}

/// Compares the committed PTX with NVRTC's current output, or writes it if `KERNEL_ARGS_BLESS` is set.
pub(crate) fn check_golden(folder: &Path) -> Result<(), String> {
    let kernels = kernels(COMMITTED);
    compile(folder, &kernels, PTX, &[])?;
    let mut text = String::new();
    for i in 0..kernels.len().div_ceil(CHUNK) {
        let image = read(&folder.join(format!("c{i}.ptx")))?;
        let _ = write!(text, "{SEPARATOR}{i}\n{image}");
    }
    golden::check(GOLDEN, &text)
}

/// Compiles every chunk.
fn compile(folder: &Path, kernels: &[Kernel], targets: &str, options: &[&str]) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let sources = kernels.chunks(CHUNK).enumerate().map(|(i, chunk)| {
        let path = folder.join(format!("c{i}.cu"));
        write(&path, source(chunk))?;
        Ok(path)
    });
    let sources = sources.collect::<Result<Vec<_>, String>>()?;
    nvrtc::compile_with(folder, targets, &[], options, &sources)
}

/// The symbol of the kernel `name` in PTX.
pub(crate) fn symbol<'t>(ptx: &'t str, name: &str) -> Option<&'t str> {
    let mangled = format!("{}{name}", name.len());
    ptx.lines()
        .filter_map(|line| line.strip_prefix(".visible .entry "))
        .map(|line| line.trim_end_matches(['(', ')', ' ']))
        .find(|symbol| {
            let rest = symbol.strip_prefix("_ZN3sim").or_else(|| symbol.strip_prefix("_Z"));
            *symbol == name || rest.is_some_and(|rest| rest.starts_with(&mangled))
        })
}

/// The inner types of all parameters of a list, each definition once by name; `None` if two definitions have the same
/// name.
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

/// The name of a type's definition.
pub(crate) fn name(ty: &Type) -> Option<&str> {
    match ty {
        Type::Enum(e) => Some(&e.name),
        Type::Alias { name, .. } => Some(name),
        Type::Struct(s) => Some(&s.name),
        Type::Leaf(_) | Type::Pointer { .. } | Type::Array(..) => None,
    }
}

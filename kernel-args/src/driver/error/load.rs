//! Images that were not loaded, and kernels that were not found in them.

use super::{Error, IncompatibleImage, LostContext, lines};
use crate::{device::DeviceType, driver::api::DriverCall};
use kernel_args_abi::CppType;
use std::{fmt::Display, io, path::PathBuf};

/// Why an image was not loaded, or a kernel was not found in a module.
#[non_exhaustive]
pub enum LoadError {
    /// The image cannot be read. The driver was not called.
    Image(ImageError),
    /// The image has no code for this GPU and this driver. The driver was not called.
    Incompatible(Box<IncompatibleImage>),
    /// The driver rejected the image.
    #[non_exhaustive]
    Rejected {
        /// The call and what it returned.
        call: DriverCall,
        /// The error log of the driver's compiler or linker; may be empty.
        log: String,
        /// What the error usually means, what the image contains, and what to do: lines, each with a line break before
        /// it.
        explanation: String,
        /// If an earlier kernel left the error: what is known about it.
        lost: Option<Box<LostContext>>,
    },
    /// No kernel has this name, or several kernels match equally well.
    #[non_exhaustive]
    NotFound {
        /// The requested name.
        wanted: String,
        /// The problem.
        problem: &'static str,
        /// The kernels with the most similar names, or the kernels that match.
        candidates: Vec<String>,
    },
    /// The image has the kernel, but not in the code that this GPU runs.
    #[non_exhaustive]
    OtherGpu {
        /// The requested name.
        wanted: String,
        /// The compute capabilities of the code that has the kernel: 90 for `sm_90`.
        only_for: Vec<u16>,
        /// The compute capability of the code that the GPU runs.
        code: Option<u16>,
        /// The compute capability of the GPU.
        gpu: u16,
    },
    /// The types of a struct are not bound to a suffix of kernel names.
    #[non_exhaustive]
    Unbound {
        /// The struct with its types.
        arguments: &'static str,
        /// The bindings of the struct, as in its attribute.
        bindings: Vec<&'static str>,
    },
    /// The module lacks the kernels of all bindings of a type, which are optional.
    #[non_exhaustive]
    Absent {
        /// The requested name; with several bindings of the type, the name for each.
        wanted: Vec<String>,
        /// The struct.
        arguments: &'static str,
        /// The bindings, as in the struct's attribute.
        bindings: Vec<&'static str>,
        /// The first compute capability whose code has one of the kernels, if the attribute contains it: 89 for
        /// `if sm >= 89`.
        since: Option<u16>,
        /// The compute capabilities of the code in the image with which the struct was compared: 86 for `sm_86`.
        image: &'static [u16],
        /// The compute capability of the GPU.
        gpu: u16,
    },
    /// A cudarc function was requested, but cudarc did not load the module.
    #[non_exhaustive]
    NotCudarc {
        /// The kernel or the requested object.
        kernel: String,
    },
}

impl LoadError {
    #[cold]
    pub(crate) fn not_found(wanted: &str, problem: &'static str, candidates: Vec<String>) -> Error {
        Error::Load(Self::NotFound { wanted: wanted.into(), problem, candidates })
    }
}

impl ImageError {
    #[cold]
    pub(crate) fn error(self) -> Error {
        Error::Load(LoadError::Image(self))
    }
}

/// Why an image cannot be read.
#[non_exhaustive]
pub enum ImageError {
    /// The file cannot be read.
    #[non_exhaustive]
    File {
        /// The path of the file.
        path: PathBuf,
        /// The reason.
        error: io::Error,
        /// What the folder contains instead, and where a relative path starts: lines, each with a line break before it.
        nearby: String,
    },
    /// The bytes are not PTX, a cubin or a fat binary, or are damaged.
    Format(kernel_args_image::Error),
    /// The bytes of a file are not PTX, a cubin or a fat binary, or are damaged.
    #[non_exhaustive]
    FileFormat {
        /// The path of the file.
        path: PathBuf,
        /// What the bytes are.
        error: kernel_args_image::Error,
    },
    /// The image was not compiled, because the build script found no CUDA compiler.
    #[non_exhaustive]
    Absent {
        /// The CUDA source.
        source: &'static str,
        /// The places where the build script searched for a compiler, one per line, each with the reason why it was
        /// rejected.
        tried: &'static str,
    },
    /// The image has no bytes.
    Empty,
    /// A text was passed that is not PTX, but looks like the name of a file.
    FileName(String),
    /// A `cudarc::nvrtc::Ptx` that was not compiled by NVRTC: its contents are not accessible.
    NotCompiled,
    /// The image was created by the macros of a different version of this crate.
    Version,
    /// The driver's linker returned no image.
    NotLinked,
    /// The function was loaded from a different image.
    #[non_exhaustive]
    OtherImage {
        /// The kernel.
        kernel: String,
        /// The sizes of the parameters in the image, in bytes.
        image: Vec<usize>,
        /// The sizes of the parameters that the driver reports, in bytes.
        function: Vec<usize>,
    },
}

display!(LoadError, |this, f| match this {
    Self::Image(image) => image.fmt(f),
    Self::Incompatible(image) => write!(f, "the image was not loaded: {image}"),
    Self::Rejected { call, lost: Some(lost), .. } => lost.write(f, format_args!("{call}")),
    Self::Rejected { call, log, explanation, lost: None } => {
        write!(f, "{call}")?;
        if !log.is_empty() {
            write!(f, "; the driver's compiler says:\n{log}")?;
        }
        f.write_str(explanation)
    }
    Self::NotFound { wanted, problem, candidates } => {
        write!(f, "cannot find kernel `{wanted}`: {}", without_list(problem, candidates))?;
        lines(f, candidates)?;
        if let Some(spelled) = in_cpp(wanted) {
            write!(f, "\nhelp: write the types as C++ does: `{spelled}`")?;
        } else if wanted.contains('<') && !candidates.contains(wanted) {
            write!(
                f,
                "\nhelp: a template has only the instances that are named: `CompileOptions::new().name_expression({wanted:?})` for \
                         `Module::compile`, or `template __global__ void {wanted}(…);` in the source, with the types of its parameters"
            )?;
        }
        Ok(())
    }
    Self::OtherGpu { wanted, only_for, code, gpu } => {
        let only_for = listed(only_for, "sm_");
        write!(f, "cannot find kernel `{wanted}`: the image has it only for {only_for}; this GPU is sm_{gpu}")?;
        if let Some(code) = code {
            write!(f, ", which runs the code for sm_{code}")?;
        }
        write!(
            f,
            "\nhelp: compile it for this GPU too: `nvcc -gencode arch=compute_{gpu},code=[sm_{gpu},compute_{gpu}]`; or, if `__CUDA_ARCH__` \
                     leaves it out of older code, use another kernel"
        )
    }
    Self::Unbound { arguments, bindings } => {
        write!(
            f,
            "`{arguments}` has no kernels: its types are not bound to a suffix of kernel names; the bindings are"
        )?;
        lines(f, bindings)?;
        f.write_str("\nhelp: bind the type: `T = f32 => \"_f32\"`")
    }
    Self::Absent { wanted, arguments, bindings, since, image, gpu } => {
        let (wanted, list) = (wanted.join("` or `"), bindings.join("` and `"));
        let [noun, are, lacks] = match bindings.as_slice() {
            [_] => ["binding", "is", "its kernel"],
            _ => ["bindings", "are", "their kernels"],
        };
        write!(
            f,
            "the module has no kernel `{wanted}`: the {noun} `{list}` of `{arguments}` {are} optional, and the image lacks \
                     {lacks}\n  image  "
        )?;
        f.write_str(&if image.is_empty() { "unknown".into() } else { listed(image, "sm_") })?;
        let those = since.map_or("with this one".into(), |first| format!("for sm_{first} or a newer GPU"));
        write!(f, "\n  GPU    sm_{gpu}\nhelp: compile the kernels {those}, or use another type")
    }
    Self::NotCudarc { kernel } => write!(
        f,
        "cudarc has no function for kernel `{kernel}`, because cudarc did not load its module\n\
                 help: load the module with `Module::load_with_cudarc` (feature `nvrtc`), or with `ctx.load_module` and pass it to `Module::from_cudarc`"
    ),
});

const COMPILE: &str = "compile it in the build script with the crate `kernel-args-build`, or at run time: `Module::compile` takes the text \
    of the source (feature `nvrtc`)";

display!(ImageError, |this, f| match this {
    Self::File { path, error, nearby } => write!(f, "cannot read {}: {error}{nearby}", path.display()),
    Self::Format(kernel_args_image::Error::CudaSource) => {
        write!(f, "this is CUDA C++, not a compiled image\nhelp: {COMPILE}")
    }
    Self::Format(error) => error.fmt(f),
    Self::FileFormat { path, error } => {
        write!(f, "{} is not an image of kernels: {error}", path.display())?;
        match error {
            kernel_args_image::Error::CudaSource => write!(f, "\nhelp: {COMPILE}"),
            _ => Ok(()),
        }
    }
    Self::Absent { source, tried } => {
        write!(f, "the image of `{source}` does not exist: the build script found no CUDA compiler")?;
        lines(f, tried.lines())?;
        f.write_str(
                    "\nhelp: install the CUDA Toolkit, or NVRTC alone (`pip install nvidia-cuda-nvrtc`), set `CUDA_HOME` to its folder, \
                     and build again",
                )
    }
    Self::Empty => f.write_str("the image is empty\nhelp: pass PTX, a cubin or a fat binary"),
    Self::FileName(name) if name.to_ascii_lowercase().ends_with(".cu") => {
        write!(f, "{name:?} is not PTX: it looks like the name of a file with CUDA C++\nhelp: {COMPILE}")
    }
    Self::FileName(name) => write!(
        f,
        "{name:?} is not PTX: it looks like the name of a file\n\
                 help: to load a file, pass a `Path`: `Path::new({name:?})`"
    ),
    Self::NotCompiled => f.write_str(
        "this `Ptx` was not compiled by NVRTC, and cudarc gives no access to its contents\n\
                 help: pass the text, the bytes or the path that it was made from",
    ),
    Self::Version => {
        f.write_str("the image was created by a different version of kernel-args\nhelp: pass its bytes")
    }
    Self::NotLinked => f.write_str("the driver's linker returned no image for these images"),
    Self::OtherImage { kernel, image, function } => write!(
        f,
        "the image for kernel `{kernel}` is not the image from which the function was loaded: in the image the kernel \
                 takes {}, but the driver reports {}\n\
                 help: pass the image from which the module was loaded",
        sizes(image),
        sizes(function)
    ),
});

/// Returns a template instance with C++ types, if it is written with Rust types.
fn in_cpp(wanted: &str) -> Option<String> {
    const TYPES: [(&str, CppType<'_>); 8] = [
        ("f32", f32::CPP),
        ("f64", f64::CPP),
        ("i32", i32::CPP),
        ("u32", u32::CPP),
        ("i64", i64::CPP),
        ("u64", u64::CPP),
        ("u8", u8::CPP),
        ("half::f16", CppType::named("__half")),
    ];
    let (name, arguments) = wanted.split_once('<')?;
    let cpp = |word: &str| TYPES.iter().find(|(rust, _)| *rust == word.trim()).map(|(_, cpp)| cpp.to_string());
    let words = || arguments.strip_suffix('>').into_iter().flat_map(|list| list.split(','));
    let list: Vec<String> = words().map(|word| cpp(word).unwrap_or_else(|| word.trim().into())).collect();
    words().any(|word| cpp(word).is_some()).then(|| format!("{}<{}>", name.trim_end_matches("::"), list.join(", ")))
}

const NEAREST: &str = "; the nearest are";

pub(super) fn without_list<'t>(problem: &'t str, names: &[String]) -> &'t str {
    if names.is_empty() { problem.strip_suffix(NEAREST).unwrap_or(problem) } else { problem }
}

fn sizes(sizes: &[usize]) -> String {
    if sizes.is_empty() { "no parameters".into() } else { format!("parameters of {} bytes", listed(sizes, "")) }
}

fn listed(numbers: &[impl Display], before: &str) -> String {
    let numbers: Vec<_> = numbers.iter().map(|number| format!("{before}{number}")).collect();
    numbers.join(", ")
}

#[cfg(test)]
mod tests {
    use super::in_cpp;

    #[test]
    fn template_arguments_are_written_as_in_cpp() {
        for (rust, cpp) in [
            ("saxpy<f32>", "saxpy<float>"),
            ("copy::<u64, half::f16>", "copy<unsigned long long, __half>"),
            ("copy<float, u8>", "copy<float, unsigned char>"),
        ] {
            assert_eq!(in_cpp(rust).as_deref(), Some(cpp));
        }
        for other in ["saxpy", "saxpy<float>", "saxpy<f32"] {
            assert_eq!(in_cpp(other), None);
        }
    }
}

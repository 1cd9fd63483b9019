//! How a source is compiled.

use core::fmt;
use std::{
    format,
    path::{Path, PathBuf},
    string::{String, ToString},
    vec::Vec,
};

/// How NVRTC compiles a source: [`Module::compile`](crate::Module::compile), [`compile`](Self::compile).
///
/// By default it compiles C++17 to a cubin for the context's GPU.
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct CompileOptions {
    pub(super) name: Option<String>,
    pub(super) architecture: Option<String>,
    pub(super) to_ptx: bool,
    pub(super) include_paths: Vec<PathBuf>,
    /// Names and texts.
    pub(super) headers: Vec<(String, String)>,
    pub(super) name_expressions: Vec<String>,
    pub(super) debug_info: bool,
    pub(super) cache: Option<PathBuf>,
    pub(super) cache_key: Option<String>,
    pub(super) defines: Vec<String>,
    standard: Option<CppStandard>,
    switches: Vec<(&'static str, String)>,
    pub(super) others: Vec<String>,
}

/// A version of C++: NVRTC's `--std`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each is named by its year")]
#[non_exhaustive]
pub enum CppStandard {
    Cpp03,
    Cpp11,
    Cpp14,
    Cpp17,
    Cpp20,
}

impl fmt::Display for CppStandard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpp03 => "c++03",
            Self::Cpp11 => "c++11",
            Self::Cpp14 => "c++14",
            Self::Cpp17 => "c++17",
            Self::Cpp20 => "c++20",
        })
    }
}

impl CompileOptions {
    /// NVRTC's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The source's name, which messages begin with; `source.cu` if there is none. Headers in quotes are looked for in its folder
    /// first, which is the current one if the name has none.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// What to compile for, as nvcc has it: `sm_90a` for a cubin, `compute_90` for PTX. Without it, the context's GPU; where NVRTC
    /// does not know it yet, PTX for the newest older GPU that it knows, which the driver compiles.
    pub fn architecture(mut self, architecture: impl Into<String>) -> Self {
        self.architecture = Some(architecture.into());
        self
    }

    /// Make PTX, which the driver compiles when it is loaded, instead of a cubin: for
    /// [`JitOptions`](crate::image::JitOptions), which apply to PTX only.
    pub fn to_ptx(mut self) -> Self {
        self.to_ptx = true;
        self
    }

    /// A folder in which headers are looked for: `--include-path`. NVRTC finds no header of CUDA's by itself: `cuda_fp16.h` and the like
    /// are in the toolkit's folder `include`.
    pub fn include_path(mut self, folder: impl AsRef<Path>) -> Self {
        self.include_paths.push(folder.as_ref().to_path_buf());
        self
    }

    /// A header as text, for `#include "name"`.
    pub fn header(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.headers.push((name.into(), text.into()));
        self
    }

    /// A macro: `--define-macro=NAME=VALUE`.
    pub fn define(mut self, name: impl fmt::Display, value: impl fmt::Display) -> Self {
        self.defines.push(format!("{name}={value}"));
        self
    }

    /// The version of C++; NVRTC's default is C++17: `--std`.
    pub fn standard(mut self, standard: CppStandard) -> Self {
        self.standard = Some(standard);
        self
    }

    /// A kernel that is a template, with its arguments: `axpy<float>`. It is compiled for these, and
    /// `module.kernel::<A>("axpy<float>")` finds it by exactly this text. The types in it are those of the source.
    pub fn name_expression(mut self, expression: impl Into<String>) -> Self {
        self.name_expressions.push(expression.into());
        self
    }

    /// Compile the source once more, with debug information, and verify arguments by the names and members that it tells. The
    /// kernels that run are those without: their speed is the same.
    pub fn debug_info(mut self, on: bool) -> Self {
        self.debug_info = on;
        self
    }

    fn switch(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.switches.retain(|(known, _)| *known != name);
        self.switches.push((name, value.to_string()));
        self
    }

    /// Fast, less exact mathematics: `--use_fast_math`, which implies [`flush_denormals`](Self::flush_denormals), no
    /// [`precise_division`](Self::precise_division) and no [`precise_square_root`](Self::precise_square_root).
    pub fn fast_math(mut self) -> Self {
        self.others.push("--use_fast_math".into());
        self
    }

    /// Whether denormals of `float` count as zero; the default is no: `--ftz`.
    pub fn flush_denormals(self, on: bool) -> Self {
        self.switch("--ftz", on)
    }

    /// Whether division of `float` is rounded as IEEE 754 has it, which is the default: `--prec-div`.
    pub fn precise_division(self, on: bool) -> Self {
        self.switch("--prec-div", on)
    }

    /// Whether square roots of `float` are rounded as IEEE 754 has it, which is the default: `--prec-sqrt`.
    pub fn precise_square_root(self, on: bool) -> Self {
        self.switch("--prec-sqrt", on)
    }

    /// Whether a product and a sum become one fused multiply-add, which is the default: `--fmad`.
    pub fn fused_multiply_add(self, on: bool) -> Self {
        self.switch("--fmad", on)
    }

    /// The maximum number of registers per thread: `--maxrregcount`.
    pub fn max_registers(self, registers: u32) -> Self {
        self.switch("--maxrregcount", registers)
    }

    /// Keep line numbers for profilers: `--generate-line-info`.
    pub fn line_info(mut self) -> Self {
        self.others.push("--generate-line-info".into());
        self
    }

    /// Whether the code can be linked with other relocatable code, by [`Module::link`](crate::Module::link); the default is no:
    /// `--relocatable-device-code`.
    pub fn relocatable(self, on: bool) -> Self {
        self.switch("--relocatable-device-code", on)
    }

    /// Any other option, as NVRTC's documentation writes it.
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.others.push(option.into());
        self
    }

    /// Keep what was compiled in this folder, and take it from there the next time; the folder is made if it is not there. Without
    /// this nothing is kept.
    ///
    /// An entry is taken if all of this is as it was: the source and its name, every option, NVRTC's version (`13.0`), this crate's
    /// version, the texts given as headers, and the contents of every file that the source and its headers can include.
    ///
    /// A source for which this cannot be known is compiled each time, and
    /// [`CompiledSource::cache_use`](crate::compile::CompiledSource::cache_use) reports the reason: a macro as the name in `#include` or
    /// `__has_include`, `__DATE__` and `__TIME__`, options that name files, a file that changes while the source is compiled. With
    /// a [`cache_key`](Self::cache_key) such sources are kept too.
    ///
    /// Threads and processes may use one folder at the same time. An entry that is damaged is noticed by its checksum, and compiled
    /// again. A folder that cannot be read or written is no error. Nothing is ever removed: delete the folder at any time. Who can
    /// write to it can change the kernels: choose one that is the user's own.
    pub fn cache(mut self, folder: impl AsRef<Path>) -> Self {
        self.cache = Some(folder.as_ref().to_path_buf());
        self
    }

    /// A text that changes whenever something changes that the compiled code depends on, and that the [`cache`](Self::cache) cannot see
    /// for itself. With it every source is kept.
    pub fn cache_key(mut self, key: impl Into<String>) -> Self {
        self.cache_key = Some(key.into());
        self
    }

    pub(super) fn source_name(&self) -> &str {
        self.name.as_deref().unwrap_or("source.cu")
    }

    /// NVRTC's options, but for the architecture.
    pub(super) fn list(&self) -> Vec<String> {
        let mut list = Vec::new();
        if let Some(standard) = self.standard {
            list.push(format!("--std={standard}"));
        }
        let paths = self.include_paths.iter();
        list.extend(paths.map(|path| format!("--include-path={}", path.display())));
        list.extend(
            self.defines
                .iter()
                .map(|define| format!("--define-macro={define}")),
        );
        list.extend(
            self.switches
                .iter()
                .map(|(name, value)| format!("{name}={value}")),
        );
        list.extend(self.others.iter().cloned());
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_spelled_as_nvrtc_has_them() {
        let options = CompileOptions::new()
            .standard(CppStandard::Cpp20)
            .include_path("/opt/cuda/include")
            .define("N", 128)
            .define("NAME", "\"text\"")
            .flush_denormals(true)
            .precise_division(true)
            .precise_division(false)
            .max_registers(64)
            .relocatable(true)
            .fast_math()
            .option("--device-int128");
        assert_eq!(
            options.list(),
            [
                "--std=c++20",
                "--include-path=/opt/cuda/include",
                "--define-macro=N=128",
                "--define-macro=NAME=\"text\"",
                "--ftz=true",
                "--prec-div=false",
                "--maxrregcount=64",
                "--relocatable-device-code=true",
                "--use_fast_math",
                "--device-int128",
            ]
        );
        assert!(CompileOptions::new().list().is_empty());
    }
}

use core::fmt;
use std::path::{Path, PathBuf};

/// Options with which NVRTC compiles a source: [`Module::compile`](crate::Module::compile), [`compile`](Self::compile).
///
/// By default it compiles C++17 to a cubin for the context's GPU.
///
/// ```no_run
/// use kernel_args::{Module, compile::CompileOptions};
///
/// # fn main() -> Result<(), kernel_args::Error> {
/// # let ctx = kernel_args::context(0)?;
/// # let source = "";
/// let options = CompileOptions::new().name("fill.cu").define("TILE", 16).fast_math();
/// let module = Module::compile(&ctx, source, &options)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct CompileOptions {
    pub(super) name: Option<String>,
    pub(super) architecture: Option<String>,
    pub(super) to_ptx: bool,
    pub(super) include_paths: Vec<PathBuf>,
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

display!(CppStandard, |this, f| f.write_str(match this {
    Self::Cpp03 => "c++03",
    Self::Cpp11 => "c++11",
    Self::Cpp14 => "c++14",
    Self::Cpp17 => "c++17",
    Self::Cpp20 => "c++20",
}));

/// Options with a value, of which the last one counts, and options without.
macro_rules! options {
    ($($(#[$doc:meta])* $method:ident($($given:ident: $from:ty)?) = $option:literal;)*) => {
        impl CompileOptions {$(
            $(#[$doc])*
            ///
            #[doc = concat!("NVRTC's `", $option, "`.")]
            pub fn $method(self $(, $given: $from)?) -> Self {
                options!(@set self $option $($given)?)
            }
        )*}
    };
    (@set $this:ident $option:literal) => { $this.option($option) };
    (@set $this:ident $option:literal $given:ident) => {{
        let mut options = $this;
        options.switches.retain(|(known, _)| *known != $option);
        options.switches.push(($option, $given.to_string()));
        options
    }};
}

options! {
    /// Fast, less exact mathematics, which implies [`flush_denormals`](Self::flush_denormals), no
    /// [`precise_division`](Self::precise_division) and no [`precise_square_root`](Self::precise_square_root).
    fast_math() = "--use_fast_math";
    /// Whether denormal `float` values count as zero. The default is `false`.
    flush_denormals(on: bool) = "--ftz";
    /// Whether division of `float` is rounded as IEEE 754 specifies. The default is `true`.
    precise_division(on: bool) = "--prec-div";
    /// Whether square roots of `float` are rounded as IEEE 754 specifies. The default is `true`.
    precise_square_root(on: bool) = "--prec-sqrt";
    /// Whether the compiler combines a product and a sum into a fused multiply-add. The default is `true`.
    fused_multiply_add(on: bool) = "--fmad";
    /// The maximum number of registers per thread.
    max_registers(registers: u32) = "--maxrregcount";
    /// Keeps line numbers for profilers.
    line_info() = "--generate-line-info";
    /// Whether the code can be linked with other relocatable code by [`Module::link`](crate::Module::link). The default
    /// is `false`.
    relocatable(on: bool) = "--relocatable-device-code";
}

impl CompileOptions {
    /// NVRTC's defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the source's name, which is the first part of each compiler message; the default is `source.cu`. Headers in
    /// quotes are searched in its folder first; without a folder in the name, in the current folder.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the target architecture as nvcc writes it: `sm_90a` for a cubin, `compute_90` for PTX. The default is the
    /// context's GPU. If NVRTC does not support that GPU yet, the default is PTX for the newest older GPU that it
    /// supports; the driver compiles the PTX.
    pub fn architecture(mut self, architecture: impl Into<String>) -> Self {
        self.architecture = Some(architecture.into());
        self
    }

    /// Generates PTX instead of a cubin. The driver compiles it when it is loaded: this is for
    /// [`JitOptions`](crate::image::JitOptions), which apply to PTX only.
    pub fn to_ptx(mut self) -> Self {
        self.to_ptx = true;
        self
    }

    /// Sets a folder with headers: `--include-path`. NVRTC does not search CUDA's headers by default: `cuda_fp16.h` and
    /// similar headers are in the toolkit's folder `include`.
    pub fn include_path(mut self, folder: impl AsRef<Path>) -> Self {
        self.include_paths.push(folder.as_ref().to_path_buf());
        self
    }

    /// Sets the contents of a header, for `#include "name"`.
    pub fn header(mut self, name: impl Into<String>, text: impl Into<String>) -> Self {
        self.headers.push((name.into(), text.into()));
        self
    }

    /// Sets a macro: `--define-macro=NAME=VALUE`.
    pub fn define(mut self, name: impl fmt::Display, value: impl fmt::Display) -> Self {
        self.defines.push(format!("{name}={value}"));
        self
    }

    /// Sets the version of C++: `--std`. NVRTC's default is C++17.
    pub fn standard(mut self, standard: CppStandard) -> Self {
        self.standard = Some(standard);
        self
    }

    /// Sets a template kernel with its arguments: `axpy<float>`. NVRTC compiles this instance, and
    /// `module.kernel::<A>("axpy<float>")` finds it by exactly this text. Types in the text are types of the source.
    pub fn name_expression(mut self, expression: impl Into<String>) -> Self {
        self.name_expressions.push(expression.into());
        self
    }

    /// Compiles the source a second time with debug information, and verifies arguments by its names and members.
    pub fn debug_info(mut self, on: bool) -> Self {
        self.debug_info = on;
        self
    }

    /// Sets a further option, as NVRTC's documentation writes it.
    pub fn option(mut self, option: impl Into<String>) -> Self {
        self.others.push(option.into());
        self
    }

    /// Stores compiled sources in this folder and reuses them; creates the folder if it does not exist. Without this
    /// option nothing is stored.
    ///
    /// An entry is used if all of the following is unchanged: the source and its name, every option, NVRTC's version
    /// (`13.0`), this crate's version, and headers. Headers are the contents of headers that are given as text, and of
    /// every file that the source and its headers can include.
    ///
    /// Some sources depend on things that cannot be determined: a macro as the name in `#include` or `__has_include`,
    /// `__DATE__` and `__TIME__`, options that name files, a file that changes while the source is compiled. Such a
    /// source is compiled each time, and [`CompiledSource::cache_use`](crate::compile::CompiledSource::cache_use)
    /// reports the reason. With a [`cache_key`](Self::cache_key) such sources are cached too.
    ///
    /// A checksum detects a damaged entry, and the source is then compiled again. A folder that cannot be read or
    /// written is not an error. Entries are never removed; you can delete the folder at any time. Anyone who can write
    /// to the folder can change the kernels: choose a folder that belongs to the user.
    pub fn cache(mut self, folder: impl AsRef<Path>) -> Self {
        self.cache = Some(folder.as_ref().to_path_buf());
        self
    }

    /// Sets a text that identifies everything that affects the compiled code and that the [`cache`](Self::cache) cannot
    /// detect. Change it whenever any of these things changes. With this option every source is cached.
    pub fn cache_key(mut self, key: impl Into<String>) -> Self {
        self.cache_key = Some(key.into());
        self
    }

    pub(super) fn source_name(&self) -> &str {
        self.name.as_deref().unwrap_or("source.cu")
    }

    pub(super) fn list(&self) -> Vec<String> {
        let mut list: Vec<_> = self.standard.iter().map(|standard| format!("--std={standard}")).collect();
        let paths = self.include_paths.iter();
        list.extend(paths.map(|path| format!("--include-path={}", path.display())));
        list.extend(self.defines.iter().map(|define| format!("--define-macro={define}")));
        list.extend(self.switches.iter().map(|(name, value)| format!("{name}={value}")));
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

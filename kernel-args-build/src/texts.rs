//! All sentences of this crate.

use std::{
    fmt::{Display, Write as _},
    io,
    path::{Path, PathBuf},
    process::ExitStatus,
};

pub(crate) const NOT_SET: &str = "is not set";
pub(crate) const NOT_ON_PATH: &str = "has no `nvcc`";
pub(crate) const NOT_LOADED: &str = "is not where the system finds libraries";
pub(crate) const NVRTC_HAS_NO_FATBIN: &str =
    "only NVRTC is there, which does not write fat binaries";
pub(crate) const NO_SOURCES: &str = "there is no kernel to compile\nhelp: name the sources: `.file(\"src/kernels.cu\")` or `.glob(\"src/*.cu\")`";
pub(crate) const NO_HOST_COMPILER: &str = "\n\nnvcc needs a C++ compiler for the host, of a version that it supports, and did not find one\n\
    help: install one (`g++`, or Visual Studio's C++ tools); the variable `NVCC_CCBIN` names another one than the default\n\
    help: NVRTC needs none: `.compiler(…)` or `CUDA_HOME` with its folder";

pub(crate) fn no_build_script(variable: &str) -> String {
    format!(
        "`{variable}` is not set: kernels are compiled by a build script, which cargo runs\nhelp: call this in `build.rs`"
    )
}

pub(crate) fn no_arch(name: &str) -> String {
    format!(
        "`{name}` is no GPU generation\nhelp: write it as `sm_75`, or as `compute_75` for PTX alone"
    )
}

pub(crate) fn no_arch_in(value: &str, variable: &str) -> String {
    format!(
        "`{value}`, the value of `{variable}`, is no GPU generation\nhelp: write it as `75` or `7.5`"
    )
}

pub(crate) fn one_arch(output: &str, names: &[String]) -> String {
    format!(
        "a {output} is for one GPU generation, and these are several: {}\nhelp: name the oldest of them for PTX, which later GPUs \
         run too, or write `.output(Output::Fatbin)`",
        names.join(", ")
    )
}

/// `real` is the name of the same generation for machine code.
pub(crate) fn cubin_of_virtual(arch: &dyn Display, real: &dyn Display) -> String {
    format!(
        "a cubin is machine code, and `{arch}` has none\nhelp: write `.arch(\"{real}\")`, or `.output(Output::Ptx)`"
    )
}

pub(crate) fn no_file(path: &Path, root: &Path) -> String {
    format!(
        "there is no file `{}`\nhelp: relative paths are from the folder of `Cargo.toml`, {}",
        path.display(),
        root.display()
    )
}

pub(crate) fn no_name(path: &Path) -> String {
    format!(
        "the name of `{}` is not Unicode, and so no name of a module\nhelp: rename the file",
        path.display()
    )
}

pub(crate) fn same_module(one: &Path, other: &Path, module: &str) -> String {
    format!(
        "`{}` and `{}` would both be the module `{module}`\nhelp: rename one of them",
        one.display(),
        other.display()
    )
}

pub(crate) fn same_file(described: &Path, image: &Path) -> String {
    format!(
        "the description of `{}` and the image of `{}` would both be written to `{}.ptx`\nhelp: rename one of them",
        described.display(),
        image.display(),
        image.file_stem().unwrap_or_default().to_string_lossy()
    )
}

pub(crate) fn no_pattern(pattern: &str, error: &dyn Display) -> String {
    format!("`{pattern}` is no pattern of files: {error}")
}

pub(crate) fn no_match(pattern: &str, root: &Path) -> String {
    format!(
        "no file matches `{pattern}`\nhelp: relative patterns are from the folder of `Cargo.toml`, {}; `**` stands for folders of \
         any depth",
        root.display()
    )
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("`{}` cannot be read: {error}", path.display())
}

pub(crate) fn cannot_write(path: &Path, error: &io::Error) -> String {
    format!("`{}` cannot be written: {error}", path.display())
}

pub(crate) fn not_written(path: &Path, error: &io::Error) -> String {
    format!(
        "the compiler reports success, but `{}`, which it was to write, cannot be read: {error}",
        path.display()
    )
}

pub(crate) fn has_nul(path: &Path) -> String {
    format!(
        "`{}` has a NUL character, at which NVRTC would stop to read",
        path.display()
    )
}

pub(crate) fn nul_in_option(option: &str) -> String {
    format!("an option has a NUL character: {option:?}")
}

pub(crate) fn cannot_run(program: &Path, error: &io::Error) -> String {
    format!("`{}` cannot be started: {error}", program.display())
}

pub(crate) fn silent(status: ExitStatus) -> String {
    format!("the compiler said nothing, and ended with {status}")
}

pub(crate) fn cannot_load(library: &Path, error: &dyn Display) -> String {
    format!("{} cannot be loaded: {error}", library.display())
}

pub(crate) fn no_such_compiler(path: &Path) -> String {
    format!(
        "{} is neither a program, nor a library, nor a folder",
        path.display()
    )
}

pub(crate) fn no_folder(folder: &Path) -> String {
    format!("there is no folder {}", folder.display())
}

pub(crate) fn no_compiler_in(folder: &Path) -> String {
    format!(
        "{} has neither `bin/nvcc` nor NVRTC in `lib64` or `lib`",
        folder.display()
    )
}

/// No compiler: each place that was tried and what was found there, and what to install.
pub(crate) fn no_compiler(tried: &[(String, String)], has_fallback: bool) -> String {
    let mut text = "no CUDA compiler was found".to_owned();
    for (place, why) in tried {
        let _ = write!(text, "\n  {place}: {why}");
    }
    text += "\nhelp: install the CUDA Toolkit, or NVRTC alone (`pip install nvidia-cuda-nvrtc`), and set `CUDA_HOME` to \
             its folder (`nvidia/cu13` of `site-packages`)";
    if !has_fallback {
        text += "\nhelp: to build without a compiler, commit what a compiler wrote: see `Kernels::fallback`";
    }
    text
}

pub(crate) fn does_not_compile(
    source: &Path,
    compiler: &dyn Display,
    archs: &[String],
    said: &str,
) -> String {
    let mut text = format!(
        "`{}` does not compile with {compiler}:\n{said}",
        source.display()
    );
    // NVRTC does not say which one.
    if ["gpu-architecture", "gpu architecture"]
        .iter()
        .any(|words| said.contains(words))
    {
        let _ = write!(
            text,
            "\nhelp: it was told `{}`, which is from `.arch(…)` or the variable `CUDA_COMPUTE_CAP`; another release of CUDA may know it",
            archs.join("`, `")
        );
    }
    text
}

pub(crate) fn not_with_debug(source: &Path, compiler: &dyn Display, said: &str) -> String {
    format!(
        "`{}` compiles, but not with debug information, which its description is read from, with {compiler}:\n{said}\n\
         help: an option that contradicts a debug build may be the cause",
        source.display()
    )
}

pub(crate) fn header_of_nvrtc(headers: &[PathBuf]) -> String {
    let cuda = match headers.first() {
        Some(folder) => format!("it has those of CUDA in {}", folder.display()),
        None => {
            "nor were those of CUDA found: `CUDA_HOME` is the folder that has them in `include`"
                .to_owned()
        }
    };
    format!(
        "\n\nNVRTC has no headers of C and C++; {cuda}\nhelp: `.include(…)` adds a folder; `nvcc` has the headers of C and C++"
    )
}

pub(crate) fn no_kernels(source: &Path) -> String {
    format!(
        "`{}` has no kernel, and gets no module: a kernel is `__global__`, and of a template only what is instantiated is one",
        source.display()
    )
}

pub(crate) fn no_image(source: &Path, image: &Path) -> String {
    format!(
        "there is no image `{}` of `{}`\nhelp: call `debug_info` after the call that compiles the images; or let `build` compile them",
        image.display(),
        source.display()
    )
}

pub(crate) fn stale_image(image: &Path, header: &Path, source: &Path) -> String {
    format!(
        "`{}` is older than `{}`, which `{source}` includes: it was not compiled again\n\
         help: save `{source}` again, since what compiles the images may look at the sources alone; or let `build` compile them",
        image.display(),
        header.display(),
        source = source.display()
    )
}

pub(crate) fn written_twice(path: &Path) -> String {
    format!(
        "`{}` is written by two sets of kernels\nhelp: give one of them a name of its own, `.rust_file(\"other.rs\")`; a source \
         is in one of them only",
        path.display()
    )
}

pub(crate) fn took_fallback(folder: &Path) -> String {
    format!(
        "no CUDA compiler was found: the committed images in `{}` are used",
        folder.display()
    )
}

pub(crate) fn changed(path: &str) -> String {
    format!("`{path}` was changed since")
}

pub(crate) fn gone(path: &str) -> String {
    format!("`{path}` is not there")
}

/// The settings that are missing now, and those that are new.
pub(crate) fn other_settings(then: &[String], now: &[String]) -> String {
    let list = |lines: &[String]| match lines {
        [] => "nothing".to_owned(),
        lines => format!("`{}`", lines.join("`, `")),
    };
    if then.is_empty() && now.is_empty() {
        return "the settings have another order".into();
    }
    format!(
        "the settings were {}, and are now {}",
        list(then),
        list(now)
    )
}

pub(crate) fn edited(path: &Path) -> String {
    format!("`{}` is not what the compiler wrote", path.display())
}

pub(crate) fn not_committed(path: &Path, error: &io::Error) -> String {
    format!(
        "the committed `{}` cannot be read: {error}{UPDATE}",
        path.display()
    )
}

pub(crate) fn no_record(path: &Path) -> String {
    format!(
        "`{}` is not in the form that this version reads{UPDATE}",
        path.display()
    )
}

const UPDATE: &str = "\nhelp: run `KERNEL_ARGS_BUILD_UPDATE=1 cargo build` where there is a CUDA compiler, and commit the result";

/// Committed images that are of something else.
pub(crate) fn outdated(source: &Path, folder: &Path, differences: &[String]) -> String {
    format!(
        "the committed image of `{}` in `{}` is out of date: {}{UPDATE}",
        source.display(),
        folder.display(),
        differences.join("; ")
    )
}

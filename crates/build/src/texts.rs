//! All messages of this crate.

use kernel_args_image::similar_files;
use std::{
    fmt::{Display, Write as _},
    fs,
    path::{Path, PathBuf},
};

pub(crate) const NOT_SET: &str = "is not set";
pub(crate) const NOT_ON_PATH: &str = "has no `nvcc`";
pub(crate) const NOT_LOADED: &str = "is not in the system's library path";
pub(crate) const NVRTC_HAS_NO_FATBIN: &str = "has only NVRTC, which writes neither fat binaries nor libraries";
pub(crate) const NOT_BUILT: &str = "these kernels are not built; help: end the settings with `.build()?`, or with `.debug_info()?` if another \
    crate compiles the images";
pub(crate) const NO_SOURCES: &str =
    "no sources to compile\nhelp: name the sources: `.file(\"src/kernels.cu\")` or `.glob(\"src/*.cu\")`";
pub(crate) const NO_LIBRARY_ON_WINDOWS: &str = "`.launchers(…)` works on Linux only: the debug information of host code on Windows (PDB) is not read\n\
    help: call it `if cfg!(not(windows))`, and declare the functions by hand on Windows";
pub(crate) const NOT_ASCII: &str = "\nhelp: NVRTC for Windows finds no folder whose absolute path has characters other than ASCII: name a folder inside the package, relative to it";
pub(crate) const NO_HOST_COMPILER: &str = "\n\nnvcc needs a C++ compiler for the host, and did not find a supported version\n\
    help: install `g++` or Visual Studio's C++ tools, or set the variable `NVCC_CCBIN` to a compiler\n\
    help: or use NVRTC, which needs no host compiler: pass its folder to `.compiler(…)`, or set `CUDA_HOME` to it";

/// A message for each row. A `path` is shown with `/`, a `list` with commas, and `names` in backticks.
macro_rules! messages {
    ($($(#[$docs:meta])* $name:ident($($part:ident: $kind:ident),*) = $text:literal;)*) => {$(
        $(#[$docs])*
        pub(crate) fn $name($($part: messages!(type $kind)),*) -> String {
            $(let $part = messages!(shown $kind $part);)*
            format!($text)
        }
    )*};
    (type path) => { &Path };
    (type text) => { &str };
    (type shown) => { &dyn Display };
    (type list) => { &[String] };
    (type names) => { &[String] };
    (shown path $part:ident) => { path($part) };
    (shown list $part:ident) => { $part.join(", ") };
    (shown names $part:ident) => { $part.join("`, `") };
    (shown $kind:ident $part:ident) => { $part };
}

messages! {
    no_build_script(variable: text) = "`{variable}` is not set: kernels can only be compiled in a build script that cargo runs\nhelp: call this in `build.rs`";
    no_arch(name: text) = "`{name}` is not a GPU generation\nhelp: write it as `sm_75`, or as `compute_75` for PTX only";
    no_arch_in(value: text, variable: text) = "`{value}`, the value of `{variable}`, is not a GPU generation\nhelp: write it as `75` or `7.5`";
    one_arch(output: text, names: list) = "a {output} is for one GPU generation, but several are set: {names}\nhelp: set only the oldest one for PTX, which later GPUs \
         also run, or write `.output(Output::Fatbin)`";
    /// `real` is the machine code name of the same generation.
    cubin_of_virtual(arch: shown, real: shown) = "a cubin is machine code, but `{arch}` is a generation of PTX\nhelp: write `.arch(\"{real}\")`, or `.output(Output::Ptx)`";
    no_name(path: path) = "the name of `{path}` is not Unicode, so it cannot name a module\nhelp: rename the file";
    same_module(one: path, other: path, module: text) = "`{one}` and `{other}` would both define the module `{module}`\nhelp: rename one of them";
    no_pattern(pattern: text, error: shown) = "`{pattern}` is not a valid file pattern: {error}";
    no_match(pattern: text, root: path) = "no file matches `{pattern}`\nhelp: relative patterns start at the folder of `Cargo.toml`, {root}; `**` matches folders of \
         any depth";
    excludes_nothing(pattern: text) = "`.exclude({pattern:?})` leaves out no file: no source matches it\nhelp: remove it, or compare it with the sources of `.glob(…)` and `.file(…)`";
    unreadable(path: path, error: shown) = "`{path}` cannot be read: {error}";
    cannot_write(path: path, error: shown) = "`{path}` cannot be written: {error}";
    not_written(path: path, error: shown) = "the compiler reports success, but `{path}`, its output, cannot be read: {error}";
    has_nul(path: path) = "`{path}` contains a NUL character, where NVRTC would stop reading";
    nul_in_option(option: text) = "an option contains a NUL character: {option:?}";
    cannot_run(program: path, error: shown) = "`{program}` cannot be started: {error}";
    cannot_load(library: path, error: shown) = "{library} cannot be loaded: {error}";
    no_such_compiler(path: path) = "{path} is neither a program, nor a library, nor a folder";
    no_folder(folder: path) = "the folder {folder} does not exist";
    no_compiler_in(folder: path) = "{folder} has neither `bin/nvcc` nor NVRTC in `lib64` or `lib`";
    not_with_debug(source: path, compiler: shown, said: text) = "`{source}` does not compile with debug information, which its description is read from, with {compiler}:\n{said}\n\
         help: an option that contradicts a debug build may be the cause";
    no_constant(text: text) = "`{text}` does not name a constant\n\
         help: write the name in C++, `TILE` or `sim::Mode::Fast`, or `NAME = EXPRESSION` with a Rust name";
    same_constant(name: text, one: text, other: text) = "the constants `{one}` and `{other}` would both be named `{name}` in Rust\nhelp: rename one of them: `OTHER = {other}`";
    constants_missing(source: path, compiler: shown) = "the PTX of {compiler} for `{source}` lacks the values of constants\nhelp: an option that changes the output may be the cause";
    no_kernels(source: path) = "`{source}` has no kernel, so it has no module: a kernel is a `__global__` function, and a template needs an explicit instantiation";
    stale_image(image: path, header: path, source: path) = "`{image}` is older than `{header}`, which `{source}` includes, and was not compiled again\n\
         help: if the crate that compiles the images compares times, as `bindgen_cuda` does, save `{source}` again\n\
         help: if it compares contents, as `cudaforge` does, pass the header to it: `.watch([\"{header}\"])`\n\
         help: or let `build` compile them, which watches headers";
    no_struct(on: text) = "the contract of `{on}` belongs to no generated struct or field\n\
         help: call `.generate()`, and name the kernel as its item in `kernels!` and a field as in its struct: `matmul`, `matmul.n`";
    written_twice(path: path) = "`{path}` would be written by two sets of kernels\nhelp: give one of them a different name, `.rust_file(\"other.rs\")`, and list each \
         source in only one of them";
    /// Committed files of a source with unknown headers.
    not_noticed(source: path) = "`{source}` includes files that only the compiler knows, for example by `#include NAME`: a build with the committed \
             image cannot notice that such a file changed\nhelp: write the names of the files, or update the images by nvcc";
    took_fallback(folder: path) = "no CUDA compiler was found: using the committed images in `{folder}`";
    changed(path: text) = "`{path}` has changed since";
    gone(path: text) = "`{path}` does not exist";
    edited(path: path) = "`{path}` was edited after the compiler wrote it";
    not_committed(path: path, error: shown) = "the committed `{path}` cannot be read: {error}{UPDATE}";
    no_record(path: path) = "`{path}` has a format that this version cannot read{UPDATE}";
    outdated(source: path, folder: path, differences: text) = "the committed image of `{source}` in `{folder}` is out of date: {differences}{UPDATE}";
    /// `name` is of the files of the image.
    same_file(described: path, image: path, name: text) = "the description of `{described}` and the image of `{image}` would both be written to `{name}.ptx`\n\
         help: rename one of them";
    no_archive(program: path, library: path, said: text) = "`{program}` cannot make `{library}`: {said}\nhelp: install the binary utilities of the host's compiler, or set the variable `AR`";
    no_device_link(library: text, said: text) = "the device code of the library `{library}` cannot be linked:\n{said}";
    same_launcher(name: text, one: text, other: text) = "the libraries `{one}` and `{other}` both export `{name}`, and the linker uses one of them for the whole program\nhelp: rename the function in one of them";
    unread_library(library: text, what: shown) = "the library `{library}` cannot be described: {what}";
    same_library(name: text) = "two libraries have the name `{name}`\nhelp: rename one of them, or list the patterns of both in one `.launchers({name:?}, …)`";
    no_library_name(name: text) = "`{name}` cannot name a module\nhelp: write a name of letters, digits and `_`";
    silent(status: shown) = "the compiler printed nothing and ended with {status}";
    made_nothing(sources: names) = "no CUDA compiler was found: the images of `{sources}` are missing, and loading one is an error";
    no_source_of_constants(source: path) = "`.constants_of({source:?}, …)` does not name a source\nhelp: compare it with the sources of `.glob(…)` and `.file(…)`";
    unknown_constants(source: path, constants: names) = "the constants `{constants}` of `{source}` are unknown: no CUDA compiler was found, and no description \
         is committed\nhelp: commit the description, which is enough without the image: see `Kernels::fallback`";
    no_image(source: path, image: path, name: text) = "the image `{image}` of `{source}` does not exist\nhelp: call `debug_info` after the call that compiles \
         the images, let `build` compile them, or leave the file out: `.exclude({name:?})`";
}

pub(crate) fn no_file(path: &Path, root: &Path) -> String {
    let folder = root.join(path.parent().unwrap_or(path));
    let names = fs::read_dir(&folder).into_iter().flatten().flatten();
    let names = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let (similar, names) = similar_files(&path.file_name().unwrap_or_default().to_string_lossy(), names);
    let line = match names.as_slice() {
        [] if folder.is_dir() => format!("{} is empty", folder.display()),
        [] => format!("the folder {} does not exist", folder.display()),
        names => format!("{} has {}", folder.display(), names.join(", ")),
    };
    let meant = similar.map(|name| format!("write `{}`; ", self::path(&path.with_file_name(name))));
    format!(
        "the file `{}` does not exist\n  {line}\nhelp: {}relative paths start at the folder of `Cargo.toml`, {}",
        path.display(),
        meant.unwrap_or_default(),
        root.display()
    )
}

pub(crate) fn tried(tried: &[(String, String)]) -> String {
    let lines = tried.iter().map(|(place, why)| format!("{place}: {why}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns a path as text, the same on each system.
pub(crate) fn path(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

pub(crate) fn no_compiler(tried: &[(String, String)], has_fallback: bool) -> String {
    let mut text = "no CUDA compiler was found".to_owned();
    for line in self::tried(tried).lines() {
        let _ = write!(text, "\n  {line}");
    }
    text += "\nhelp: install the CUDA Toolkit, or NVRTC alone (`pip install nvidia-cuda-nvrtc`), and set `CUDA_HOME` to \
             its folder (`nvidia/cu13` of `site-packages`)";
    if !has_fallback {
        text += "\nhelp: to build without a compiler, commit compiled images: see `Kernels::fallback`";
    }
    text += "\nhelp: to check or document the package without images, see `Kernels::optional`";
    text
}

pub(crate) fn does_not_compile(source: &Path, compiler: &dyn Display, archs: &[String], said: &str) -> String {
    let mut text = format!("`{}` does not compile with {compiler}:\n{said}", path(source));
    // NVRTC's message does not contain the architecture.
    if ["gpu-architecture", "gpu architecture"].iter().any(|words| said.contains(words)) {
        let _ = write!(
            text,
            "\nhelp: the architecture is `{}`, from `.arch(…)` or the variable `CUDA_COMPUTE_CAP`; use a CUDA release that supports it",
            archs.join("`, `")
        );
    }
    text
}

pub(crate) fn not_constant(source: &Path, constants: &[String], compiler: &dyn Display, said: &str) -> String {
    let is_about = |text: &str, constant: &String| text.contains(&format!("constant {constant}("));
    let mut wrong = constants.to_vec();
    wrong.retain(|constant| is_about(said, constant));
    // The type and the value of a constant have the same errors. More errors follow from them.
    let mut own: Vec<&str> =
        said.split("\n\n").filter(|part| wrong.iter().any(|constant| is_about(part, constant))).collect();
    own.dedup();
    let said = if own.is_empty() { said.to_owned() } else { own.join("\n") };
    format!(
        "the constants `{}` of `{}` cannot be evaluated with {compiler}:\n{said}\n\
         help: a constant is a number, a `bool` or an enumerator that is known at the end of the file when it is compiled: a macro, a \
         `constexpr` variable or another constant expression\n\
         help: `.constants(…)` is for all sources; for the constants of one source write `.constants_of(\"{}\", [\"NAME\"])`",
        if wrong.is_empty() { constants } else { &wrong }.join("`, `"),
        path(source),
        path(source)
    )
}

pub(crate) fn header_of_nvrtc(headers: &[PathBuf]) -> String {
    let cuda = match headers.first() {
        Some(folder) => format!("it uses CUDA's headers in {}", folder.display()),
        None => "CUDA's headers were not found: set `CUDA_HOME` to the folder that has them in `include`".to_owned(),
    };
    format!(
        "\n\nNVRTC has no C and C++ headers; {cuda}\nhelp: `.include(…)` adds a folder; `nvcc` has the C and C++ headers"
    )
}

/// Returns the settings that were removed, and those that were added.
pub(crate) fn other_settings(then: &[String], now: &[String]) -> String {
    let list = |lines: &[String]| match lines {
        [] => "nothing".to_owned(),
        lines => format!("`{}`", lines.join("`, `")),
    };
    if then.is_empty() && now.is_empty() {
        return "the order of the settings has changed".into();
    }
    format!("the settings were {} and are now {}", list(then), list(now))
}

const UPDATE: &str =
    "\nhelp: run `KERNEL_ARGS_BUILD_UPDATE=1 cargo build` on a machine with a CUDA compiler, and commit the result";

#[cfg(test)]
mod tests {
    use super::not_constant;
    use std::path::Path;

    #[test]
    fn only_the_errors_of_the_constant_are_shown() {
        let said = "constant NOPE(1): error: identifier \"NOPE\" is undefined\n  NOPE\n  ^\n\nconstant NOPE(1): error: identifier \"NOPE\" is \
                    undefined\n  NOPE\n  ^\n\nk.cu(9): error: no instance of the function\n\n3 errors detected";
        let text = not_constant(Path::new("k.cu"), &["NOPE".to_owned(), "TILE".to_owned()], &"nvcc", said);
        assert!(text.starts_with("the constants `NOPE` of `k.cu` cannot be evaluated"), "{text}");
        assert_eq!(text.matches("is undefined").count(), 1, "{text}");
        assert!(!text.contains("no instance"), "{text}");
    }
}

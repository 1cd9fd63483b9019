//! The error texts for files: images, and their debug information.

use super::quoted;
use kernel_args_image as image;
use std::{
    env, fs, io,
    path::{Path, PathBuf},
};

/// `file` is a path with the values of its variables, `path` the same as an absolute path.
pub(crate) fn unreadable(file: &str, path: &Path, error: &io::Error) -> String {
    unreadable_file(file, path, error, "a file with PTX, a cubin or a fat binary")
}

#[cfg(feature = "debug-info")]
pub(crate) fn unreadable_library(file: &str, path: &Path, error: &io::Error) -> String {
    unreadable_file(file, path, error, "a static library or an object")
}

fn unreadable_file(file: &str, path: &Path, error: &io::Error, wanted: &str) -> String {
    let root = env::var("CARGO_MANIFEST_DIR").ok().filter(|_| Path::new(file).is_relative());
    let place = root.as_ref().map(|root| format!(" in {root}, the folder of Cargo.toml"));
    let (line, meant) = match error.kind() {
        io::ErrorKind::NotFound => nearby(path),
        _ => (String::new(), None),
    };
    let meant = meant.as_deref().map(|path| root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path));
    let help =
        meant.map_or_else(|| format!("write the path of {wanted}"), |path| format!("write `{}`", path.display()));
    format!("cannot read `{file}`{}: {error}{line}\nhelp: {help}", place.unwrap_or_default())
}

/// Returns what is near a missing file, as a line, and the file that is meant.
fn nearby(path: &Path) -> (String, Option<PathBuf>) {
    let Some(folder) = path.ancestors().skip(1).find(|folder| folder.is_dir()) else {
        return (String::new(), None);
    };
    let missing = path.strip_prefix(folder).ok().and_then(|rest| rest.iter().next()).unwrap_or_default();
    let is_folder = folder.join(missing) != path;
    let names = fs::read_dir(folder).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir() == is_folder);
    let names = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let (similar, mut names) = image::similar_files(&missing.to_string_lossy(), names);
    let (what, meant) = if is_folder {
        let inside = names.iter().map(|name| folder.join(name).join(path.file_name().unwrap_or_default()));
        (format!("no folder `{}`", missing.display()), inside.into_iter().find(|path| path.is_file()))
    } else {
        // Often the folder of the images is left out.
        let below = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path().join(missing))
            .find(|path| path.is_file());
        if let Some(path) = below.as_ref().and_then(|path| path.strip_prefix(folder).ok()) {
            names = vec![path.display().to_string()];
        }
        ("no such file".to_owned(), below.or_else(|| similar.map(|name| folder.join(name))))
    };
    let instead = if names.is_empty() { String::new() } else { format!(", but {}", quoted(&names)) };
    (format!("\n  {} has {what}{instead}", folder.display()), meant)
}

pub(crate) fn not_an_image(file: &str, error: &image::Error) -> String {
    if matches!(error, image::Error::CudaSource) {
        return format!(
            "`{file}` is CUDA C++, not a compiled image\n\
             help: compile it in the build script with the crate `kernel-args-build`, or with `nvcc -ptx`, and write the path of the image"
        );
    }
    format!(
        "`{file}` cannot be read as an image of kernels: {error}\n\
         help: write the path of a file with PTX, a cubin or a fat binary"
    )
}

/// The fix for a file whose debug information does not match an image.
const COMPILE_BOTH: &str = "compile both files from the same source with the same options, and this one with `nvcc -G` or NVRTC's \
    `--device-debug` as well";

formats! {
    /// For the name of a template instance that an image lacks.
    no_instance(name: &str):
        "\nhelp: write one of these; or add this instance to the CUDA source, with the types of its parameters: \
        `template __global__ void {name}(…);`";
    empty_image(file: &str):
        "`{file}` is empty\n\
        help: compile the kernels to PTX, a cubin or a fat binary";
    address_size(file: &str):
        "`{file}` has 32-bit addresses (`.address_size 32`), but GPUs have 64-bit addresses\n\
        help: compile it for 64 bits: `nvcc -m64`, which is the default";
    no_kernels(file: &str):
        "`{file}` has no kernel\n\
        help: a kernel is a function with `__global__` in CUDA C++, and `.entry` in PTX; a template has only the instances that its source \
        names: `template __global__ void axpy<float>(…);`";
    /// The text of a panic.
    #[cfg(all(feature = "generate", feature = "debug-info"))]
    absent_library(source: &str, tried: &str):
        "the library of `{source}` does not exist: the build script found no compiler\n{tried}\nhelp: install the CUDA toolkit, and build the \
        program without `KERNEL_ARGS_OPTIONAL`";
    debug_info_feature(file: &str):
        "the debug information of `{file}` is read only with the feature `debug-info` of `kernel-args`\n\
        help: enable the feature: `cargo add kernel-args --features debug-info`; or write `debug_info = if_readable` to compare without it";
    no_debug_info(file: &str):
        "`{file}` has no debug information\n\
        help: compile it with `nvcc -G`, or with NVRTC's `--device-debug` (`-lineinfo` alone contains no types)";
    broken_debug_info(file: &str, errors: &str):
        "the debug information of `{file}` cannot be read:{errors}\nhelp: {COMPILE_BOTH}";
    /// `file` is the image itself.
    unreadable_debug_info(file: &str, errors: &str):
        "`{file}` has debug information that cannot be read, so names, C++ types and members would not be compared:{errors}\n\
        help: name a debug build of the same source after the path: `debug_info = \"kernels.debug.ptx\"`, or write \
        `debug_info = if_readable` to ignore it";
    /// `missing` and `present` are lists of kernels, one per line.
    missing_debug_info(file: &str, image: &str, missing: &str, present: &str):
        "`{file}` has no debug information for these kernels of `{image}`:{missing}\nit has debug information for:{present}\nhelp: {COMPILE_BOTH}";
    other_parameters(file: &str, image: &str, kernel: &str, there: &str, here: &str):
        "kernel `{kernel}` has different parameters in `{file}`: {there}, and in `{image}`: {here}\nhelp: {COMPILE_BOTH}";
}

//! The crates that cargo builds.

use crate::support::{Package, repository};
use std::fs;

/// With the profile of this workspace, cargo does not compile the packages of the registry once more.
const MANIFEST: &str = "[workspace]\nresolver = \"3\"\nmembers = [\"kernels\", \"app\", \"described\"]\n\
    [profile.dev]\ndebug = false\nlto = \"off\"\n";

pub(super) const SOURCE: &str = "#include \"params.cuh\"\n\
    extern \"C\" __global__ void saxpy(Params params, const float* x, const float* bias, float* y)\n\
    { y[0] = params.alpha * x[params.count] + bias[0]; }\n";

pub(super) const HEADER: &str = "struct Params { float alpha; unsigned count; float scale; };\n";

pub(super) const BUILD: &str = "fn main() -> Result<(), kernel_args_build::Error> {\n    \
    kernel_args_build::Kernels::new().file(\"src/cuda/saxpy.cu\").fallback(\"committed\").build()\n}\n";

/// The steps of a project with `bindgen_cuda`: images in `OUT_DIR`, `ptx.rs` with a constant for each, and then the one
/// line for this crate.
pub(super) const BUILD_DESCRIBED: &str = r#"
fn build_ptx(out: &std::path::Path) -> std::io::Result<()> {
    std::fs::copy("saxpy.ptx", out.join("saxpy.ptx"))?;
    let text = "pub const SAXPY: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/saxpy.ptx\"));";
    std::fs::write(out.join("ptx.rs"), text)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    build_ptx(std::env::var("OUT_DIR")?.as_ref())?;
    kernel_args_build::Kernels::new().glob("../kernels/src/cuda/*.cu").debug_info()?;
    Ok(())
}
"#;

pub(super) const DESCRIBED: &str = r#"
pub mod ptx { include!(concat!(env!("OUT_DIR"), "/ptx.rs")); }
kernel_args::include_kernels!();

/// Renamed, to distinguish the two crates.
pub mod params {
    #[derive(Clone, Copy, kernel_args::DeviceType)]
    #[repr(C)]
    pub struct Params { MEMBERS }
}

#[derive(kernel_args::KernelArgs)]
#[kernel_args(kernel = saxpy::saxpy)]
pub struct Saxpy { FIELDS }
"#;

/// A build script with `cudaforge`, which compares the contents of sources and of watched files.
pub(super) const FORGE: &str = r#"
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::path::PathBuf::from(std::env::var("OUT_DIR")?);
    let ptx = cudaforge::KernelBuilder::new()
        .source_glob("src/cuda/*.cu")
        .exclude(&["left_out.cu"])
        .watch(["src/cuda/params.cuh"])
        .out_dir(&out)
        .build_ptx()?;
    ptx.write(out.join("ptx.rs"))?;
    kernel_args_build::Kernels::new().glob("src/cuda/*.cu").exclude("src/cuda/left_out.cu").debug_info()?;
    Ok(())
}
"#;

/// A build script with `bindgen_cuda`, which compares the times of sources.
pub(super) const BINDGEN: &str = r#"
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let out = std::path::PathBuf::from(std::env::var("OUT_DIR")?);
    let ptx = bindgen_cuda::Builder::default().kernel_paths(vec!["src/cuda/saxpy.cu"]).out_dir(&out).build_ptx().unwrap();
    ptx.write(out.join("ptx.rs")).unwrap();
    kernel_args_build::Kernels::new().glob("src/cuda/*.cu").exclude("src/cuda/left_out.cu").debug_info()?;
    Ok(())
}
"#;

/// A call without the feature `nvrtc`.
pub(super) const COMPILES: &str = r#"
use kernel_args::{Error, Module};
use std::sync::Arc;

pub fn compile(ctx: &Arc<kernel_args::external::cudarc::driver::CudaContext>) -> Result<Arc<Module>, Error> {
    Module::compile(ctx, "__global__ void k() {}", &Default::default())
}
"#;

const APP: &str = r"
#[derive(Clone, Copy, kernel_args::DeviceType)]
#[repr(C)]
pub struct Params { MEMBERS }

#[derive(kernel_args::KernelArgs)]
#[kernel_args(kernel = kernels::saxpy::saxpy)]
pub struct Saxpy { FIELDS }
";

pub(super) const MEMBERS: &str = "pub alpha: f32, pub count: u32, pub scale: f32";
pub(super) const MEMBERS_SWAPPED: &str = "pub scale: f32, pub count: u32, pub alpha: f32";
pub(super) const FIELDS: &str = "pub params: PARAMS, pub x: kernel_args::DevicePointer<f32>, \
    pub bias: kernel_args::DevicePointer<f32>, pub y: kernel_args::DevicePointerMut<f32>";
pub(super) const FIELDS_SWAPPED: &str = "pub params: PARAMS, pub bias: kernel_args::DevicePointer<f32>, \
    pub x: kernel_args::DevicePointer<f32>, pub y: kernel_args::DevicePointerMut<f32>";

/// The features of the library: what `kernel-args-build` needs of the readers of images, and `bodies`. The packages of
/// the suite `packages` have the same, so cargo compiles the macros once for all. Without cudarc, whose build script
/// runs again when a variable names another toolkit.
pub(super) const FEATURES: &str =
    "default-features = false, features = [\"bodies\", \"compressed\", \"debug-info\", \"generate\", \"kernels\"]";

/// Cargo's target folder is shared, so the packages of each workspace have unique names.
pub(super) fn manifest(workspace: &str, name: &str, dependencies: &str, build: bool) -> String {
    let at = |folder: &str| repository().join(folder).display().to_string();
    let mut text = format!(
        "[package]\nname = \"{name}-{workspace}\"\nedition = \"2024\"\nrust-version = \"1.88\"\n\
         [lib]\nname = \"{name}\"\n[dependencies]\n\
         kernel-args = {{ path = {:?}, {FEATURES} }}\n{dependencies}",
        at("kernel-args")
    );
    if build {
        text += "[build-dependencies.kernel-args-build]\n";
        text += &["path = \"", &at("crates/build"), "\"\n"].concat();
    }
    text
}

/// Structs in the package of the kernels: with an item, a generic struct, bindings, and a kernel that is loaded.
pub(super) const OWN: &str = r#"
kernel_args::include_kernels!();
use kernel_args::{DevicePointer, DevicePointerMut, DeviceType, KernelArgs};

#[derive(Clone, Copy, DeviceType)]
#[repr(C)]
pub struct Params { pub alpha: f32, pub count: u32, pub scale: f32 }

#[derive(KernelArgs)]
#[kernel_args(kernel = saxpy::NAME)]
pub struct One { pub params: Params, pub x: DevicePointer<f32>, pub bias: DevicePointer<f32>, pub y: DevicePointerMut<f32> }

#[derive(KernelArgs)]
#[kernel_args(kernel = crate::saxpy::NAME)]
pub struct Generic<T: DeviceType + 'static> { pub params: T, pub x: DevicePointer<f32>, pub bias: DevicePointer<f32>, pub y: DevicePointerMut<f32> }

#[derive(KernelArgs)]
#[kernel_args(kernel = saxpy, entries = ["sax*"], T = Params => "py")]
pub struct Bound<T: DeviceType + 'static> { pub params: T, pub x: DevicePointer<f32>, pub bias: DevicePointer<f32>, pub y: DevicePointerMut<f32> }

pub fn sources() -> [Option<kernel_args::args::Source>; 2] {
    [<One as KernelArgs>::SOURCE, <Generic<Params> as KernelArgs>::SOURCE]
}

pub fn image() -> (&'static [u8], usize) { (saxpy::IMAGE.bytes(), saxpy::KERNELS.len()) }
"#;

/// The argument structs of the crate `app`.
pub(super) fn app(package: &Package, members: &str, fields: &str) {
    let text = APP.replace("MEMBERS", members).replace("FIELDS", fields).replace("PARAMS", "Params");
    package.write("app/src/lib.rs", &text);
}

pub(super) fn workspace(name: &str) -> Package {
    let package = Package::new(name);
    package.write("Cargo.toml", MANIFEST);
    fs::copy(repository().join("Cargo.lock"), package.root.join("Cargo.lock")).unwrap();
    package.write("kernels/Cargo.toml", &manifest(name, "kernels", "", true));
    package.write("kernels/build.rs", BUILD);
    package.write("kernels/src/lib.rs", "kernel_args::include_kernels!();\n");
    package.write("kernels/src/cuda/saxpy.cu", SOURCE);
    package.write("kernels/src/cuda/params.cuh", HEADER);
    let kernels = format!("kernels = {{ package = \"kernels-{name}\", path = \"../kernels\" }}\n");
    package.write("app/Cargo.toml", &manifest(name, "app", &kernels, false));
    app(&package, MEMBERS, FIELDS);
    package.write("described/Cargo.toml", &manifest(name, "described", "", true));
    package.write("described/build.rs", BUILD_DESCRIBED);
    package.write("described/src/lib.rs", "");
    package
}

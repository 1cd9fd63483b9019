//! Mistakes in `Cargo.toml`: a feature that is not enabled, a second version of cudarc. The messages name them.

use super::{check, lay_out, path};
use kernel_args_toolchain_tests::root;

const CUDARC: &str = "pub mod driver { pub struct CudaSlice<T>(T); pub struct CudaStream; pub struct CudaContext; }";

fn source() -> String {
    let ptx = root().join("ptx");
    let ptx = ptx.display();
    format!(
        r#"
kernel_args::kernels! {{ pub mod shade = "{ptx}/shade.ptx", debug_info = "{ptx}/shade.debug.ptx"; }}
kernel_args::kernels! {{ pub mod debug = "{ptx}/shade.debug.ptx"; }}
kernel_args::kernels! {{ pub mod generated = "{ptx}/saxpy.ptx", generate; }}

pub fn load(ctx: &std::sync::Arc<cudarc::driver::CudaContext>) {{
    let ptx = cudarc::nvrtc::compile_ptx("").unwrap();
    kernel_args::Module::load(ctx, ptx).unwrap();
}}

#[derive(kernel_args::KernelArgs)]
pub struct Args<'a> {{ x: &'a other_cudarc::driver::CudaSlice<f32> }}

#[derive(kernel_args::KernelArgs)]
pub struct Count {{ n: u32 }}

pub fn launch(kernel: &kernel_args::Kernel<Count>, stream: &std::sync::Arc<other_cudarc::driver::CudaStream>) {{
    unsafe {{ kernel_args::launch!(kernel, 1, 1, Count {{ n: 1 }}, stream = stream) }}.unwrap();
}}

pub fn context(ctx: &std::sync::Arc<other_cudarc::driver::CudaContext>) {{
    kernel_args::Module::load(ctx, "").unwrap();
}}
"#
    )
}

pub(super) fn a_message_names_the_feature_or_the_version_that_is_missing() {
    let manifest = "version = \"0.16.0\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n";
    // cargo calls the package as its folder.
    lay_out("missing-features/cudarc", manifest, &[("lib.rs", CUDARC)]);
    let manifest = format!(
        "edition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[dependencies]\nkernel-args = {{ {} }}\n\
         cudarc = {{ version = \"*\", default-features = false, features = [\"nvrtc\"] }}\n\
         other_cudarc = {{ package = \"cudarc\", path = \"../cudarc\" }}\n",
        path()
    );
    let package = lay_out("missing-features/user", &manifest, &[("lib.rs", &source())]);
    let message = String::from_utf8_lossy(&check(&package, &[]).stderr).into_owned();
    for part in [
        "shade.debug.ptx` is read only with the feature `debug-info` of `kernel-args`\n",
        "help: enable the feature: `cargo add kernel-args --features debug-info`",
        "structs are generated only with the feature `generate` of `kernel-args`\n",
        "help: enable the feature: `cargo add kernel-args --features generate`; or remove `generate`",
        "Ptx` is not an image of kernels",
        "enable the feature `nvrtc`: `cargo add kernel-args --features nvrtc`",
        "CudaSlice<f32>` cannot be passed to a CUDA kernel: it is of another version of cudarc than kernel-args uses",
        "`cargo tree --duplicates` lists both versions",
        // rustc compares the types of the stream and of the context.
        "expected `cudarc::driver::CudaContext`, found a different `cudarc::driver::CudaContext`",
        "CudaStream` is not a stream",
        "there are multiple different versions of crate `cudarc`",
    ] {
        assert!(message.contains(part), "`{part}` is not in:\n{message}");
    }
    let manifest = format!(
        "edition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[dependencies]\nkernel-args = {{ {}, default-features = false, features = [\"derive\"] }}\n",
        path()
    );
    let source = "kernel_args::kernels! { pub mod saxpy = \"saxpy.ptx\"; }\n\
        #[derive(kernel_args::KernelArgs)]\n#[kernel_args(ptx = \"saxpy.ptx\")]\npub struct Args { n: u32 }\n\
        #[derive(kernel_args::KernelArgs)]\npub struct Other { n: u32 }\n";
    let package = lay_out("missing-features/kernels", &manifest, &[("lib.rs", source)]);
    let message = String::from_utf8_lossy(&check(&package, &[]).stderr).into_owned();
    assert_eq!(message.matches("the feature `kernels` of `kernel-args`").count(), 2, "{message}");
}

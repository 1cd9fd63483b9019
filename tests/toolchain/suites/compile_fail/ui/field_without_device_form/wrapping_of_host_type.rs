use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    name: std::num::Wrapping<String>,
}

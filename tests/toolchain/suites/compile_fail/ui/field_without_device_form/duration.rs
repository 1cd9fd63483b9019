use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    step: std::time::Duration,
}

use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    n: std::sync::atomic::AtomicU32,
}

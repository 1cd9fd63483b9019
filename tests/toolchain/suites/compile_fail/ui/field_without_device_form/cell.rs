use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    n: std::cell::Cell<u32>,
}

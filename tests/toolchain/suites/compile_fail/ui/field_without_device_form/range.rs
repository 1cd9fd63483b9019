use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    range: std::ops::Range<u32>,
}

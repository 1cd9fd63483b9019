use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<C: KernelArgs> {
    n: u32,
    #[kernel_args(flatten)]
    common: C,
}

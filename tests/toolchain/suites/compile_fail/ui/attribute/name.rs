use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(name = "")]
    empty: u32,
    #[kernel_args(name = "a", skip)]
    skipped: u32,
    #[kernel_args(skip, name = "a")]
    skipped_before: u32,
    #[kernel_args(name = "a", name = "b")]
    twice: u32,
    #[kernel_args(name)]
    without: u32,
}

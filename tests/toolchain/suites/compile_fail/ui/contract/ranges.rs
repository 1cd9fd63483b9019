use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(range = "1 to 5")]
    a: u32,
    #[kernel_args(range = "..")]
    b: u32,
    #[kernel_args(range = "5..=1")]
    c: u32,
    #[kernel_args(range = 3..3)]
    d: u32,
    #[kernel_args(multiple_of = 0)]
    e: u32,
    #[kernel_args(range = "1..", range = "..5")]
    f: u32,
}

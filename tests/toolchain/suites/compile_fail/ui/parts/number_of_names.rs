use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    #[kernel_args(spread, name = ["nx", "ny"])]
    shape: [i32; 3],
}

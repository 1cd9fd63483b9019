use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    table: [u8; 32764],
    last: u8,
}

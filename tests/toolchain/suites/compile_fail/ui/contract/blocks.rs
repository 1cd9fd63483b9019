use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(block = (32, 8, 1, 1))]
struct Four;

#[derive(KernelArgs)]
#[kernel_args(block = (32, 0))]
struct Zero;

#[derive(KernelArgs)]
#[kernel_args(block_multiple_of = 0, max_block = "-1")]
struct Negative;

#[derive(KernelArgs)]
#[kernel_args(block = 32, block = 64)]
struct Twice;

use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(stream = optional)]
struct Optional;

#[derive(KernelArgs)]
#[kernel_args(stream)]
struct NoValue;

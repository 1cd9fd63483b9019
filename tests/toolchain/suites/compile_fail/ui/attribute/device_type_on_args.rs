use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[device_type(cpp = "Args")]
struct Args {
    n: u32,
}

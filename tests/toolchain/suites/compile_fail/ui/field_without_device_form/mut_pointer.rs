use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    x: *mut f32,
}

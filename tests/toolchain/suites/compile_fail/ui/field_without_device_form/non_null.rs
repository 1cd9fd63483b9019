use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    x: std::ptr::NonNull<f32>,
}

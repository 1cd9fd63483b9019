use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    x: *const f32,
}

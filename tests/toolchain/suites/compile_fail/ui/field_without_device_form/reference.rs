use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    alpha: &'a f32,
}

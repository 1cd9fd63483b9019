use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    f: &'a dyn Fn(f32) -> f32,
}

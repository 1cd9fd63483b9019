use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    weights: &'a [f32; 4],
}

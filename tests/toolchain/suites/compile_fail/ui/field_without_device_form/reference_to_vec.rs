use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    x: &'a Vec<f32>,
}

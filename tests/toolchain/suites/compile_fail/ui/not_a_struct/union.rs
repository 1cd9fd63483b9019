use kernel_args::KernelArgs;

#[derive(KernelArgs)]
union Args {
    n: u32,
    x: f32,
}

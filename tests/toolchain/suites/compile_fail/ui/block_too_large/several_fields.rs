use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    n: u32,
    small: [f32; 256],
    large: [f32; 4096],
    larger: [f64; 2048],
    middle: [u8; 2000],
}

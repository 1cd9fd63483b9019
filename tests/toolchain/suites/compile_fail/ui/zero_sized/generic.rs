use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<const N: usize> {
    n: u32,
    weights: [f32; N],
}

fn main() {
    Args { n: 1, weights: [1.0] }.with_kernel_params(|_| ());
    Args { n: 1, weights: [] }.with_kernel_params(|_| ());
}

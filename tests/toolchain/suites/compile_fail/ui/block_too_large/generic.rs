use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<const N: usize> {
    table: [f32; N],
}

fn main() {
    Args { table: [0.0; 8191] }.with_kernel_params(|_| ());
    Args { table: [0.0; 8192] }.with_kernel_params(|_| ());
}

use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Fill<T> {
    value: T,
}

fn main() {
    Fill { value: 1.0f32 }.with_kernel_params(|_| ());
    Fill { value: String::new() }.with_kernel_params(|_| ());
}

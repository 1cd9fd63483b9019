use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn main() {
    let params = Fill { value: 1.0, n: 1 }.with_kernel_params(|params| params);
    assert_eq!(params.len(), 2);
}

use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn main() {
    let buffer = Fill { value: 1.0, n: 1 }.with_packed(|buffer| buffer);
    assert_eq!(buffer.len(), 8);
}

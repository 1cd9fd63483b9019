use kernel_args::{Kernel, KernelArgs};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

struct Plain {
    n: u32,
}

fn keep(kernel: Kernel<Plain>) {
    let _ = kernel;
}

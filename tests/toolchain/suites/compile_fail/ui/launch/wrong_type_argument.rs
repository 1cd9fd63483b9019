use kernel_args::{Kernel, KernelArgs, launch};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

#[derive(KernelArgs)]
struct Set<T> {
    value: T,
}

fn start(fill: &Kernel<Set<f32>>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, Set { value: 1.0f64 }) }
}

fn main() {}

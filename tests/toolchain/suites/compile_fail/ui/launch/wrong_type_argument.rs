include!("../fill.rs");

#[derive(KernelArgs)]
struct Set<T> {
    value: T,
}

fn start(fill: &Kernel<Set<f32>>) -> Result<(), kernel_args::Error> {
    unsafe { launch!(fill, 1, 256, Set { value: 1.0f64 }) }
}

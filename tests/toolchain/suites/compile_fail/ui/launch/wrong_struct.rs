include!("../fill.rs");

#[derive(KernelArgs)]
struct Scale {
    factor: f32,
    n: u32,
}

fn start(fill: &Kernel<Scale>) -> Result<(), kernel_args::Error> {
    let args = Fill { value: 1.0, n: 1 };
    unsafe { launch!(fill, 1, 256, args) }
}

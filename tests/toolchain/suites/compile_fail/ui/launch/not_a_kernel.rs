use kernel_args::{KernelArgs, launch};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn start(name: &str) -> Result<(), kernel_args::Error> {
    unsafe { launch!(name, 1, 256, Fill { value: 1.0, n: 1 }) }
}

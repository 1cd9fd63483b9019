use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args<'a> {
    n: u32,
    name: String,
    x: &'a [f32],
    y: *mut f32,
    alpha: f32,
    letter: char,
    pair: (f32, f32),
    f: fn(f32) -> f32,
    beta: Option<f32>,
    #[kernel_args(skip)]
    label: String,
}

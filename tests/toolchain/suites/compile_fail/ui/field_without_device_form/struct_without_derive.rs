use kernel_args::KernelArgs;

#[derive(Clone, Copy)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(KernelArgs)]
struct Args {
    point: Point,
}

use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    pose: nalgebra::Isometry3<f32>,
    view: glam::Affine3A,
}

fn main() {}

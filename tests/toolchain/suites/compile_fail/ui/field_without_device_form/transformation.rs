use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    view: glam::Affine3A,
}

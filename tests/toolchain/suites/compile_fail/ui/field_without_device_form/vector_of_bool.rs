use kernel_args::KernelArgs;

#[derive(KernelArgs)]
struct Args {
    mask: mint::Vector2<bool>,
    lanes: glam::BVec4,
}

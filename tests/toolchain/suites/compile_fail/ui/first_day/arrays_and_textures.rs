use cudarc::driver::CudaContext;
use kernel_args::{Error, KernelArgs, texture::Array};
use std::sync::Arc;

#[derive(KernelArgs)]
struct Blur<'a> {
    from: &'a Array<f32>,
    n: u32,
}

fn pixels(ctx: &Arc<CudaContext>) -> Result<Array<[u8; 3]>, Error> {
    Array::<[u8; 3]>::new(ctx, [640, 480])
}

use kernel_args::KernelArgs;
use std::marker::PhantomData;

#[derive(KernelArgs)]
struct Args {
    n: u32,
    marker: PhantomData<f32>,
}

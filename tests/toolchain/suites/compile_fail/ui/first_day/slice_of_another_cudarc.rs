use kernel_args::KernelArgs;

/// As in a tree with two versions of cudarc.
mod cudarc_0_16 {
    pub struct CudaSlice<T>(T);
    pub struct CudaView<'a, T>(&'a T);
}

#[derive(KernelArgs)]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: &'a cudarc_0_16::CudaSlice<f32>,
    y: &'a mut cudarc_0_16::CudaSlice<f32>,
    z: cudarc_0_16::CudaView<'a, f32>,
    w: Option<&'a cudarc_0_16::CudaSlice<f32>>,
}

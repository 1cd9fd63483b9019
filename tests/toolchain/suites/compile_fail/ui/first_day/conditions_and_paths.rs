use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(requires = "n.divceil(4) > 0", requires = "n = 4", requires = "n.minimum(4) > x.length()")]
struct Methods<'a> {
    n: u32,
    x: &'a CudaSlice<f32>,
}

#[derive(KernelArgs)]
#[kernel_args(ptx = "saxpy.ptx", entry = "saxpy")]
struct OneFolderBelow<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

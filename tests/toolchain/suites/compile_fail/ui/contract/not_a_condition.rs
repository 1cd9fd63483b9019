use cudarc::driver::CudaSlice;
use kernel_args::KernelArgs;

#[derive(KernelArgs)]
#[kernel_args(requires = "n = 4")]
struct Assigned {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(requires = "n.divceil(4) > 0")]
struct DivCeil {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(requires = "n.minimum(4) > 0")]
struct Minimum {
    n: u32,
}

#[derive(KernelArgs)]
#[kernel_args(requires = "x.length() > 0")]
struct Length<'a> {
    x: &'a CudaSlice<f32>,
}

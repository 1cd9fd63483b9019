//! A custom operation of candle, forward and backward, whose kernels are launched on candle's own stream and memory.

use candle_core::{CpuStorage, CudaStorage, CustomOp1, CustomOp2, Device, Error, Layout, Result, Shape, Tensor, Var};
use cudarc::driver::{CudaSlice, CudaView};
use kernel_args::{Kernel, KernelArgs, Module, launch};

kernel_args::include_kernels!();

/// y = silu(x). Compared with the kernel in `silu.cu` at compile time; the lengths and the grid at each launch.
#[derive(KernelArgs)]
#[kernel_args(kernel = silu::silu, grid_covers = "n")]
struct Forward<'a> {
    n: u32,
    #[kernel_args(len = "n")]
    x: CudaView<'a, f32>,
    #[kernel_args(len = "n")]
    y: &'a mut CudaSlice<f32>,
}

/// dx = dy · silu'(x).
#[derive(KernelArgs)]
#[kernel_args(kernel = silu::silu_backward, grid_covers = "n")]
struct Backward<'a> {
    n: u32,
    #[kernel_args(len = "n")]
    x: CudaView<'a, f32>,
    #[kernel_args(len = "n")]
    dy: CudaView<'a, f32>,
    #[kernel_args(len = "n")]
    dx: &'a mut CudaSlice<f32>,
}

#[derive(Clone)]
struct Silu {
    forward: Kernel<Forward<'static>>,
    backward: Kernel<Backward<'static>>,
}

impl Silu {
    fn new(device: &Device) -> Result<Self> {
        let module =
            Module::load(device.as_cuda_device()?.cuda_stream().context(), silu::IMAGE).map_err(Error::wrap)?;
        let forward = module.kernel("silu").map_err(Error::wrap)?;
        Ok(Self { forward, backward: module.kernel("silu_backward").map_err(Error::wrap)? })
    }
}

/// The numbers of a contiguous tensor, which can begin inside of its memory.
fn view<'a>(storage: &'a CudaStorage, layout: &Layout) -> Result<CudaView<'a, f32>> {
    let Some((start, end)) = layout.contiguous_offsets() else { candle_core::bail!("a tensor that is not contiguous") };
    Ok(storage.as_cuda_slice::<f32>()?.slice(start..end))
}

impl CustomOp1 for Silu {
    fn name(&self) -> &'static str {
        "silu"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!("only for CUDA")
    }

    fn cuda_fwd(&self, x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let (device, n) = (&x.device, layout.shape().elem_count());
        let mut y = device.alloc_zeros::<f32>(n)?;
        let args = Forward { n: n as u32, x: view(x, layout)?, y: &mut y };
        let grid = args.n.div_ceil(256);
        // SAFETY: the lengths are checked, and the kernel accesses nothing else.
        unsafe { launch!(self.forward, grid, 256, args, stream = &device.cuda_stream()) }.map_err(Error::wrap)?;
        Ok((CudaStorage::wrap_cuda_slice(y, device.clone()), layout.shape().clone()))
    }

    fn bwd(&self, x: &Tensor, _: &Tensor, dy: &Tensor) -> Result<Option<Tensor>> {
        x.apply_op2_no_bwd(&dy.contiguous()?, self).map(Some)
    }
}

impl CustomOp2 for Silu {
    fn name(&self) -> &'static str {
        "silu_backward"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!("only for CUDA")
    }

    fn cuda_fwd(&self, x: &CudaStorage, lx: &Layout, dy: &CudaStorage, ldy: &Layout) -> Result<(CudaStorage, Shape)> {
        let (device, n) = (&x.device, lx.shape().elem_count());
        let mut dx = device.alloc_zeros::<f32>(n)?;
        let args = Backward { n: n as u32, x: view(x, lx)?, dy: view(dy, ldy)?, dx: &mut dx };
        let grid = args.n.div_ceil(256);
        // SAFETY: the lengths are checked, and the kernel accesses nothing else.
        unsafe { launch!(self.backward, grid, 256, args, stream = &device.cuda_stream()) }.map_err(Error::wrap)?;
        Ok((CudaStorage::wrap_cuda_slice(dx, device.clone()), lx.shape().clone()))
    }
}

fn main() -> Result<()> {
    let device = Device::new_cuda(0)?;
    let x = Var::from_tensor(&Tensor::arange(-512f32, 512., &device)?.affine(1. / 64., 0.)?)?;
    let part = x.narrow(0, 24, 1000)?; // begins inside of its memory
    let weights = Tensor::arange(0f32, 1000., &device)?;
    let silu = Silu::new(&device)?;
    for (what, ours, candles) in [
        ("forward", part.apply_op1(silu.clone())?, part.silu()?),
        ("backward", gradient(&x, &part.apply_op1(silu)?, &weights)?, gradient(&x, &part.silu()?, &weights)?),
    ] {
        let largest = (ours - candles)?.abs()?.max(0)?.to_scalar::<f32>()?;
        println!("{what}: the largest difference from candle's own operation is {largest:.1e}");
        assert!(largest < 1e-3);
    }
    Ok(())
}

/// The gradient of a weighted sum of `y` with respect to `x`.
fn gradient(x: &Tensor, y: &Tensor, weights: &Tensor) -> Result<Tensor> {
    Ok((y * weights)?.sum_all()?.backward()?.get(x).cloned().expect("a gradient"))
}

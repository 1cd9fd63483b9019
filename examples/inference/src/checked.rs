//! The launches, with `launch!`.

use crate::{
    Activation, BLOCK, Launches, Layer, Result, SCRATCH,
    arguments::{
        Agreement, ArgMax, Element, Init, LayerNorm, Linear, LinearShape, Matrix, Scale, Softmax, Unary, Widen,
    },
};
use cudarc::driver::{CudaContext, CudaSlice};
use inference_kernels::mlp;
use kernel_args::{Kernel, KernelArgs, Module, args::AsStream, launch};
use std::{marker::PhantomData, sync::Arc};

/// The kernels of one element type. The module verifies each kernel once and caches it.
pub struct Checked<T> {
    module: Arc<Module>,
    element: PhantomData<T>,
}

impl<T: Element> Checked<T> {
    /// Loads the image.
    ///
    /// # Errors
    /// If the driver rejects it.
    pub fn load(ctx: &Arc<CudaContext>) -> Result<Self> {
        Ok(Self { module: Module::load(ctx, mlp::IMAGE)?, element: PhantomData })
    }

    fn kernel<A: KernelArgs>(&self, family: &str) -> Result<Kernel<A>> {
        Ok(self.module.family(family)?)
    }
}

impl<T: Element, S: AsStream> Launches<T, S> for Checked<T> {
    unsafe fn init(&self, on: &S, seed: u32, scale: f32, out: &mut CudaSlice<T>) -> Result {
        let n = out.len() as u32;
        let args = Init { n, seed, scale, out };
        let kernel = self.kernel::<Init<T>>("init")?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, n.div_ceil(BLOCK), BLOCK, args, stream = on)? };
        Ok(())
    }

    unsafe fn scale(&self, on: &S, factor: f32, values: &mut CudaSlice<T>) -> Result {
        let n = values.len() as u32;
        let args = Scale { n, factor, values };
        let kernel = self.kernel::<Scale<T>>("scale")?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, n.div_ceil(BLOCK), BLOCK, args, stream = on)? };
        Ok(())
    }

    unsafe fn layer_norm(&self, on: &S, shape: Matrix, x: &CudaSlice<T>, out: &mut CudaSlice<T>) -> Result {
        let epsilon = 1e-5;
        let args = LayerNorm { shape, epsilon, x, out };
        let kernel = self.kernel::<LayerNorm<T>>("layer_norm")?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, shape.rows, BLOCK, args, stream = on, shared = SCRATCH)? };
        Ok(())
    }

    unsafe fn linear(
        &self,
        on: &S,
        shape: LinearShape,
        x: &CudaSlice<T>,
        layer: &Layer<T>,
        out: &mut CudaSlice<T>,
    ) -> Result {
        let Layer { weights, bias } = layer;
        let args = Linear { shape, x, weights, bias, out };
        let kernel = self.kernel::<Linear<T>>("linear")?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, (shape.outputs.div_ceil(BLOCK), shape.rows), BLOCK, args, stream = on)? };
        Ok(())
    }

    unsafe fn activate(&self, on: &S, activation: Activation, x: &CudaSlice<T>, out: &mut CudaSlice<T>) -> Result {
        let n = x.len() as u32;
        let args = Unary { n, x, out };
        let kernel = self.kernel::<Unary<T>>(activation.family())?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, n.div_ceil(BLOCK), BLOCK, args, stream = on)? };
        Ok(())
    }

    unsafe fn softmax(&self, on: &S, shape: Matrix, x: &CudaSlice<T>, out: &mut CudaSlice<T>) -> Result {
        let args = Softmax { shape, x, out };
        let kernel = self.kernel::<Softmax<T>>("softmax")?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, shape.rows, BLOCK, args, stream = on, shared = SCRATCH)? };
        Ok(())
    }

    unsafe fn argmax(&self, on: &S, shape: Matrix, x: &CudaSlice<T>, out: &mut CudaSlice<u32>) -> Result {
        let args = ArgMax { shape, x, out };
        let kernel = self.kernel::<ArgMax<T>>("argmax")?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, shape.rows.div_ceil(BLOCK), BLOCK, args, stream = on)? };
        Ok(())
    }

    unsafe fn widen(&self, on: &S, x: &CudaSlice<T>, out: &mut CudaSlice<f32>) -> Result {
        let n = x.len() as u32;
        let args = Widen { n, x, out };
        let kernel = self.kernel::<Widen<T>>("widen")?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, n.div_ceil(BLOCK), BLOCK, args, stream = on)? };
        Ok(())
    }

    unsafe fn agreement(&self, on: &S, a: &CudaSlice<u32>, b: &CudaSlice<u32>, same: &mut CudaSlice<u32>) -> Result {
        let n = a.len() as u32;
        let args = Agreement { n, a, b, same };
        let kernel = self.module.get::<Agreement>()?;
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch!(kernel, n.div_ceil(BLOCK), BLOCK, args, stream = on)? };
        Ok(())
    }
}

//! The same launches with cudarc's `launch_builder`, kept for comparison.

use crate::{
    Activation, BLOCK, Launches, Layer, Result, SCRATCH,
    arguments::{Element, LinearShape, Matrix},
};
use cudarc::{
    driver::{CudaContext, CudaFunction, CudaModule, CudaSlice, CudaStream, LaunchConfig, PushKernelArg},
    nvrtc::Ptx,
};
use inference_kernels::mlp;
use std::{marker::PhantomData, sync::Arc};

/// The kernels of one element type. Nothing is verified.
pub struct WithBuilder<T> {
    module: Arc<CudaModule>,
    element: PhantomData<T>,
}

impl<T: Element> WithBuilder<T> {
    /// Loads the image.
    ///
    /// # Errors
    /// If the driver rejects it.
    pub fn load(ctx: &Arc<CudaContext>) -> Result<Self> {
        Ok(Self { module: ctx.load_module(Ptx::from_src(str::from_utf8(mlp::IMAGE.bytes())?))?, element: PhantomData })
    }

    /// cudarc expects a mangled name.
    fn function(&self, family: &str) -> Result<CudaFunction> {
        let name = format!("{family}_{}", T::NAME);
        let named = mlp::KERNELS.iter().find(|kernel| kernel.name().split('(').next() == Some(&name));
        Ok(self.module.load_function(named.map_or(&name, |kernel| kernel.symbol()))?)
    }
}

impl<T: Element> Launches<T, Arc<CudaStream>> for WithBuilder<T> {
    unsafe fn init(&self, stream: &Arc<CudaStream>, seed: u32, scale: f32, out: &mut CudaSlice<T>) -> Result {
        let n = out.len() as u32;
        let kernel = self.function("init")?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&n).arg(&seed).arg(&scale).arg(out);
        let config =
            LaunchConfig { grid_dim: (n.div_ceil(BLOCK), 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }

    unsafe fn scale(&self, stream: &Arc<CudaStream>, factor: f32, values: &mut CudaSlice<T>) -> Result {
        let n = values.len() as u32;
        let kernel = self.function("scale")?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&n).arg(&factor).arg(values);
        let config =
            LaunchConfig { grid_dim: (n.div_ceil(BLOCK), 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }

    unsafe fn layer_norm(
        &self,
        stream: &Arc<CudaStream>,
        shape: Matrix,
        x: &CudaSlice<T>,
        out: &mut CudaSlice<T>,
    ) -> Result {
        let epsilon = 1e-5_f32;
        let kernel = self.function("layer_norm")?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&shape).arg(&epsilon).arg(x).arg(out);
        let config = LaunchConfig { grid_dim: (shape.rows, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: SCRATCH };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }

    unsafe fn linear(
        &self,
        stream: &Arc<CudaStream>,
        shape: LinearShape,
        x: &CudaSlice<T>,
        layer: &Layer<T>,
        out: &mut CudaSlice<T>,
    ) -> Result {
        let Layer { weights, bias } = layer;
        let kernel = self.function("linear")?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&shape).arg(x).arg(weights).arg(bias).arg(out);
        let config = LaunchConfig {
            grid_dim: (shape.outputs.div_ceil(BLOCK), shape.rows, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }

    unsafe fn activate(
        &self,
        stream: &Arc<CudaStream>,
        activation: Activation,
        x: &CudaSlice<T>,
        out: &mut CudaSlice<T>,
    ) -> Result {
        let n = x.len() as u32;
        let kernel = self.function(activation.family())?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&n).arg(x).arg(out);
        let config =
            LaunchConfig { grid_dim: (n.div_ceil(BLOCK), 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }

    unsafe fn softmax(
        &self,
        stream: &Arc<CudaStream>,
        shape: Matrix,
        x: &CudaSlice<T>,
        out: &mut CudaSlice<T>,
    ) -> Result {
        let kernel = self.function("softmax")?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&shape).arg(x).arg(out);
        let config = LaunchConfig { grid_dim: (shape.rows, 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: SCRATCH };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }

    unsafe fn argmax(
        &self,
        stream: &Arc<CudaStream>,
        shape: Matrix,
        x: &CudaSlice<T>,
        out: &mut CudaSlice<u32>,
    ) -> Result {
        let kernel = self.function("argmax")?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&shape).arg(x).arg(out);
        let config = LaunchConfig {
            grid_dim: (shape.rows.div_ceil(BLOCK), 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }

    unsafe fn widen(&self, stream: &Arc<CudaStream>, x: &CudaSlice<T>, out: &mut CudaSlice<f32>) -> Result {
        let n = x.len() as u32;
        let kernel = self.function("widen")?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&n).arg(x).arg(out);
        let config =
            LaunchConfig { grid_dim: (n.div_ceil(BLOCK), 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }

    unsafe fn agreement(
        &self,
        stream: &Arc<CudaStream>,
        a: &CudaSlice<u32>,
        b: &CudaSlice<u32>,
        same: &mut CudaSlice<u32>,
    ) -> Result {
        let n = a.len() as u32;
        let kernel = self.module.load_function(mlp::agreement.symbol())?;
        let mut launch = stream.launch_builder(&kernel);
        launch.arg(&n).arg(a).arg(b).arg(same);
        let config =
            LaunchConfig { grid_dim: (n.div_ceil(BLOCK), 1, 1), block_dim: (BLOCK, 1, 1), shared_mem_bytes: 0 };
        // SAFETY: the caller guarantees the lengths of the slices.
        unsafe { launch.launch(config)? };
        Ok(())
    }
}

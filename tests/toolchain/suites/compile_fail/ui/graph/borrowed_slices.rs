use cudarc::driver::{CudaSlice, CudaStream};
use kernel_args::{Kernel, KernelArgs, graph::Graph};
use std::sync::Arc;

#[derive(KernelArgs)]
struct Saxpy<'a> {
    n: u32,
    alpha: f32,
    x: &'a CudaSlice<f32>,
    y: &'a mut CudaSlice<f32>,
}

fn run(saxpy: &Kernel<Saxpy<'static>>, stream: &Arc<CudaStream>) -> Result<Vec<f32>, Box<dyn std::error::Error>> {
    let x = stream.clone_htod(&[1.0_f32; 1024])?;
    let mut y = stream.alloc_zeros::<f32>(1024)?;
    let mut graph = Graph::new(stream.context())?;
    let node = graph.add_kernel(saxpy, 4, 256, Saxpy { n: 1024, alpha: 2.0, x: &x, y: &mut y }, &[])?;
    let mut exec = graph.instantiate()?;
    exec.update(&node, 4, 256, Saxpy { n: 1024, alpha: 3.0, x: &x, y: &mut y })?;
    unsafe { exec.launch(stream)? };
    Ok(stream.clone_dtoh(&y)?)
}

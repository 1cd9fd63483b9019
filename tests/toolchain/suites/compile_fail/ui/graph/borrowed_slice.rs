use cudarc::driver::CudaSlice;
use kernel_args::{Error, Kernel, KernelArgs, graph::Graph};

#[derive(KernelArgs)]
struct Fill<'a> {
    value: f32,
    y: &'a mut CudaSlice<f32>,
}

fn add(graph: &mut Graph, fill: &Kernel<Fill<'static>>, mut y: CudaSlice<f32>) -> Result<(), Error> {
    let args = Fill { value: 1.0, y: &mut y };
    graph.add_kernel(fill, 4, 256, args, &[])?;
    Ok(())
}

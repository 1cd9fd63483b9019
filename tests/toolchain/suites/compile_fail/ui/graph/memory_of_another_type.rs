use kernel_args::{
    DevicePointer, DevicePointerMut, Error, Kernel, KernelArgs, Retained, graph::Graph,
};

#[derive(KernelArgs)]
struct Saxpy {
    n: u32,
    alpha: f32,
    x: Retained<DevicePointer<f32>>,
    y: Retained<DevicePointerMut<f32>>,
}

fn add(graph: &mut Graph, saxpy: &Kernel<Saxpy>) -> Result<(), Error> {
    let integers = graph.add_alloc::<u32>(1024, &[])?;
    let floats = graph.add_alloc::<f32>(1024, &[])?;
    let elements = Saxpy { n: 1024, alpha: 1.0, x: integers.read(), y: floats.write() };
    let read = Saxpy { n: 1024, alpha: 1.0, x: floats.read(), y: floats.read() };
    graph.add_kernel(saxpy, 4, 256, elements, &[])?;
    graph.add_kernel(saxpy, 4, 256, read, &[])?;
    Ok(())
}

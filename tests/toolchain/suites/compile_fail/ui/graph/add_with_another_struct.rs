use kernel_args::{Error, Kernel, KernelArgs, graph::Graph};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

#[derive(KernelArgs)]
struct Scale {
    value: f32,
    n: u32,
}

fn add(graph: &mut Graph, fill: &Kernel<Fill>) -> Result<(), Error> {
    graph.add_kernel(fill, 4, 256, Scale { value: 1.0, n: 1 }, &[])?;
    Ok(())
}

use kernel_args::{Error, Kernel, KernelArgs, graph::Graph};

#[derive(KernelArgs)]
struct Fill {
    value: f32,
    n: u32,
}

fn add(graph: &mut Graph, fill: &Kernel<Fill>) -> Result<(), Error> {
    let a = graph.add_kernel(fill, 4, 256, Fill { value: 1.0, n: 1024 }, &[])?;
    graph.add_kernel(fill, 4, 256, Fill { value: 2.0, n: 1024 }, &[a])?;
    Ok(())
}

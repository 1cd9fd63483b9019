use kernel_args::{
    Error,
    graph::{Graph, GraphExec, GraphMemory},
};

fn update(exec: &mut GraphExec, mut graph: Graph) -> Result<(), Error> {
    exec.update_graph(graph)?;
    graph.add_alloc::<f32>(1024, &[])?;
    Ok(())
}

fn take(exec: &mut GraphExec, memory: &GraphMemory<f32>) -> Result<(), Error> {
    let slice = exec.take(memory)?;
    drop(slice);
    Ok(())
}

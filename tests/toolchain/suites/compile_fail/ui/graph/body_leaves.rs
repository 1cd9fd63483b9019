use core::mem;
use kernel_args::{
    Error,
    graph::{Condition, Graph},
};

fn exchanges(graph: &mut Graph, condition: Condition) -> Result<(), Error> {
    let mut other = Graph::new(&kernel_args::context(0)?)?;
    graph.add_if(condition, &[], |body| {
        mem::swap(body, &mut other);
        Ok::<(), Error>(())
    })?;
    Ok(())
}

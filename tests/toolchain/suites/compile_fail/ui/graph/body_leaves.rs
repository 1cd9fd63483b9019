use core::mem;
use kernel_args::{
    Error,
    graph::{Condition, Graph},
};

fn exchanges(graph: &mut Graph, [a, b]: [Condition; 2]) -> Result<(), Error> {
    let mut other = Graph::new(&kernel_args::context(0)?)?;
    graph.add_if(a, &[], |body| {
        mem::swap(body, &mut other);
        Ok::<(), Error>(())
    })?;
    let mut kept = None;
    graph.add_if(b, &[], |body| {
        kept = Some(body);
        Ok::<(), Error>(())
    })?;
    Ok(())
}

fn main() {}

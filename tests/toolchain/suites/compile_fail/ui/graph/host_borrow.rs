use kernel_args::{Error, graph::Graph};
use std::rc::Rc;

fn borrows(graph: &mut Graph, count: &mut u32) -> Result<(), Error> {
    graph.add_host(|| *count += 1, &[])?;
    Ok(())
}

fn is_not_send(graph: &mut Graph, count: Rc<u32>) -> Result<(), Error> {
    graph.add_host(move || assert!(*count < 7), &[])?;
    Ok(())
}

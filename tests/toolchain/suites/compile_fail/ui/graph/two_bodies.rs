use core::mem;
use kernel_args::{
    Error,
    graph::{Condition, Graph},
};

fn exchanges(graph: &mut Graph, a: Condition, b: Condition) -> Result<(), Error> {
    graph.add_if(a, &[], |outer| {
        outer.add_if(b, &[], |inner| {
            mem::swap(inner, outer);
            Ok::<(), Error>(())
        })?;
        Ok::<(), Error>(())
    })?;
    Ok(())
}

fn uses_twice(graph: &mut Graph, condition: Condition) -> Result<(), Error> {
    graph.add_if(condition, &[], |_| Ok::<(), Error>(()))?;
    graph.add_if(condition, &[], |_| Ok::<(), Error>(()))?;
    Ok(())
}

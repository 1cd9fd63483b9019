use kernel_args::{
    Error,
    graph::{Condition, Graph},
};

fn keeps(graph: &mut Graph, condition: Condition) -> Result<(), Error> {
    let mut kept = None;
    graph.add_if(condition, &[], |body| {
        kept = Some(body);
        Ok::<(), Error>(())
    })?;
    Ok(())
}

use kernel_args::{
    DevicePointer, Error,
    graph::{Condition, Graph, HostBuffer},
};

fn adds(graph: &mut Graph, condition: Condition) -> Result<(), Error> {
    graph.add_while(condition, &[], |body| {
        body.add_host(|| {}, &[])?;
        body.add_memcpy_dtoh(&HostBuffer::from(vec![0.0_f32]), DevicePointer::NULL, &[])?;
        Ok::<(), Error>(())
    })?;
    Ok(())
}

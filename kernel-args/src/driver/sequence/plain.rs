//! Runs that are enqueued step by step, without a graph.

use crate::driver::{
    api::{Api, Exec, Graph, LaunchConfig, RecordedLaunch, Status, Step, Steps},
    error::Error,
    function::function_name,
    launch::failed,
    run::ExternalSteps,
};
use cudarc::driver::CudaStream;
use std::sync::Arc;

/// Enqueues the steps in order. After an error, the steps before it are enqueued.
pub(super) fn enqueue(
    api: &'static Api,
    stream: &CudaStream,
    steps: Steps<'_>,
    external: &[Arc<ExternalSteps>],
) -> Result<(), Error> {
    for step in steps.iter() {
        match step {
            Step::Launch(launch) => enqueue_launch(api, stream, &launch)?,
            Step::Memory(memory) => memory.enqueue(api, stream.into())?,
            Step::Child(number) => {
                // The driver keeps the graph until its launch has finished.
                let launch = |child: &Graph| {
                    let graph = Graph::new(api)?;
                    if let Ok(root) = graph.after(&[]) {
                        root.add_child(child)?;
                    }
                    Exec::instantiate(graph, 0)?.launch(stream.into(), steps.promise())
                };
                ExternalSteps::with_child(external, number, launch).transpose()?;
            }
        }
    }
    Ok(())
}

fn enqueue_launch(api: &Api, stream: &CudaStream, launch: &RecordedLaunch<'_>) -> Result<(), Error> {
    let mut attributes: Vec<_> = launch.attributes().collect();
    let mut config = LaunchConfig::new(launch.grid, launch.block, launch.shared, stream.into());
    if !attributes.is_empty() {
        config = config.with_attributes(&mut attributes);
    }
    let status = launch.with_call(|call| api.launch(&config, call, launch.promise()));
    if status == Status::SUCCESS {
        return Ok(());
    }
    let function = launch.function();
    Err(failed(function_name(function), function, status, config, None, String::new(), Some(&**stream.context())))
}

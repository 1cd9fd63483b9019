//! The graph of a run, and the launches that its nodes have now.

use crate::driver::{
    api::{
        Api, CallError, Exec, Graph, KernelNodeShape, LaunchLog, NodeId, RecordedCall,
        RecordedLaunch, Step, StreamHandle,
    },
    error::Error,
    graph::Slot,
};
use cudarc::driver::CudaContext;
use std::{boxed::Box, sync::Arc, vec::Vec};

/// The graph of a run.
pub(super) struct Plan {
    exec: Exec,
    nodes: Vec<NodeId>,
    /// The steps that the nodes have now.
    steps: LaunchLog,
}

impl Plan {
    /// Creates a graph whose nodes run in the order of the steps, and instantiates it. The context must be current.
    pub(super) fn new(
        api: &'static Api,
        context: &Arc<CudaContext>,
        log: &mut LaunchLog,
    ) -> Result<Self, Error> {
        let graph = Graph::new(api)?;
        // The functions stay loaded until the last launch of the graph has finished.
        Slot::retained_by(graph.as_ref(), context, Box::new(log.keepers()))?;
        let mut nodes = Vec::with_capacity(log.len());
        for step in log.steps() {
            let node = add(&graph, nodes.last().copied(), &step, context)?;
            nodes.push(node);
        }
        let mut plan = Self {
            exec: Exec::instantiate(graph)?,
            nodes,
            steps: LaunchLog::default(),
        };
        plan.steps.swap_steps(log);
        Ok(plan)
    }

    /// Whether the nodes have the steps of `log`.
    pub(super) fn is_same(&self, log: &LaunchLog) -> bool {
        self.steps.is_same(log)
    }

    /// Whether updates of nodes change the steps to the steps of `log`. `changed` gets the index of each node to update.
    pub(super) fn can_become(&self, log: &LaunchLog, changed: &mut Vec<usize>) -> bool {
        changed.clear();
        self.steps.differences(log, |index| changed.push(index))
    }

    /// Updates the nodes `changed` to the steps of `log`. After an error, the nodes have any of both steps.
    pub(super) fn update(
        &mut self,
        log: &mut LaunchLog,
        changed: &[usize],
    ) -> Result<(), CallError> {
        let mut changed = changed.iter().copied().peekable();
        for (index, step) in log.steps().enumerate() {
            let Step::Launch(launch) = step else { continue };
            if changed.next_if_eq(&index).is_none() {
                continue;
            }
            if let Some(node) = self.exec.node(self.nodes[index]) {
                with_params(&launch, |params| node.set_params(params))?;
            }
        }
        self.steps.swap_steps(log);
        Ok(())
    }

    pub(super) fn launch(&self, stream: StreamHandle<'_>) -> Result<(), CallError> {
        match self.steps.promise() {
            Some(promise) => self.exec.launch(stream, promise),
            None => Ok(()),
        }
    }
}

fn with_params<T>(
    launch: &RecordedLaunch<'_>,
    then: impl FnOnce(&crate::driver::api::KernelNodeParams<'_>) -> T,
) -> T {
    let mut shape = KernelNodeShape::new(launch.grid, launch.block, launch.shared);
    launch.with_call(|call| match call {
        RecordedCall::Packed(call) => then(shape.of(call)),
        RecordedCall::Params(call) => then(shape.of(call)),
    })
}

/// Adds the node of a step, after the node `last`.
fn add(
    graph: &Graph,
    last: Option<NodeId>,
    step: &Step<'_>,
    context: &Arc<CudaContext>,
) -> Result<NodeId, CallError> {
    let Ok(after) = graph.after(last.as_slice()) else {
        // The node was added to this graph.
        unreachable!("a node of another graph")
    };
    match step {
        Step::Launch(launch) => {
            let node = with_params(launch, |params| after.add_kernel(params))?;
            for attribute in launch.attributes() {
                node.as_node().set_attribute(&attribute)?;
            }
            Ok(node.id())
        }
        Step::Memory(memory) => after.add_memory(memory, (&**context).into()),
    }
}

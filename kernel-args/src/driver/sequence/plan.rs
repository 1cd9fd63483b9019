//! The graph of a run: made from its steps, updated where they differ, launched.

use super::dependencies::Dependencies;
use crate::{
    driver::{
        api::{
            Api, CallError, Change, Exec, Graph, KernelNodeParams, KernelNodeShape, LaunchKeeper, LaunchLog, NodeId,
            RecordedLaunch, Step, Steps, StreamHandle,
        },
        error::Error,
        graph::{release, start},
        run::ExternalSteps,
    },
    memory::Accesses,
};
use core::{iter, mem};
use cudarc::driver::{CudaContext, CudaStream};
use std::sync::Arc;

/// The graph of a run. The fields are dropped in this order.
pub(super) struct Plan {
    exec: Exec,
    functions: Functions,
    nodes: Vec<NodeId>,
    pub(super) dependencies: Dependencies,
    /// The accesses that the dependencies follow from; `None` if the steps run in order.
    accesses: Option<Accesses>,
    pub(super) steps: Vec<u64>,
}

impl Plan {
    /// Creates a graph whose nodes wait for each other as their steps must, and instantiates it. The context must be
    /// current.
    pub(super) fn new(
        api: &'static Api,
        stream: &Arc<CudaStream>,
        log: &mut LaunchLog,
        accesses: Option<&Accesses>,
        external: &[Arc<ExternalSteps>],
    ) -> Result<Self, Error> {
        start()?;
        let functions = Functions { stream: stream.clone(), keepers: log.keepers(), external: external.to_vec() };
        let (graph, context) = (Graph::new(api)?, stream.context());
        let mut nodes: Vec<NodeId> = Vec::with_capacity(log.len());
        let steps = log.recorded();
        let dependencies = match accesses {
            Some(accesses) => Dependencies::of(accesses.iter()),
            None => Dependencies::of(iter::repeat_n(None, nodes.capacity())),
        };
        for (step, before) in steps.iter().zip(dependencies.iter()) {
            let before: Vec<_> = before.iter().map(|step| nodes[*step as usize]).collect();
            nodes.push(add(&graph, &before, &step, context, external)?);
        }
        let mut plan = Self {
            exec: Exec::instantiate(graph, 0)?,
            functions,
            nodes,
            dependencies,
            accesses: accesses.cloned(),
            steps: Vec::new(),
        };
        steps.copy_to(&mut plan.steps);
        Ok(plan)
    }

    /// Returns whether updates of fewer than `below` nodes change the steps to `steps`. `changes` gets the steps that
    /// differ.
    pub(super) fn can_become(&self, steps: Steps<'_>, changes: &mut Vec<Change>, below: usize) -> bool {
        changes.clear();
        Steps::of(&self.steps).differences(steps, below, |change| changes.push(change))
    }

    /// Returns whether steps with these accesses must wait for each other as the nodes do.
    pub(super) fn is_ordered_for(&mut self, accesses: Option<&Accesses>) -> bool {
        match (accesses, &mut self.accesses) {
            (None, None) => true,
            (Some(now), Some(own)) => {
                *own == *now
                    || self.dependencies == Dependencies::of(now.iter()) && {
                        own.clone_from(now);
                        true
                    }
            }
            _ => false,
        }
    }

    /// Updates the nodes of `changes` to `steps`. After an error, the nodes have any of both steps.
    pub(super) fn update(&mut self, steps: Steps<'_>, changes: &[Change]) -> Result<(), CallError> {
        for &change in changes {
            let node = self.exec.node(self.nodes[change.index]);
            match (steps.at(change), node) {
                (Some(Step::Launch(launch)), Some(node)) => with_params(&launch, |params| node.set_params(params))?,
                (Some(Step::Memory(memory)), Some(node)) => {
                    node.set_memory(&memory, (&**self.functions.stream.context()).into())?;
                }
                _ => {}
            }
        }
        steps.copy_to(&mut self.steps);
        Ok(())
    }

    /// Keeps the external work whose steps the nodes have.
    pub(super) fn keep_external(&mut self, work: &[Arc<ExternalSteps>]) {
        let own = &mut self.functions.external;
        if own.len() != work.len() || own.iter().zip(work).any(|(own, new)| !Arc::ptr_eq(own, new)) {
            let old = mem::replace(own, work.to_vec());
            let stream = &self.functions.stream;
            release(Some(stream), stream.context(), vec![Box::new(old)]);
        }
    }

    /// Launches the graph, whose nodes have the steps of `log`.
    pub(super) fn launch(&self, log: &LaunchLog, stream: StreamHandle<'_>) -> Result<(), CallError> {
        log.promise().map_or(Ok(()), |promise| self.exec.launch(stream, promise))
    }
}

/// Keeps the functions loaded until the last launch of the graph on `stream` has finished.
struct Functions {
    stream: Arc<CudaStream>,
    keepers: Vec<LaunchKeeper>,
    /// The external work of the graph, which keeps its handles.
    external: Vec<Arc<ExternalSteps>>,
}

impl Drop for Functions {
    fn drop(&mut self) {
        let context = self.stream.context();
        // `Drop` cannot report an error.
        let _ = context.bind_to_thread();
        let owner = Box::new((mem::take(&mut self.keepers), mem::take(&mut self.external)));
        release(Some(&self.stream), context, vec![owner]);
    }
}

fn with_params<T>(launch: &RecordedLaunch<'_>, then: impl FnOnce(&KernelNodeParams<'_>) -> T) -> T {
    let mut shape = KernelNodeShape::new(launch.grid, launch.block, launch.shared);
    launch.with_call(|call| then(shape.of(call)))
}

fn add(
    graph: &Graph,
    before: &[NodeId],
    step: &Step<'_>,
    context: &Arc<CudaContext>,
    external: &[Arc<ExternalSteps>],
) -> Result<NodeId, CallError> {
    let after = graph.after(before).expect("the nodes were added to this graph");
    match step {
        Step::Launch(launch) => {
            let node = with_params(launch, |params| after.add_kernel(params))?;
            for attribute in launch.attributes() {
                node.as_node().set_attribute(&attribute)?;
            }
            Ok(node.id())
        }
        Step::Memory(memory) => after.add_memory(memory, (&**context).into()),
        Step::Child(number) => ExternalSteps::with_child(external, *number, |child| after.add_child(child))
            .expect("the run has the work of its steps"),
    }
}

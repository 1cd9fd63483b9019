//! Instantiated graphs: `cuGraphInstantiate*`, launches, updates.

use std::ffi::{c_char, c_uint};

use crate::{
    entry::Out,
    error::{Outcome, Status},
    handle::Handle,
    launch::Via,
    operation::Operation,
    state::Driver,
    user_object::References,
};

/// An executable graph: a copy of the operations, in topological order.
#[derive(Debug)]
pub(crate) struct Exec {
    pub(crate) steps: Vec<Step>,
    pub(crate) references: References,
    /// The graph from which it was instantiated.
    graph: Handle,
    flags: u64,
}

/// A node of an executable graph.
#[derive(Debug)]
pub(crate) struct Step {
    /// The node of the original graph.
    pub(crate) node: Handle,
    pub(crate) operation: Operation,
    /// The steps on which it depends, in their order.
    pub(crate) after: Vec<usize>,
    enabled: bool,
}

/// `CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH`, `_DEVICE_LAUNCH`.
const AUTO_FREE: u64 = 1;
const DEVICE_LAUNCH: u64 = 4;
const KNOWN_FLAGS: u64 = 15;

impl Exec {
    pub(crate) fn forget_graph(&mut self, graph: Handle) {
        if self.graph == graph {
            self.graph = Handle::NULL;
        }
    }

    fn step(&mut self, node: Handle) -> Outcome<&mut Step> {
        self.steps
            .iter_mut()
            .find(|step| step.node == node)
            .ok_or(Status::INVALID_VALUE)
    }

    /// Changes the operation of `node`.
    pub(crate) fn operation(&self, node: Handle) -> Outcome<&Operation> {
        let step = self
            .steps
            .iter()
            .find(|step| step.node == node)
            .ok_or(Status::INVALID_VALUE)?;
        Ok(&step.operation)
    }

    pub(crate) fn replace(&mut self, node: Handle, operation: Operation) -> Outcome {
        self.step(node)?.operation = operation;
        Ok(())
    }
}

impl Driver {
    fn instantiate_graph(&mut self, graph: Handle, flags: u64) -> Outcome<Handle> {
        if flags & !KNOWN_FLAGS != 0
            || flags & (AUTO_FREE | DEVICE_LAUNCH) == AUTO_FREE | DEVICE_LAUNCH
        {
            return Err(Status::INVALID_VALUE);
        }
        if flags & DEVICE_LAUNCH != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        let held = self.graphs.get(graph)?;
        let device_updatable = held.nodes.iter().any(|node| {
            self.nodes
                .get(*node)
                .is_ok_and(|node| node.on_device.is_some())
        });
        if device_updatable && held.instantiated > 0 {
            return Err(Status::INVALID_VALUE);
        }
        // Seen with driver 580.
        if self.has_memory(graph)? && self.execs.iter().any(|(_, exec)| exec.graph == graph) {
            return Err(Status::NOT_SUPPORTED);
        }
        let references = held.references.clone();
        let steps = self.steps(graph)?;
        self.retain_references(&references)?;
        self.graphs.get_mut(graph)?.instantiated += 1;
        Ok(self.execs.insert(Exec {
            steps,
            references,
            graph,
            flags,
        }))
    }

    pub(crate) fn steps(&self, graph: Handle) -> Outcome<Vec<Step>> {
        let ordered = self.ordered(graph)?;
        let place = |first: &Handle| ordered.iter().position(|node| node == first);
        let step = |node: &Handle| {
            let held = self.nodes.get(*node)?;
            let mut after: Vec<_> = held.dependencies.iter().filter_map(place).collect();
            after.sort_unstable();
            Ok(Step {
                node: *node,
                operation: held.operation.clone(),
                after,
                enabled: true,
            })
        };
        ordered.iter().map(step).collect()
    }

    fn launch_graph(&mut self, exec: Handle, stream: Handle) -> Outcome {
        let target = self.stream_target(stream)?;
        self.check(target.context)?;
        let held = self.execs.get(exec)?;
        let operations: Vec<Operation> = held
            .steps
            .iter()
            .filter(|step| step.enabled)
            .map(|step| step.operation.clone())
            .collect();
        // Seen with driver 580: the launch does not become a node, and the capture is invalidated.
        if let Some(capture) = target.capture {
            return Err(self.break_capture(capture, Status::STREAM_CAPTURE_UNSUPPORTED));
        }
        let frees_first = self.execs.get(exec)?.flags & AUTO_FREE != 0;
        self.begin_allocations(&operations, frees_first)?;
        for operation in operations {
            // A failed kernel of the graph stops the remaining nodes, as on a GPU.
            if self.check(target.context).is_err() {
                break;
            }
            self.execute(target, &operation, Via::Graph)?;
        }
        Ok(())
    }
}

entry_points! {
    fn cuGraphInstantiateWithFlags(driver, exec: Out<Handle>, graph: Handle, flags: u64) {
        exec.set(Handle::NULL)?;
        exec.set(driver.instantiate_graph(graph, flags)?)
    }

    fn cuGraphInstantiate_v2(
        driver, exec: Out<Handle>, graph: Handle, error_node: Out<Handle>, log: Out<c_char>, capacity: usize,
    ) {
        error_node.set_if_wanted(Handle::NULL);
        if !log.is_null() {
            log.set_text("", capacity)?;
        }
        exec.set(Handle::NULL)?;
        exec.set(driver.instantiate_graph(graph, 0)?)
    }

    fn cuGraphExecDestroy(driver, exec: Handle) {
        let held = driver.execs.remove(exec)?;
        driver.release_references(held.references)
    }

    fn cuGraphLaunch(driver, exec: Handle, stream: Handle) {
        driver.launch_graph(exec, stream)
    }

    fn cuGraphNodeSetEnabled(driver, exec: Handle, node: Handle, enabled: c_uint) {
        let step = driver.execs.get_mut(exec)?.step(node)?;
        match step.operation {
            Operation::Kernel(_) | Operation::Copy { .. } | Operation::Fill { .. } => step.enabled = enabled != 0,
            _ => return Err(Status::INVALID_VALUE),
        }
        Ok(())
    }

    fn cuGraphNodeGetEnabled(driver, exec: Handle, node: Handle, enabled: Out<c_uint>) {
        enabled.set(c_uint::from(driver.execs.get_mut(exec)?.step(node)?.enabled))
    }

    fn cuGraphUpload(driver, exec: Handle, stream: Handle) {
        let target = driver.stream_target(stream)?;
        driver.check(target.context)?;
        driver.execs.get(exec).map(drop)
    }
}

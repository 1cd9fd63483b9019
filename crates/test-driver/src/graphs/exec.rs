//! Instantiated graphs: `cuGraphInstantiate*`, launches, updates.

use std::{
    collections::VecDeque,
    ffi::{c_char, c_uint},
};

use crate::{
    entry::Out,
    error::{Outcome, Status},
    graphs::{attribute::device_handle, user_object::References},
    handle::Handle,
    launches::launch::Via,
    state::{Driver, Operation},
    streams::stream::Target,
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
#[derive(Clone, Debug)]
pub(crate) struct Step {
    /// The node of the original graph.
    pub(crate) node: Handle,
    pub(crate) operation: Operation,
    /// The steps on which it depends, in their order.
    pub(crate) after: Vec<usize>,
    enabled: bool,
    /// The child graph, or the bodies of a conditional node.
    pub(crate) inside: Vec<Vec<Step>>,
}

impl Step {
    fn find(steps: &[Self], node: Handle) -> Option<&Self> {
        steps.iter().find_map(|step| {
            if step.node == node {
                return Some(step);
            }
            step.inside.iter().find_map(|steps| Self::find(steps, node))
        })
    }

    fn find_mut(steps: &mut [Self], node: Handle) -> Option<&mut Self> {
        steps.iter_mut().find_map(|step| {
            if step.node == node {
                return Some(step);
            }
            let mut inside = step.inside.iter_mut();
            inside.find_map(|steps| Self::find_mut(steps, node))
        })
    }
}

/// The nodes of a launch that run after a host function, without the driver's lock, has returned.
#[derive(Debug)]
pub(crate) struct Rest {
    target: Target,
    steps: VecDeque<Step>,
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
        Step::find_mut(&mut self.steps, node).ok_or(Status::INVALID_VALUE)
    }

    /// Changes the operation of `node`.
    pub(crate) fn operation(&self, node: Handle) -> Outcome<&Operation> {
        let step = Step::find(&self.steps, node).ok_or(Status::INVALID_VALUE)?;
        Ok(&step.operation)
    }

    pub(crate) fn replace(&mut self, node: Handle, operation: Operation) -> Outcome {
        self.step(node)?.operation = operation;
        Ok(())
    }
}

impl Driver {
    fn instantiate_graph(&mut self, graph: Handle, flags: u64) -> Outcome<Handle> {
        if flags & !KNOWN_FLAGS != 0 || flags & (AUTO_FREE | DEVICE_LAUNCH) == AUTO_FREE | DEVICE_LAUNCH {
            return Err(Status::INVALID_VALUE);
        }
        if flags & DEVICE_LAUNCH != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        let held = self.graphs.get(graph)?;
        let device_updatable =
            held.nodes.iter().any(|node| self.nodes.get(*node).is_ok_and(|node| node.on_device.is_some()));
        if device_updatable && held.instantiated > 0 {
            return Err(Status::INVALID_VALUE);
        }
        // Seen with driver 580.
        if self.has_memory(graph)? && self.execs.iter().any(|(_, exec)| exec.graph == graph) {
            return Err(Status::NOT_SUPPORTED);
        }
        self.check_conditions(graph)?;
        let references = self.all_references(graph)?;
        let steps = self.steps(graph)?;
        self.retain_references(&references)?;
        self.graphs.get_mut(graph)?.instantiated += 1;
        Ok(self.execs.insert(Exec { steps, references, graph, flags }))
    }

    pub(crate) fn steps(&self, graph: Handle) -> Outcome<Vec<Step>> {
        let ordered = self.ordered(graph)?;
        let place = |first: &Handle| ordered.iter().position(|node| node == first);
        let step = |node: &Handle| {
            let held = self.nodes.get(*node)?;
            let inside = held.inside.iter().map(|graph| self.steps(*graph));
            let mut after: Vec<_> = held.dependencies.iter().filter_map(place).collect();
            after.sort_unstable();
            Ok(Step {
                node: *node,
                operation: held.operation.clone(),
                after,
                enabled: true,
                inside: inside.collect::<Outcome<_>>()?,
            })
        };
        ordered.iter().map(step).collect()
    }

    fn launch_graph(&mut self, exec: Handle, stream: Handle) -> Outcome {
        let target = self.stream_target(stream)?;
        self.check(target.context)?;
        let held = self.execs.get(exec)?;
        let steps: VecDeque<Step> = held.steps.iter().cloned().collect();
        // Seen with driver 580: the launch does not become a node, and the capture is invalidated.
        if let Some(capture) = target.capture {
            return Err(self.break_capture(capture, Status::STREAM_CAPTURE_UNSUPPORTED));
        }
        let frees_first = held.flags & AUTO_FREE != 0;
        let operations: Vec<_> = steps.iter().map(|step| step.operation.clone()).collect();
        self.begin_allocations(&operations, frees_first)?;
        self.reset_conditions(&steps.iter().collect::<Vec<_>>());
        self.run_steps(Rest { target, steps })
    }

    /// Runs the steps until a host function must be called.
    pub(crate) fn run_steps(&mut self, rest: Rest) -> Outcome {
        let Rest { target, mut steps } = rest;
        while let Some(mut step) = steps.pop_front() {
            // A failed kernel of the graph stops the remaining nodes, as on a GPU.
            if self.check(target.context).is_err() {
                break;
            }
            if !step.enabled {
                continue;
            }
            self.update_parameters(&mut step);
            self.execute(target, &step.operation, Via::Graph)?;
            let (which, again) = match &step.operation {
                Operation::Child => (Some(0), false),
                Operation::Conditional(conditional) => self.body_of(conditional, &step.inside)?,
                _ => (None, false),
            };
            let body = which.and_then(|which| step.inside.get(which)).cloned();
            if again {
                steps.push_front(step);
            }
            for step in body.into_iter().flatten().rev() {
                steps.push_front(step);
            }
            if !self.host_calls.is_empty() {
                self.rest = Some(Rest { target, steps });
                break;
            }
        }
        Ok(())
    }

    /// Applies what kernels have written to the parameters of a node.
    fn update_parameters(&mut self, step: &mut Step) {
        let Operation::Kernel(call) = &mut step.operation else { return };
        let handle = device_handle(step.node).0 as u64;
        self.node_updates.retain(|(node, offset, bytes)| {
            let place =
                usize::try_from(*offset).ok().and_then(|at| call.bank.bytes.get_mut(at..)?.get_mut(..bytes.len()));
            if let (true, Some(place)) = (*node == handle, place) {
                place.copy_from_slice(bytes);
            }
            *node != handle
        });
    }

    /// Sets the conditions of the nodes to their default values.
    fn reset_conditions(&mut self, steps: &[&Step]) {
        for step in steps {
            if let Operation::Conditional(conditional) = &step.operation {
                self.conditions.reset(conditional);
            }
            self.reset_conditions(&step.inside.iter().flatten().collect::<Vec<_>>());
        }
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
            Operation::Kernel(_) | Operation::Copy { .. } | Operation::Region(_) | Operation::Fill { .. } => step.enabled = enabled != 0,
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

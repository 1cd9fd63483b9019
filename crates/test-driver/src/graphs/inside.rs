//! Graphs inside of graphs: child graphs, and the bodies of conditional nodes (CUDA driver API, "Graph Management"; the
//! programming guide's "Conditional Graph Nodes"). What the documentation leaves open is as driver 580 does it.

use std::{collections::BTreeMap, ffi::c_uint};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    graphs::{exec::Step, graph::Graph, user_object::References},
    handle::Handle,
    memory::Place,
    state::{Driver, Operation},
};

/// The conditions, by their handles.
#[derive(Debug, Default)]
pub(crate) struct Conditions(BTreeMap<u64, Condition>);

#[derive(Debug)]
struct Condition {
    /// The graph for which it was created.
    graph: Handle,
    default: u32,
    value: u32,
    /// The rounds of a loop since it was set.
    rounds: u32,
    /// Whether a conditional node has it.
    has_node: bool,
}

/// What a conditional node does with its bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditional {
    condition: u64,
    kind: c_uint,
}

/// `CUgraphConditionalNodeType`.
const IF: c_uint = 0;
const WHILE: c_uint = 1;
const SWITCH: c_uint = 2;

/// `CU_GRAPH_NODE_TYPE_CONDITIONAL`.
const CONDITIONAL: c_uint = 13;

/// `CUgraphNodeParams` of a conditional node.
#[derive(Clone, Copy)]
#[repr(C)]
struct NodeParams {
    node: c_uint,
    reserved: [c_uint; 3],
    condition: u64,
    kind: c_uint,
    size: c_uint,
    bodies: usize,
    context: Handle,
    rest: [u64; 26],
}

/// Returns the names of the kernels in graphs.
fn kernels(inside: &[Vec<Step>]) -> Vec<String> {
    let steps = inside.iter().flatten();
    let names = steps.flat_map(|step| match &step.operation {
        Operation::Kernel(call) => vec![call.kernel.name.clone()],
        _ => kernels(&step.inside),
    });
    names.collect()
}

impl Conditions {
    fn create(&mut self, graph: Handle, default: u32) -> u64 {
        // Handles are not reused.
        let handle = 0x4b41_0c00 + self.0.len() as u64;
        let condition = Condition { graph, default, value: default, rounds: 0, has_node: false };
        self.0.insert(handle, condition);
        handle
    }

    /// A kernel sets a condition. Without a condition nothing happens here.
    pub(crate) fn set(&mut self, handle: u64, value: u32) {
        if let Some(condition) = self.0.get_mut(&handle) {
            (condition.value, condition.rounds) = (value, 0);
        }
    }

    /// The graph is destroyed. Graphs that were instantiated from it still have its conditions.
    pub(crate) fn forget(&mut self, graph: Handle) {
        for condition in self.0.values_mut() {
            if condition.graph == graph {
                condition.graph = Handle::NULL;
            }
        }
    }

    pub(crate) fn reset(&mut self, conditional: &Conditional) {
        if let Some(condition) = self.0.get_mut(&conditional.condition) {
            (condition.value, condition.rounds) = (condition.default, 0);
        }
    }
}

impl Driver {
    /// Returns the body that a conditional node runs next, and whether the node is then evaluated again. `inside`: its
    /// bodies.
    ///
    /// # Errors
    /// For a loop that does not end, because no kernel sets its condition.
    pub(crate) fn body_of(
        &mut self,
        conditional: &Conditional,
        inside: &[Vec<Step>],
    ) -> Outcome<(Option<usize>, bool)> {
        let condition = self.conditions.0.get_mut(&conditional.condition).ok_or(Status::INVALID_VALUE)?;
        let value = condition.value as usize;
        Ok(match conditional.kind {
            WHILE if value != 0 => {
                condition.rounds += 1;
                let rounds = condition.rounds;
                self.check_rounds(rounds, inside)?;
                (Some(0), true)
            }
            WHILE => (None, false),
            SWITCH => (Some(value), false),
            // The second body, if there is one, is the `else`.
            _ => (Some(usize::from(value == 0)), false),
        })
    }

    /// Checks how often a loop has run since its condition was set.
    fn check_rounds(&self, rounds: u32, inside: &[Vec<Step>]) -> Outcome {
        const ROUNDS: u32 = 100_000;
        const ROUNDS_WITHOUT_EFFECT: u32 = 1000;
        if rounds < ROUNDS_WITHOUT_EFFECT {
            return Ok(());
        }
        let not_executed = kernels(inside).into_iter().find(|name| self.not_executed.contains(name));
        let Some(kernel) = not_executed else {
            if rounds < ROUNDS {
                return Ok(());
            }
            eprintln!(
                "kernel-args test driver: no kernel has set the condition of a `while` node in {ROUNDS} rounds: it does not end"
            );
            return Err(Status::LAUNCH_TIMEOUT);
        };
        eprintln!(
            "kernel-args test driver: a `while` node does not end: nothing has set its condition in {rounds} rounds, and `{kernel}`, \
             which is in its body, is launched, not executed"
        );
        Err(Status::NOT_SUPPORTED)
    }

    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` for nodes that cannot be cloned.
    pub(crate) fn check_cloned(&self, graph: Handle) -> Outcome {
        for node in &self.graphs.get(graph)?.nodes {
            match self.nodes.get(*node)?.operation {
                Operation::Conditional(_) | Operation::Allocate { .. } | Operation::Free { .. } => {
                    return Err(Status::NOT_SUPPORTED);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns the references of a graph and of the graphs inside of it.
    pub(crate) fn all_references(&self, graph: Handle) -> Outcome<References> {
        let held = self.graphs.get(graph)?;
        let mut references = held.references.clone();
        for node in &held.nodes {
            for inside in &self.nodes.get(*node)?.inside {
                references.add(&self.all_references(*inside)?);
            }
        }
        Ok(references)
    }

    /// Each condition has a node, and bodies contain only nodes that they can contain.
    pub(crate) fn check_conditions(&self, graph: Handle) -> Outcome {
        let unused = |condition: &Condition| condition.graph == graph && !condition.has_node;
        if self.conditions.0.values().any(unused) {
            return Err(Status::INVALID_VALUE);
        }
        let is_body = self.graphs.get(graph)?.around.is_some();
        self.check_nodes(graph, is_body)
    }

    fn check_nodes(&self, graph: Handle, in_body: bool) -> Outcome {
        for node in &self.graphs.get(graph)?.nodes {
            let held = self.nodes.get(*node)?;
            let is_allowed = match held.operation {
                Operation::Copy { to, from, .. } => {
                    !in_body || matches!((to, from), (Place::Device(_), Place::Device(_)))
                }
                Operation::Region(ref copy) => !in_body || !copy.sides().iter().any(|side| side.is_on_host()),
                Operation::Nothing
                | Operation::Kernel(_)
                | Operation::Fill { .. }
                | Operation::Child
                | Operation::Conditional(_) => true,
                Operation::Host(_)
                | Operation::RecordEvent(_)
                | Operation::WaitForEvent(_)
                | Operation::Allocate { .. }
                | Operation::Free { .. } => !in_body,
            };
            if !is_allowed {
                return Err(Status::INVALID_VALUE);
            }
            for inside in &held.inside {
                match held.operation {
                    Operation::Conditional(_) => self.check_conditions(*inside)?,
                    _ => self.check_nodes(*inside, in_body)?,
                }
            }
        }
        Ok(())
    }

    /// Returns whether `graph` is `around`, or a body in it.
    fn is_in(&self, graph: Handle, around: Handle) -> bool {
        let next = |graph: &Handle| self.graphs.get(*graph).ok()?.around;
        std::iter::successors(Some(graph), next).any(|graph| graph == around)
    }

    fn add_conditional(&mut self, graph: Handle, dependencies: Vec<Handle>, params: &NodeParams) -> Outcome<Handle> {
        self.check(params.context)?;
        let newest = self.config.version >= 12_080;
        let is_known = match (params.kind, params.size) {
            (IF | WHILE, 1) => true,
            (IF, 2) | (SWITCH, 1..) => newest,
            _ => false,
        };
        let condition = self.conditions.0.get(&params.condition);
        let is_own = condition.is_some_and(|held| !held.has_node && self.is_in(graph, held.graph));
        if params.node != CONDITIONAL || !is_known || !is_own || params.rest != [0; 26] {
            return Err(Status::INVALID_VALUE);
        }
        let conditional = Conditional { condition: params.condition, kind: params.kind };
        let node = self.add_node(graph, Operation::Conditional(conditional), dependencies)?;
        let bodies = (0..params.size).map(|_| self.graphs.insert(Graph { around: Some(graph), ..Graph::default() }));
        let bodies = bodies.collect();
        self.nodes.get_mut(node)?.inside = bodies;
        if let Some(condition) = self.conditions.0.get_mut(&params.condition) {
            condition.has_node = true;
        }
        Ok(node)
    }
}

entry_points! {
    fn cuGraphAddChildGraphNode(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, child: Handle,
    ) {
        let dependencies = dependencies.take(count)?;
        let copy = driver.clone_graph(child)?;
        match driver.add_node(graph, Operation::Child, dependencies) {
            Ok(added) => {
                driver.nodes.get_mut(added)?.inside = [copy].into();
                node.set(added)
            }
            Err(status) => {
                driver.destroy_graph(copy)?;
                Err(status)
            }
        }
    }

    fn cuGraphChildGraphNodeGetGraph(driver, node: Handle, graph: Out<Handle>) {
        let held = driver.nodes.get(node)?;
        match held.operation {
            Operation::Child => graph.set(held.inside[0]),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn cuGraphNodeFindInClone(driver, node: Out<Handle>, original: Handle, clone: Handle) {
        let clones = &driver.graphs.get(clone)?.clones;
        let found = clones.iter().find(|(first, _)| *first == original);
        node.set(found.ok_or(Status::INVALID_VALUE)?.1)
    }

    fn cuGraphConditionalHandleCreate(
        driver, handle: Out<u64>, graph: Handle, context: Handle, default: c_uint, flags: c_uint,
    ) {
        driver.graphs.get(graph)?;
        driver.check(context)?;
        // `CU_GRAPH_COND_ASSIGN_DEFAULT`, without which the value is undefined.
        if flags > 1 {
            return Err(Status::INVALID_VALUE);
        }
        handle.set(driver.conditions.create(graph, default))
    }

    fn cuGraphAddNode_v2(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, _edges: In<u64>, count: usize,
        parameters: Out<NodeParams>,
    ) {
        let mut params = parameters.get()?;
        if params.node != CONDITIONAL {
            return Err(Status::NOT_SUPPORTED);
        }
        let added = driver.add_conditional(graph, dependencies.take(count)?, &params)?;
        params.bodies = driver.nodes.get(added)?.inside.as_ptr().expose_provenance();
        parameters.set(params)?;
        node.set(added)
    }
}

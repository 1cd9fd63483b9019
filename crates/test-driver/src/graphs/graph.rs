//! Graphs and their nodes: creating, querying and destroying them.

use std::ffi::c_uint;

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    graphs::{kernel::NodeArrays, user_object::References},
    handle::Handle,
    state::{Driver, Operation},
};

/// A graph.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    /// In the order of their creation.
    pub(crate) nodes: Vec<Handle>,
    pub(crate) references: References,
    /// How many times it was instantiated.
    pub(crate) instantiated: u32,
    /// For a clone: each node of the original and its clone.
    pub(crate) clones: Vec<(Handle, Handle)>,
    /// For a body of a conditional node: the graph of the node.
    pub(crate) around: Option<Handle>,
}

/// A node.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) operation: Operation,
    pub(crate) dependencies: Vec<Handle>,
    /// For a kernel node: the arrays that `cuGraphKernelNodeGetParams` returned.
    pub(crate) arrays: Option<NodeArrays>,
    /// For a device-updatable kernel node: its handle on the device.
    pub(crate) on_device: Option<Handle>,
    /// The child graph, or the bodies of a conditional node.
    pub(crate) inside: Box<[Handle]>,
}

impl Driver {
    pub(crate) fn new_graph(&mut self) -> Handle {
        self.graphs.insert(Graph::default())
    }

    /// Adds a node.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a dependency that is not a node of the graph, and for a duplicate.
    pub(crate) fn add_node(
        &mut self,
        graph: Handle,
        operation: Operation,
        dependencies: Vec<Handle>,
    ) -> Outcome<Handle> {
        let held = self.graphs.get(graph)?;
        let known = dependencies.iter().all(|dependency| held.nodes.contains(dependency));
        let twice = dependencies.iter().enumerate().any(|(index, node)| dependencies[..index].contains(node));
        if !known || twice {
            return Err(Status::INVALID_VALUE);
        }
        let node =
            self.nodes.insert(Node { operation, dependencies, arrays: None, on_device: None, inside: Box::default() });
        self.graphs.get_mut(graph)?.nodes.push(node);
        Ok(node)
    }

    pub(crate) fn destroy_graph(&mut self, graph: Handle) -> Outcome {
        let held = self.graphs.remove(graph)?;
        self.conditions.forget(graph);
        for node in held.nodes {
            self.remove_node(node)?;
        }
        // A new graph can get this handle.
        for (_, exec) in self.execs.iter_mut() {
            exec.forget_graph(graph);
        }
        self.release_references(held.references)
    }

    /// Returns the nodes in topological order, the latest ones as early as possible: a program that relies on the order
    /// in which it added them has wrong results.
    ///
    /// # Errors
    /// `CUDA_ERROR_INVALID_VALUE` for a cycle.
    pub(crate) fn ordered(&self, graph: Handle) -> Outcome<Vec<Handle>> {
        let mut waiting = self.graphs.get(graph)?.nodes.clone();
        let mut ordered: Vec<Handle> = Vec::with_capacity(waiting.len());
        while !waiting.is_empty() {
            let ready = waiting.iter().rposition(|node| {
                self.nodes.get(*node).is_ok_and(|held| held.dependencies.iter().all(|first| ordered.contains(first)))
            });
            ordered.push(waiting.remove(ready.ok_or(Status::INVALID_VALUE)?));
        }
        Ok(ordered)
    }

    /// Removes a node with the graphs inside of it.
    pub(crate) fn remove_node(&mut self, node: Handle) -> Outcome {
        let held = self.nodes.remove(node)?;
        held.inside.iter().try_for_each(|graph| self.destroy_graph(*graph))
    }

    /// # Errors
    /// `CUDA_ERROR_NOT_SUPPORTED` for a graph that allocates or frees memory, or has a conditional node.
    pub(crate) fn clone_graph(&mut self, original: Handle) -> Outcome<Handle> {
        self.check_cloned(original)?;
        let clone = self.new_graph();
        let mut twins: Vec<(Handle, Handle)> = Vec::new();
        for node in self.ordered(original)? {
            let held = self.nodes.get(node)?;
            let operation = held.operation.clone();
            let twin_of = |first: &Handle| twins.iter().find(|(old, _)| old == first).map(|(_, new)| *new);
            let dependencies = held.dependencies.iter().filter_map(twin_of).collect();
            let inside = held.inside.clone();
            let twin = self.add_node(clone, operation, dependencies)?;
            let inside: Outcome<Vec<Handle>> = inside.iter().map(|graph| self.clone_graph(*graph)).collect();
            self.nodes.get_mut(twin)?.inside = inside?.into();
            twins.push((node, twin));
        }
        let references = self.graphs.get(original)?.references.clone();
        self.retain_references(&references)?;
        let held = self.graphs.get_mut(clone)?;
        held.references = references;
        held.clones = twins;
        Ok(clone)
    }
}

/// Returns a list like the API: `count` is the caller's capacity before, and the number of written entries after
/// (without a buffer: the number of existing entries). The rest of the buffer is set to null.
pub(crate) fn give(list: &[Handle], buffer: Out<Handle>, count: Out<usize>) -> Outcome {
    if buffer.is_null() {
        return count.set(list.len());
    }
    let room = count.get()?;
    buffer.fill(list, room)?;
    for index in list.len()..room {
        buffer.at(index).set(Handle::NULL)?;
    }
    count.set(list.len().min(room))
}

entry_points! {
    fn cuGraphCreate(driver, graph: Out<Handle>, flags: c_uint) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        graph.set(Handle::NULL)?;
        graph.set(driver.new_graph())
    }

    fn cuGraphDestroy(driver, graph: Handle) {
        driver.destroy_graph(graph)
    }

    fn cuGraphClone(driver, clone: Out<Handle>, original: Handle) {
        clone.set(Handle::NULL)?;
        clone.set(driver.clone_graph(original)?)
    }

    fn cuGraphGetNodes(driver, graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        give(&driver.graphs.get(graph)?.nodes, nodes, count)
    }

    fn cuGraphAddDependencies_v2(
        driver, graph: Handle, from: In<Handle>, to: In<Handle>, _data: In<u64>, count: usize,
    ) {
        let pairs: Vec<_> = from.take(count)?.into_iter().zip(to.take(count)?).collect();
        let nodes = &driver.graphs.get(graph)?.nodes;
        if !pairs.iter().all(|(from, to)| from != to && nodes.contains(from) && nodes.contains(to)) {
            return Err(Status::INVALID_VALUE);
        }
        for (from, to) in pairs {
            let dependencies = &mut driver.nodes.get_mut(to)?.dependencies;
            if !dependencies.contains(&from) {
                dependencies.push(from);
            }
        }
        Ok(())
    }
}

//! Copy and fill nodes, and queries of a graph's nodes and edges.

use std::ffi::c_uint;

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    graphs::graph::give,
    handle::Handle,
    memory::{Place, region::Copy3D},
    state::{Driver, Operation},
};

/// `CUDA_MEMSET_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Fill {
    address: u64,
    pitch: usize,
    value: c_uint,
    element: c_uint,
    width: usize,
    height: usize,
}

impl Fill {
    fn operation(&self) -> Outcome<Operation> {
        let pattern = match self.element {
            1 if self.value < 1 << 8 => vec![self.value as u8],
            2 if self.value < 1 << 16 => (self.value as u16).to_le_bytes().to_vec(),
            4 => self.value.to_le_bytes().to_vec(),
            _ => return Err(Status::INVALID_VALUE),
        };
        if self.width == 0 || self.height == 0 {
            return Err(Status::INVALID_VALUE);
        }
        Ok(Operation::Fill {
            address: self.address,
            pattern,
            width: self.width,
            height: self.height,
            pitch: self.pitch,
        })
    }
}

impl Driver {
    fn edges(&self, graph: Handle) -> Outcome<(Vec<Handle>, Vec<Handle>)> {
        let (mut from, mut to) = (Vec::new(), Vec::new());
        for &node in &self.graphs.get(graph)?.nodes {
            for &dependency in &self.nodes.get(node)?.dependencies {
                from.push(dependency);
                to.push(node);
            }
        }
        Ok((from, to))
    }

    /// `count` is the caller's capacity of both lists, and then the number of edges.
    fn give_edges(&self, graph: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>) -> Outcome {
        let (first, second) = self.edges(graph)?;
        if from.is_null() {
            return count.set(first.len());
        }
        let room = count.get()?;
        give(&first, from, count)?;
        count.set(room)?;
        give(&second, to, count)
    }
}

entry_points! {
    fn cuGraphAddMemcpyNode(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, copy: In<Copy3D>,
        context: Handle,
    ) {
        driver.check(context)?;
        let operation = copy.get()?.operation()?;
        node.set(driver.add_node(graph, operation, dependencies.take(count)?)?)
    }

    fn cuGraphAddMemsetNode(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, fill: In<Fill>,
        context: Handle,
    ) {
        driver.check(context)?;
        let operation = fill.get()?.operation()?;
        node.set(driver.add_node(graph, operation, dependencies.take(count)?)?)
    }

    fn cuGraphMemcpyNodeGetParams(driver, node: Handle, copy: Out<Copy3D>) {
        match &driver.nodes.get(node)?.operation {
            Operation::Copy { to, from, length } => copy.set(Copy3D::of_row(*to, *from, *length)),
            Operation::Region(region) => copy.set(**region),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn cuGraphMemsetNodeGetParams(driver, node: Handle, fill: Out<Fill>) {
        match &driver.nodes.get(node)?.operation {
            Operation::Fill { address, pattern, width, height, pitch } => {
                let mut value = [0; 4];
                value[..pattern.len()].copy_from_slice(pattern);
                let (value, element) = (c_uint::from_le_bytes(value), pattern.len() as c_uint);
                fill.set(Fill { address: *address, pitch: *pitch, value, element, width: *width, height: *height })
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn cuGraphExecMemcpyNodeSetParams(driver, exec: Handle, node: Handle, copy: In<Copy3D>, context: Handle) {
        driver.check(context)?;
        let operation = copy.get()?.operation()?;
        let on_host = |place: &Place| matches!(place, Place::Host(_));
        match (driver.execs.get(exec)?.operation(node)?, &operation) {
            // The kinds of memory may not change.
            (Operation::Copy { to, from, .. }, Operation::Copy { to: new_to, from: new_from, .. })
                if (on_host(to), on_host(from)) == (on_host(new_to), on_host(new_from)) => {}
            _ => return Err(Status::INVALID_VALUE),
        }
        driver.execs.get_mut(exec)?.replace(node, operation)
    }

    fn cuGraphExecMemsetNodeSetParams(driver, exec: Handle, node: Handle, fill: In<Fill>, context: Handle) {
        driver.check(context)?;
        let operation = fill.get()?.operation()?;
        match driver.execs.get(exec)?.operation(node)? {
            // Only one row can be updated.
            Operation::Fill { height: 1, .. } => driver.execs.get_mut(exec)?.replace(node, operation),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn cuGraphDestroyNode(driver, node: Handle) {
        let of = driver.graphs.iter().find(|(_, graph)| graph.nodes.contains(&node));
        let (graph, _) = of.ok_or(Status::INVALID_HANDLE)?;
        // Seen with driver 580.
        if driver.has_memory(graph)? {
            return Err(Status::NOT_SUPPORTED);
        }
        let graph = driver.graphs.get_mut(graph)?;
        graph.nodes.retain(|other| *other != node);
        for other in graph.nodes.clone() {
            driver.nodes.get_mut(other)?.dependencies.retain(|first| *first != node);
        }
        driver.remove_node(node)
    }

    fn cuGraphNodeGetType(driver, node: Handle, kind: Out<c_uint>) {
        kind.set(match driver.nodes.get(node)?.operation {
            Operation::Kernel(_) => 0,
            Operation::Copy { .. } | Operation::Region(_) => 1,
            Operation::Fill { .. } => 2,
            Operation::Host(_) => 3,
            Operation::Child => 4,
            Operation::Nothing => 5,
            Operation::WaitForEvent(_) => 6,
            Operation::RecordEvent(_) => 7,
            Operation::Allocate { .. } => 10,
            Operation::Free { .. } => 11,
            Operation::Conditional(_) => 13,
        })
    }

    fn cuGraphGetEdges(driver, graph: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>) {
        driver.give_edges(graph, from, to, count)
    }

    fn cuGraphGetEdges_v2(
        driver, graph: Handle, from: Out<Handle>, to: Out<Handle>, _data: Out<u64>, count: Out<usize>,
    ) {
        driver.give_edges(graph, from, to, count)
    }
}

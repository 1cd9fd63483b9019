//! Nodes of graphs that are neither kernels, copies nor fills.

use std::ffi::c_void;

use crate::{
    entry::{HostCall, In, Out},
    error::Status,
    handle::Handle,
    state::Operation,
};

/// `CUDA_HOST_NODE_PARAMS`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct HostNode {
    function: Option<extern "C" fn(*mut c_void)>,
    argument: usize,
}

entry_points! {
    fn cuGraphAddEmptyNode(driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize) {
        node.set(driver.add_node(graph, Operation::Nothing, dependencies.take(count)?)?)
    }

    fn cuGraphAddHostNode(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, parameters: In<HostNode>,
    ) {
        let HostNode { function, argument } = parameters.get()?;
        let function = function.ok_or(Status::INVALID_VALUE)?;
        let operation = Operation::Host(HostCall { function, argument });
        node.set(driver.add_node(graph, operation, dependencies.take(count)?)?)
    }

    fn cuGraphAddEventRecordNode(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, event: Handle,
    ) {
        driver.events.get(event)?;
        node.set(driver.add_node(graph, Operation::RecordEvent(event), dependencies.take(count)?)?)
    }

    fn cuGraphAddEventWaitNode(
        driver, node: Out<Handle>, graph: Handle, dependencies: In<Handle>, count: usize, event: Handle,
    ) {
        driver.events.get(event)?;
        node.set(driver.add_node(graph, Operation::WaitForEvent(event), dependencies.take(count)?)?)
    }
}

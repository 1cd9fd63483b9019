//! `cuGraphExecUpdate`: an executable graph takes over the parameters of another graph.

use std::ffi::c_uint;

use crate::{
    entry::Out,
    error::Status,
    graphs::exec::Step,
    handle::Handle,
    memory::Place,
    state::{Driver, Operation},
};

/// `CUgraphExecUpdateResultInfo`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct ResultInfo {
    result: c_uint,
    node: Handle,
    from: Handle,
}

/// `CUgraphExecUpdateResult`.
const SUCCESS: c_uint = 0;
const ERROR: c_uint = 1;
const TOPOLOGY_CHANGED: c_uint = 2;
const NODE_TYPE_CHANGED: c_uint = 3;
const FUNCTION_CHANGED: c_uint = 4;
const PARAMETERS_CHANGED: c_uint = 5;
const NOT_SUPPORTED: c_uint = 6;
const ATTRIBUTES_CHANGED: c_uint = 8;

impl Driver {
    /// Returns the first difference that an update does not support: the result, and the node of the new graph.
    fn difference(&self, old: &[Step], new: &[Step]) -> (c_uint, Handle) {
        if old.len() != new.len() {
            return (TOPOLOGY_CHANGED, Handle::NULL);
        }
        for (old, new) in old.iter().zip(new) {
            let result = if old.after == new.after {
                self.difference_of_nodes(&old.operation, &new.operation)
            } else {
                TOPOLOGY_CHANGED
            };
            if result != SUCCESS {
                return (result, new.node);
            }
            for (old, new) in old.inside.iter().zip(&new.inside) {
                let inside = self.difference(old, new);
                if inside.0 != SUCCESS {
                    return inside;
                }
            }
        }
        (SUCCESS, Handle::NULL)
    }

    fn difference_of_nodes(&self, old: &Operation, new: &Operation) -> c_uint {
        let on_host = |place: &Place| matches!(place, Place::Host(_));
        match (old, new) {
            (Operation::Kernel(old), Operation::Kernel(new)) => {
                let context = |function| self.functions.get(function).ok().map(|held| held.context);
                if context(old.function) != context(new.function) {
                    FUNCTION_CHANGED
                } else if old.geometry.cooperative != new.geometry.cooperative {
                    ATTRIBUTES_CHANGED
                } else {
                    SUCCESS
                }
            }
            (Operation::Copy { to, from, .. }, Operation::Copy { to: new_to, from: new_from, .. }) => {
                let directions = [(to, new_to), (from, new_from)];
                let same = directions.iter().all(|(old, new)| on_host(old) == on_host(new));
                if same { SUCCESS } else { PARAMETERS_CHANGED }
            }
            (Operation::Copy { .. } | Operation::Region(_), Operation::Copy { .. } | Operation::Region(_)) => SUCCESS,
            // Seen with driver 580, for a graph that frees its memory itself.
            (Operation::Free { .. }, Operation::Free { .. }) => ERROR,
            (Operation::Conditional(_), Operation::Conditional(_)) => NOT_SUPPORTED,
            _ if std::mem::discriminant(old) == std::mem::discriminant(new) => SUCCESS,
            _ => NODE_TYPE_CHANGED,
        }
    }
}

/// The steps get the operations of the new graph, and stay the steps of their own nodes.
fn take_over(steps: &mut [Step], new: Vec<Step>) {
    for (step, new) in steps.iter_mut().zip(new) {
        step.operation = new.operation;
        for (steps, new) in step.inside.iter_mut().zip(new.inside) {
            take_over(steps, new);
        }
    }
}

entry_points! {
    fn cuGraphExecUpdate_v2(driver, exec: Handle, graph: Handle, info: Out<ResultInfo>) {
        let new = driver.steps(graph)?;
        let (result, node) = driver.difference(&driver.execs.get(exec)?.steps, &new);
        info.set(ResultInfo { result, node, from: Handle::NULL })?;
        if result != SUCCESS {
            return Err(Status::GRAPH_EXEC_UPDATE_FAILURE);
        }
        let references = driver.all_references(graph)?;
        driver.retain_references(&references)?;
        let held = driver.execs.get_mut(exec)?;
        take_over(&mut held.steps, new);
        let former = std::mem::replace(&mut held.references, references);
        driver.release_references(former)
    }
}

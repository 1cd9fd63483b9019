//! User objects, which graphs keep alive (CUDA driver API, "Graph management"; the programming guide's "CUDA user
//! objects").

use std::{
    cell::Cell,
    collections::BTreeMap,
    ffi::{c_uint, c_void},
};

use crate::{
    entry::{HostCall, Out},
    error::{Outcome, Status},
    handle::Handle,
    state::Driver,
};

/// A user object.
#[derive(Debug)]
pub(crate) struct UserObject {
    destructor: HostCall,
    references: u64,
}

/// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`, which every object must have.
const NO_DESTRUCTOR_SYNC: c_uint = 1;
/// `CU_GRAPH_USER_OBJECT_MOVE`: the graph takes the caller's references.
const MOVE: c_uint = 1;

/// The references that a graph or an instantiated graph owns: the count for each object.
#[derive(Clone, Debug, Default)]
pub(crate) struct References(BTreeMap<Handle, u64>);

impl References {
    pub(crate) fn add(&mut self, references: &Self) {
        for (object, count) in &references.0 {
            *self.0.entry(*object).or_default() += count;
        }
    }
}

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread runs a destructor or a host function, which must not call the driver.
pub(crate) fn in_callback() -> bool {
    IN_CALLBACK.get()
}

/// Runs a destructor or a host function. The driver's lock is released.
pub(crate) fn call_back(host_call: HostCall) {
    IN_CALLBACK.set(true);
    host_call.run();
    IN_CALLBACK.set(false);
}

impl Driver {
    fn retain_object(&mut self, object: Handle, count: u64) -> Outcome {
        if count == 0 {
            return Err(Status::INVALID_VALUE);
        }
        self.user_objects.get_mut(object)?.references += count;
        Ok(())
    }

    fn release_object(&mut self, object: Handle, count: u64) -> Outcome {
        let held = self.user_objects.get_mut(object)?;
        let left = held.references.checked_sub(count).ok_or(Status::INVALID_VALUE)?;
        held.references = left;
        if left == 0 {
            let destructor = self.user_objects.remove(object)?.destructor;
            self.destructors.push(destructor);
        }
        Ok(())
    }

    pub(crate) fn retain_references(&mut self, references: &References) -> Outcome {
        references.0.iter().try_for_each(|(object, count)| self.retain_object(*object, *count))
    }

    /// All work completes before the call that enqueues it returns, so no launch uses them any more.
    pub(crate) fn release_references(&mut self, references: References) -> Outcome {
        references.0.into_iter().try_for_each(|(object, count)| self.release_object(object, count))
    }
}

entry_points! {
    fn cuUserObjectCreate(
        driver, object: Out<Handle>, argument: Out<c_void>, destroy: Option<extern "C" fn(*mut c_void)>, count: c_uint,
        flags: c_uint,
    ) {
        let function = destroy.ok_or(Status::INVALID_VALUE)?;
        if count == 0 || flags != NO_DESTRUCTOR_SYNC {
            return Err(Status::INVALID_VALUE);
        }
        let destructor = HostCall { function, argument: argument.address() };
        object.set(driver.user_objects.insert(UserObject { destructor, references: u64::from(count) }))
    }

    fn cuUserObjectRetain(driver, object: Handle, count: c_uint) {
        driver.retain_object(object, u64::from(count))
    }

    fn cuUserObjectRelease(driver, object: Handle, count: c_uint) {
        driver.release_object(object, u64::from(count))
    }

    fn cuGraphRetainUserObject(driver, graph: Handle, object: Handle, count: c_uint, flags: c_uint) {
        driver.graphs.get(graph)?;
        match flags {
            0 => driver.retain_object(object, u64::from(count))?,
            MOVE => driver.user_objects.get(object).map(drop)?,
            _ => return Err(Status::INVALID_VALUE),
        }
        let references = &mut driver.graphs.get_mut(graph)?.references.0;
        *references.entry(object).or_default() += u64::from(count);
        Ok(())
    }

    // As driver 580: it succeeds for a graph without a reference, and releases the reference of another owner.
    fn cuGraphReleaseUserObject(driver, graph: Handle, object: Handle, count: c_uint) {
        let references = &mut driver.graphs.get_mut(graph)?.references.0;
        if let Some(held) = references.get_mut(&object) {
            *held = held.saturating_sub(u64::from(count));
            references.retain(|_, held| *held > 0);
        }
        driver.release_object(object, u64::from(count))
    }
}

//! Launch attributes of a kernel node that is added to a graph.

use super::{
    encode::DEVICE_NODE,
    table::Attribute,
    visit::{TRUE, for_each},
};
use crate::driver::{
    api::{Api, CallError, DriverCall, GraphNode, LaunchAttribute, required},
    config::Attributes,
    error::Error,
};
use core::ffi::c_void;

/// The option name of the first attribute that is set but is valid for launches only.
#[cold]
pub(crate) fn for_launches_only(attributes: &Attributes<'_>) -> Option<&'static str> {
    let mut found = None;
    for_each(attributes, &mut |attribute, _, _| {
        let needs = attribute.requirement();
        if found.is_none() && !needs.nodes {
            found = Some(needs.name);
        }
    });
    found
}

/// The driver's error for an attribute of a node.
pub(crate) struct Refused {
    /// The attribute's option name.
    pub(crate) attribute: &'static str,
    /// The entry point and its status.
    pub(crate) call: DriverCall,
}

/// The result of setting an attribute, or the driver's error; [`Error::OldDriver`] if the driver was not called.
fn refused<T>(attribute: Attribute, outcome: Result<T, CallError>) -> Result<Result<T, Refused>, Error> {
    match outcome {
        Ok(value) => Ok(Ok(value)),
        Err(CallError::Returned(call)) => Ok(Err(Refused { attribute: attribute.requirement().name, call })),
        Err(CallError::Unavailable(unavailable)) => Err(unavailable.into()),
    }
}

/// Sets the attributes on a kernel node; stops at the first attribute that the driver rejects.
///
/// # Errors
/// [`Error::OldDriver`] before anything is done.
#[cold]
pub(crate) fn set_on_node(
    api: &Api,
    node: GraphNode<'_>,
    attributes: &Attributes<'_>,
) -> Result<Result<(), Refused>, Error> {
    required!(api, cuGraphKernelNodeSetAttribute)?;
    let mut outcome = Ok(Ok(()));
    for_each(attributes, &mut |attribute, entry, _| {
        if matches!(outcome, Ok(Ok(()))) && attribute != Attribute::DeviceUpdatableNode {
            outcome = refused(attribute, node.set_attribute(&entry));
        }
    });
    match (&outcome, attributes.device_updatable_node) {
        (Ok(Ok(())), Some(device_node)) => {
            let handle = make_device_updatable(api, node)?;
            Ok(handle.map(|handle| device_node.store(handle)))
        }
        _ => outcome,
    }
}

/// Lets kernels update a kernel node, and returns the node's handle for kernels.
///
/// # Errors
/// [`Error::OldDriver`] before anything is done.
pub(crate) fn make_device_updatable(api: &Api, node: GraphNode<'_>) -> Result<Result<*mut c_void, Refused>, Error> {
    const UPDATABLE: Attribute = Attribute::DeviceUpdatableNode;
    required!(api, cuGraphKernelNodeSetAttribute)?;
    required!(api, cuGraphKernelNodeGetAttribute)?;
    let mut entry = LaunchAttribute::new(UPDATABLE as u32);
    entry.put(0, TRUE);
    let set = node.set_attribute(&entry);
    let got = set.and_then(|()| node.attribute(UPDATABLE as u32));
    refused(UPDATABLE, got.map(|entry| entry.address(DEVICE_NODE)))
}

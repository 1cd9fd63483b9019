use super::encode::DEVICE_NODE;
use crate::driver::{
    api::{Api, CallError, DriverCall, GraphNode, required},
    config::{Attribute, Attributes, DeviceNode},
    error::Error,
};
use cudarc::driver::sys::CUdeviceptr;

#[cold]
pub(crate) fn for_launches_only(attributes: &Attributes<'_>) -> Option<&'static str> {
    attributes.find_map(|attribute, _| (!attribute.nodes).then_some(attribute.name))
}

pub(crate) struct Refused {
    pub(crate) attribute: &'static str,
    pub(crate) call: DriverCall,
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
    let updatable = attributes.device_updatable_node;
    if updatable.is_some() {
        required!(api, cuGraphKernelNodeGetAttribute)?;
    }
    let refused = attributes.find_map(|attribute, entry| {
        let mut set = node.set_attribute(&entry);
        if let Some(handle) = updatable.filter(|_| attribute.id == Attribute::device_updatable_node.id) {
            let got = set.and_then(|()| node.attribute(attribute.id));
            set = got.map(|entry| handle.store(entry.address(DEVICE_NODE)));
        }
        match set.err()? {
            CallError::Returned(call) => Some(Ok(Err(Refused { attribute: attribute.name, call }))),
            CallError::Unavailable(unavailable) => Some(Err(unavailable.into())),
        }
    });
    refused.unwrap_or(Ok(Ok(())))
}

/// Lets kernels update a kernel node, and returns the node's handle for kernels.
pub(crate) fn make_device_updatable(api: &Api, node: GraphNode<'_>) -> Result<Result<CUdeviceptr, Refused>, Error> {
    let handle = DeviceNode::new();
    let attributes = Attributes { device_updatable_node: Some(&handle), ..Attributes::default() };
    let set = set_on_node(api, node, &attributes)?;
    Ok(set.map(|()| handle.handle().unwrap_or(0)))
}

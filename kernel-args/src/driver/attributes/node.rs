//! Launch attributes of a kernel node that is added to a graph.

use super::{
    encode::DEVICE_NODE,
    table::Attribute,
    visit::{TRUE, for_each},
};
use crate::driver::{
    api::{Api, LaunchAttribute, Status, required},
    config::Attributes,
    error::Error,
};
use core::ffi::c_void;
use cudarc::driver::sys::CUgraphNode;

/// The first attribute that is set although CUDA has it for launches only: its name as an option.
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

/// What the driver returned for an attribute of a node.
pub(crate) struct Refused {
    /// The attribute's name as an option.
    pub(crate) attribute: &'static str,
    /// The entry point.
    pub(crate) call: &'static str,
    pub(crate) status: Status,
}

/// Gives a kernel node the attributes; stops at the first that the driver refuses.
///
/// # Errors
/// [`Error::OldDriver`] before anything is done.
///
/// # Safety
/// `node` is a kernel node of a graph that is alive; what the attributes point at is alive.
#[cold]
pub(crate) unsafe fn set_on_node(
    api: &Api,
    node: CUgraphNode,
    attributes: &Attributes<'_>,
) -> Result<Result<(), Refused>, Error> {
    let set = required!(api, cuGraphKernelNodeSetAttribute)?;
    let mut outcome = Ok(());
    for_each(attributes, &mut |attribute, entry, _| {
        if outcome.is_err() || attribute == Attribute::DeviceUpdatableNode {
            return;
        }
        // SAFETY: the caller vouches for the node; the driver reads the 64 bytes of a value, which is aligned to 8.
        let status = unsafe { set(node, attribute as u32, &raw const entry.value) };
        if status != Status::SUCCESS {
            outcome = Err(Refused {
                attribute: attribute.requirement().name,
                call: "cuGraphKernelNodeSetAttribute",
                status,
            });
        }
    });
    if let (Ok(()), Some(device_node)) = (&outcome, attributes.device_updatable_node) {
        // SAFETY: the caller's promise is the same one.
        outcome =
            unsafe { make_device_updatable(api, node) }?.map(|handle| device_node.store(handle));
    }
    Ok(outcome)
}

/// Makes a kernel node one that kernels can update, and returns the handle by which they name it.
///
/// # Errors
/// [`Error::OldDriver`] before anything is done.
///
/// # Safety
/// `node` is a kernel node of a graph that is alive.
pub(crate) unsafe fn make_device_updatable(
    api: &Api,
    node: CUgraphNode,
) -> Result<Result<*mut c_void, Refused>, Error> {
    const UPDATABLE: Attribute = Attribute::DeviceUpdatableNode;
    let set = required!(api, cuGraphKernelNodeSetAttribute)?;
    let get = required!(api, cuGraphKernelNodeGetAttribute)?;
    let mut entry = LaunchAttribute::new(UPDATABLE as u32);
    entry.put(0, TRUE);
    // SAFETY: the caller vouches for the node; the driver reads the 64 bytes of a value, which is aligned to 8.
    let status = unsafe { set(node, UPDATABLE as u32, &raw const entry.value) };
    let (call, status) = if status == Status::SUCCESS {
        // SAFETY: as above; the driver writes 64 bytes.
        let status = unsafe { get(node, UPDATABLE as u32, &raw mut entry.value) };
        ("cuGraphKernelNodeGetAttribute", status)
    } else {
        ("cuGraphKernelNodeSetAttribute", status)
    };
    Ok(match status {
        Status::SUCCESS => Ok(entry.address(DEVICE_NODE)),
        status => Err(Refused {
            attribute: UPDATABLE.requirement().name,
            call,
            status,
        }),
    })
}

//! Attributes of kernel nodes: which of them the device may update.

use std::ffi::{c_uint, c_void};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    operation::Operation,
    state::Driver,
};

/// `CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`.
const DEVICE_UPDATABLE: c_uint = 13;

/// `CUlaunchAttributeValue` as that attribute has it.
#[derive(Clone, Copy)]
#[repr(C)]
struct DeviceUpdatable {
    updatable: c_uint,
    node: Handle,
}

impl Driver {
    fn updatable_node(&mut self, node: Handle) -> Outcome<&mut Option<Handle>> {
        let held = self.nodes.get_mut(node)?;
        match held.operation {
            Operation::Kernel(_) => Ok(&mut held.on_device),
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

entry_points! {
    fn cuGraphKernelNodeSetAttribute(driver, node: Handle, attribute: c_uint, value: In<DeviceUpdatable>) {
        if attribute != DEVICE_UPDATABLE {
            return Err(Status::NOT_SUPPORTED);
        }
        // A node cannot opt out.
        if value.get()?.updatable != 1 {
            return Err(Status::INVALID_VALUE);
        }
        let device_node = driver.updatable_node(node)?;
        // Not the host's handle, and not null.
        *device_node = Some(Handle(node.0 ^ 1));
        Ok(())
    }

    fn cuGraphKernelNodeGetAttribute(driver, node: Handle, attribute: c_uint, value: Out<c_void>) {
        if attribute == DEVICE_UPDATABLE && let Some(node) = *driver.updatable_node(node)? {
            return value.cast().set(DeviceUpdatable { updatable: 1, node });
        }
        let mut held = driver.kernel_node(node)?.attributes.iter();
        // What was not named reads as zeros, the driver's default of most attributes.
        let held = held.find(|held| held.id == attribute).map_or([0; 64], |held| held.value);
        value.cast().set(held)
    }
}

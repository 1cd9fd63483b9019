//! Attributes of kernel nodes, and which attributes the device may update.

use std::ffi::{c_uint, c_void};

use crate::{
    entry::{In, Out},
    error::{Outcome, Status},
    handle::Handle,
    launches::attribute::Attribute,
    state::{Driver, Operation},
};

/// `CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`.
const DEVICE_UPDATABLE: c_uint = 13;

/// The layout of that attribute in `CUlaunchAttributeValue`.
#[derive(Clone, Copy)]
#[repr(C)]
struct DeviceUpdatable {
    updatable: c_uint,
    node: Handle,
}

/// Returns the handle of a node for kernels: different from the host's, and not null.
pub(crate) fn device_handle(node: Handle) -> Handle {
    Handle(node.0 ^ 1)
}

impl Driver {
    fn updatable_node(&mut self, node: Handle) -> Outcome<&mut Option<Handle>> {
        let held = self.nodes.get_mut(node)?;
        match held.operation {
            Operation::Kernel(_) => Ok(&mut held.on_device),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// Sets an attribute of a kernel node. Replaces the previous value.
    fn set_attribute(&mut self, node: Handle, attribute: Attribute) -> Outcome {
        self.check_attribute_of_node(&attribute)?;
        let call = self.kernel_node(node)?;
        let (function, mut geometry) = (call.function, call.geometry);
        geometry.take(&attribute);
        let geometry = self.check_geometry(function, geometry)?;
        let Operation::Kernel(call) = &mut self.nodes.get_mut(node)?.operation else {
            return Err(Status::INVALID_VALUE);
        };
        call.geometry = geometry;
        call.attributes.retain(|held| held.id != attribute.id);
        call.attributes.push(attribute);
        Ok(())
    }
}

entry_points! {
    fn cuGraphKernelNodeSetAttribute(driver, node: Handle, attribute: c_uint, value: In<[u8; 64]>) {
        let attribute = Attribute { id: attribute, value: value.get()?, ..Attribute::default() };
        if attribute.id != DEVICE_UPDATABLE {
            return driver.set_attribute(node, attribute);
        }
        // A node cannot disable it.
        if attribute.words()[0] != 1 {
            return Err(Status::INVALID_VALUE);
        }
        let device_node = driver.updatable_node(node)?;
        *device_node = Some(device_handle(node));
        Ok(())
    }

    fn cuGraphKernelNodeGetAttribute(driver, node: Handle, attribute: c_uint, value: Out<c_void>) {
        if attribute == DEVICE_UPDATABLE && let Some(node) = *driver.updatable_node(node)? {
            return value.cast().set(DeviceUpdatable { updatable: 1, node });
        }
        let mut held = driver.kernel_node(node)?.attributes.iter();
        // Attributes that were not set are zero, which is the driver's default for most of them.
        let held = held.find(|held| held.id == attribute).map_or([0; 64], |held| held.value);
        value.cast().set(held)
    }
}

//! Attributes of kernel nodes, and which of these the device may update.

use std::ffi::{c_uint, c_void};

use crate::{
    attribute::Attribute,
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

    /// Gives a kernel node an attribute in the place of the one that it had.
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
        // A node cannot opt out.
        if attribute.words()[0] != 1 {
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

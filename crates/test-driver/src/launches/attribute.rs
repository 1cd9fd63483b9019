//! Launch attributes (CUDA driver API, `CUlaunchAttribute`): which the driver accepts, and which a kernel node accepts.

use crate::{
    error::{Outcome, Status},
    handle::Handle,
    state::Driver,
    streams::stream::Target,
};

pub(crate) const COOPERATIVE: u32 = 2;
pub(crate) const CLUSTER: u32 = 4;
const PROGRAMMATIC_STREAM_SERIALIZATION: u32 = 6;
pub(crate) const PROGRAMMATIC_EVENT: u32 = 7;
pub(crate) const LAUNCH_COMPLETION_EVENT: u32 = 12;
pub(crate) const DEVICE_UPDATABLE_KERNEL_NODE: u32 = 13;
const SHARED_MEMORY_CARVEOUT: u32 = 14;

/// `CUlaunchAttribute`.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(8))]
pub(crate) struct Attribute {
    pub(crate) id: u32,
    pub(crate) padding: u32,
    pub(crate) value: [u8; 64],
}

impl Default for Attribute {
    fn default() -> Self {
        Self { id: 0, padding: 0, value: [0; 64] }
    }
}

impl Attribute {
    /// Returns the value as 32-bit numbers.
    pub(crate) fn words(&self) -> [u32; 16] {
        let mut words = [0; 16];
        for (word, bytes) in words.iter_mut().zip(self.value.as_chunks().0) {
            *word = u32::from_ne_bytes(*bytes);
        }
        words
    }

    /// Returns the handle at the start of the value.
    pub(crate) fn handle(&self) -> Handle {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.value[..8]);
        Handle(usize::from_ne_bytes(bytes))
    }

    /// Returns the first CUDA version whose driver has it: `1000 * major + 10 * minor`.
    fn since(&self) -> Option<i32> {
        Some(match self.id {
            0..=8 => 11080,
            9 | 10 => 12000,
            11 => 12080,
            LAUNCH_COMPLETION_EVENT => 12030,
            DEVICE_UPDATABLE_KERNEL_NODE => 12040,
            SHARED_MEMORY_CARVEOUT => 12050,
            16 => 13000,
            17 | 18 => 13020,
            _ => return None,
        })
    }
}

impl Driver {
    /// The checks for a launch on `target`.
    pub(crate) fn check_attributes(&self, attributes: &[Attribute], target: Target) -> Outcome {
        for attribute in attributes {
            let refused = match attribute.id {
                _ if attribute.since().is_none_or(|since| since > self.config.version) => true,
                CLUSTER | PROGRAMMATIC_STREAM_SERIALIZATION if self.config.sm < 90 => true,
                PROGRAMMATIC_EVENT | LAUNCH_COMPLETION_EVENT => {
                    let event = self.events.get(attribute.handle())?;
                    event.records_times() || event.context != target.context
                }
                // "This attribute is graphs-only."
                DEVICE_UPDATABLE_KERNEL_NODE => target.capture.is_none(),
                SHARED_MEMORY_CARVEOUT => attribute.words()[0] > 100,
                _ => false,
            };
            if refused {
                return Err(Status::INVALID_VALUE);
            }
        }
        Ok(())
    }

    /// The checks for a kernel node: the checks of a launch, and attributes that are "valid for launches" only.
    pub(crate) fn check_attribute_of_node(&self, attribute: &Attribute) -> Outcome {
        let refused = match attribute.id {
            _ if attribute.since().is_none_or(|since| since > self.config.version) => true,
            PROGRAMMATIC_STREAM_SERIALIZATION | PROGRAMMATIC_EVENT | LAUNCH_COMPLETION_EVENT => true,
            CLUSTER => self.config.sm < 90,
            SHARED_MEMORY_CARVEOUT => attribute.words()[0] > 100,
            _ => false,
        };
        if refused {
            return Err(Status::INVALID_VALUE);
        }
        Ok(())
    }
}

use crate::{
    device::vector::Dim3,
    driver::{
        api::{LaunchAttribute, LaunchConfig},
        config::{Attribute, Attributes, DeviceNode},
    },
};

/// The offset of the handle in `CUlaunchAttributeValue::deviceUpdatableKernelNode`.
pub(super) const DEVICE_NODE: usize = 8;

pub(crate) struct Encoded<'e> {
    attributes: [LaunchAttribute<'e>; Attribute::ALL.len()],
    count: usize,
}

impl<'e> Encoded<'e> {
    pub(crate) fn new(attributes: &Attributes<'e>) -> Self {
        let mut encoded = Self { attributes: [LaunchAttribute::IGNORE; Attribute::ALL.len()], count: 0 };
        attributes.for_each(&mut |_, attribute, _| {
            // The array has room for every attribute once.
            encoded.attributes[encoded.count] = attribute;
            encoded.count += 1;
        });
        encoded
    }

    pub(crate) fn cluster(cluster: Dim3) -> Self {
        Self::new(&Attributes { cluster: Some(cluster), ..Attributes::default() })
    }

    pub(crate) fn attach<'c>(&'c mut self, config: LaunchConfig<'c>) -> LaunchConfig<'c> {
        config.with_attributes(&mut self.attributes[..self.count])
    }

    pub(crate) fn all(&self) -> &[LaunchAttribute<'e>] {
        &self.attributes[..self.count]
    }

    pub(super) fn store_handle(&self, node: &DeviceNode) {
        let is_node = |attribute: &&LaunchAttribute<'_>| attribute.id() == Attribute::device_updatable_node.id;
        if let Some(attribute) = self.all().iter().find(is_node) {
            node.store(attribute.address(DEVICE_NODE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Encoded;
    use crate::driver::config::{Attribute, DeviceNode, Launch, PortableClusterMode, SharedMemoryMode};
    use cudarc::driver::sys::CUlaunchAttributeID as Id;

    /// The attributes that are not in the trials `kept/…`, which read the values of nodes with cudarc's types. The
    /// numbers of the modes are from `cuda.h` of CUDA 13.5.
    #[test]
    fn an_attribute_has_its_number_and_its_value() {
        let (node, one) = (DeviceNode::new(), Launch::new(1, 1));
        for (launch, id, value) in [
            (one.preferred_cluster([4, 6]), Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION as u32, [4, 6, 1]),
            (
                one.programmatic_stream_serialization(true),
                Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION as u32,
                [1, 0, 0],
            ),
            (
                one.preferred_shared_memory_carveout(40),
                Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT as u32,
                [40, 0, 0],
            ),
            (
                one.nvlink_util_centric_scheduling(true),
                Id::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING as u32,
                [1, 0, 0],
            ),
            (one.device_updatable_node(&node), Id::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE as u32, [1, 0, 0]),
            (one.portable_cluster_size_mode(PortableClusterMode::AllowNonPortable), 17, [2, 0, 0]),
            (one.shared_memory_mode(SharedMemoryMode::PreferOversized), 18, [4, 0, 0]),
        ] {
            let encoded = Encoded::new(&launch.attributes.unwrap_or_default());
            let words =
                |bytes: &[u8]| bytes.as_chunks().0.iter().map(|word| u32::from_ne_bytes(*word)).collect::<Vec<_>>();
            let passed: Vec<_> = encoded.all().iter().map(|one| (one.id(), words(&one.bytes()[..12]))).collect();
            assert_eq!(passed, [(id, value.to_vec())]);
        }
        for (attribute, id) in [
            (Attribute::programmatic_event, Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT),
            (Attribute::launch_completion_event, Id::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT),
        ] {
            assert_eq!(attribute.id, id as u32);
        }
        let unset =
            one.cooperative(false).programmatic_stream_serialization(false).nvlink_util_centric_scheduling(false);
        assert!(Encoded::new(&unset.attributes.unwrap_or_default()).all().is_empty());
    }
}

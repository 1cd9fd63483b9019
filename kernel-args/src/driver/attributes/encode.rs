//! Launch attributes as the driver takes them: an array of `CUlaunchAttribute`.

use super::{table::Attribute, visit::for_each};
use crate::{
    device::vector::Dim3,
    driver::{
        api::{LaunchAttribute, LaunchConfig},
        config::{Attributes, DeviceNode},
    },
};

/// Where `CUlaunchAttributeValue::deviceUpdatableKernelNode` has its handle.
pub(super) const DEVICE_NODE: usize = 8;

/// The attributes of one launch.
pub(crate) struct Encoded {
    attributes: [LaunchAttribute; Attribute::ALL.len()],
    count: usize,
}

impl Encoded {
    pub(super) fn new(attributes: &Attributes<'_>) -> Self {
        let mut encoded = Self {
            attributes: [LaunchAttribute::IGNORE; Attribute::ALL.len()],
            count: 0,
        };
        for_each(attributes, &mut |_, attribute, _| encoded.push(attribute));
        encoded
    }

    /// The attribute `cluster` alone.
    pub(crate) fn cluster(cluster: Dim3) -> Self {
        Self::new(&Attributes {
            cluster: Some(cluster),
            ..Attributes::default()
        })
    }

    fn push(&mut self, attribute: LaunchAttribute) {
        // There is room for each attribute once.
        self.attributes[self.count] = attribute;
        self.count += 1;
    }

    /// Has `config` point at the attributes; it is valid as long as this stays where it is.
    pub(crate) fn attach(&mut self, config: &mut LaunchConfig) {
        config.attributes = self.attributes.as_mut_ptr();
        config.attribute_count = self.count as u32;
    }

    /// Stores the handle that the driver has written.
    pub(super) fn store_handle(&self, node: &DeviceNode) {
        let written = self.attributes[..self.count]
            .iter()
            .find(|attribute| attribute.id == Attribute::DeviceUpdatableNode as u32);
        if let Some(attribute) = written {
            node.store(attribute.address(DEVICE_NODE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Encoded;
    use crate::driver::config::Launch;
    use crate::driver::config::{
        AccessPolicyWindow, AccessProperty, ClusterSchedulingPolicy, DeviceNode, MemorySyncDomain,
        MemorySyncDomainMap,
    };
    use core::ptr;
    use cudarc::driver::sys::{CUaccessProperty, CUlaunchAttribute, CUlaunchAttributeID as Id};
    use std::vec::Vec;

    /// The array that `launch` passes, as cudarc declares it.
    fn theirs(launch: Launch<'_>) -> Vec<CUlaunchAttribute> {
        let mut encoded = Encoded::new(&launch.attributes.unwrap_or_default());
        let mut config = super::LaunchConfig::new([1; 3], [1; 3], 0, ptr::null_mut());
        encoded.attach(&mut config);
        (0..config.attribute_count as usize)
            .map(|i| {
                // SAFETY: the array has `attribute_count` entries.
                let entry = unsafe { config.attributes.add(i) };
                // SAFETY: all bytes are initialised; the numbers are members of cudarc's enum, with which `table` compares
                // them.
                unsafe { entry.cast::<CUlaunchAttribute>().read() }
            })
            .collect()
    }

    #[test]
    fn no_attribute_is_passed_unless_it_is_set() {
        assert!(theirs(Launch::new(1, 1)).is_empty());
        let launch = Launch::new(1, 1)
            .cooperative(false)
            .programmatic_stream_serialization(false)
            .nvlink_util_centric_scheduling(false);
        assert!(theirs(launch).is_empty());
    }

    #[test]
    fn every_value_lies_where_cudarc_reads_it() {
        let node = DeviceNode::new();
        let window = AccessPolicyWindow::new(0x1000, 0x2000)
            .hit_ratio(0.25)
            .hit(AccessProperty::Streaming)
            .miss(AccessProperty::Streaming);
        let launch = Launch::new(8, 1)
            .cluster((2, 3, 4))
            .preferred_cluster([4, 6])
            .cluster_scheduling_policy(ClusterSchedulingPolicy::LoadBalancing)
            .cooperative(true)
            .priority(-3)
            .programmatic_stream_serialization(true)
            .memory_sync_domain(MemorySyncDomain::Remote)
            .memory_sync_domain_map(MemorySyncDomainMap {
                default: 3,
                remote: 1,
            })
            .access_policy_window(window)
            .preferred_shared_memory_carveout(40)
            .nvlink_util_centric_scheduling(true)
            .device_updatable_node(&node);
        let attributes = theirs(launch);
        assert_eq!(attributes.len(), 12, "each one once");
        for attribute in attributes {
            let value = attribute.value;
            macro_rules! read {
                ($member:ident) => {
                    // SAFETY: each value is read as the type of its id, and its 64 bytes are initialised.
                    unsafe { value.$member }
                };
            }
            match attribute.id {
                Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION => {
                    let dim = read!(clusterDim);
                    assert_eq!([dim.x, dim.y, dim.z], [2, 3, 4]);
                }
                Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION => {
                    let dim = read!(preferredClusterDim);
                    assert_eq!([dim.x, dim.y, dim.z], [4, 6, 1]);
                }
                Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE => {
                    assert_eq!(read!(clusterSchedulingPolicyPreference) as u32, 2);
                }
                Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE => assert_eq!(read!(cooperative), 1),
                Id::CU_LAUNCH_ATTRIBUTE_PRIORITY => assert_eq!(read!(priority), -3),
                Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION => {
                    assert_eq!(read!(programmaticStreamSerializationAllowed), 1);
                }
                Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN => {
                    assert_eq!(read!(memSyncDomain) as u32, 1);
                }
                Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP => {
                    let map = read!(memSyncDomainMap);
                    assert_eq!((map.default_, map.remote), (3, 1));
                }
                Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW => {
                    let window = read!(accessPolicyWindow);
                    let streaming = CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING;
                    assert_eq!(window.base_ptr.addr(), 0x1000);
                    assert_eq!(window.num_bytes, 0x2000);
                    assert_eq!(window.hitRatio.to_bits(), 0.25_f32.to_bits());
                    assert_eq!((window.hitProp, window.missProp), (streaming, streaming));
                }
                Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT => {
                    assert_eq!(read!(sharedMemCarveout), 40);
                }
                Id::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING => {
                    assert_eq!(read!(nvlinkUtilCentricScheduling), 1);
                }
                Id::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE => {
                    assert_eq!(read!(deviceUpdatableKernelNode).deviceUpdatable, 1);
                }
                other => panic!("{other:?} was not set"),
            }
        }
    }

    #[test]
    fn the_handle_that_the_driver_writes_is_stored() {
        let node = DeviceNode::new();
        let launch = Launch::new(1, 1).priority(0).device_updatable_node(&node);
        let mut encoded = Encoded::new(&launch.attributes.unwrap_or_default());
        encoded.store_handle(&node);
        assert_eq!(node.handle(), None);
        let written = &mut encoded.attributes[1];
        written.put(super::DEVICE_NODE, 0x5678_usize.to_ne_bytes());
        encoded.store_handle(&node);
        assert_eq!(node.handle(), Some(0x5678));
    }
}

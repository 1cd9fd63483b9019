//! Launch attributes as the driver takes them: an array of `CUlaunchAttribute`.

use super::super::{
    config::{Attributes, DeviceNode},
    launch_config::{LaunchAttribute, LaunchConfig},
};
use super::table::Attribute;
use crate::device::vector::Dim3;
use core::fmt::Display;

/// Where `CUlaunchAttributeValue::deviceUpdatableKernelNode` has its handle.
const DEVICE_NODE: usize = 8;

/// The attributes of one launch.
pub(in crate::driver) struct Encoded {
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
    pub(in crate::driver) fn cluster(cluster: Dim3) -> Self {
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
    pub(in crate::driver) fn attach(&mut self, config: &mut LaunchConfig) {
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

/// Calls `visit` with each attribute that is set: what the driver takes, and its value as a text.
pub(super) fn for_each(
    attributes: &Attributes<'_>,
    visit: &mut dyn FnMut(Attribute, LaunchAttribute, &dyn Display),
) {
    // By value, so that no attribute is forgotten: a field that is not named here is an error.
    let Attributes {
        cluster,
        preferred_cluster,
        cluster_scheduling_policy,
        cooperative,
        priority,
        programmatic_stream_serialization,
        programmatic_event,
        launch_completion_event,
        memory_sync_domain,
        memory_sync_domain_map,
        access_policy_window,
        preferred_shared_memory_carveout,
        device_updatable_node,
    } = *attributes;
    let mut put = |attribute, parts: &[(usize, [u8; 4])], value: &dyn Display| {
        visit(attribute, words(attribute, parts), value);
    };
    if let Some(dim) = cluster {
        put(Attribute::Cluster, &extents(dim), &dim);
    }
    if let Some(dim) = preferred_cluster {
        put(Attribute::PreferredCluster, &extents(dim), &dim);
    }
    if let Some(policy) = cluster_scheduling_policy {
        let number = (policy as u32).to_ne_bytes();
        put(
            Attribute::ClusterSchedulingPolicy,
            &[(0, number)],
            &format_args!("{policy:?}"),
        );
    }
    if cooperative {
        put(Attribute::Cooperative, &[(0, TRUE)], &true);
    }
    if let Some(priority) = priority {
        put(
            Attribute::Priority,
            &[(0, priority.to_ne_bytes())],
            &priority,
        );
    }
    if programmatic_stream_serialization {
        put(
            Attribute::ProgrammaticStreamSerialization,
            &[(0, TRUE)],
            &true,
        );
    }
    if let Some(domain) = memory_sync_domain {
        let number = (domain as u32).to_ne_bytes();
        put(
            Attribute::MemorySyncDomain,
            &[(0, number)],
            &format_args!("{domain:?}"),
        );
    }
    if let Some(map) = memory_sync_domain_map {
        put(
            Attribute::MemorySyncDomainMap,
            &[(0, [map.default, map.remote, 0, 0])],
            &format_args!("default {}, remote {}", map.default, map.remote),
        );
    }
    if let Some(percent) = preferred_shared_memory_carveout {
        put(
            Attribute::SharedMemoryCarveout,
            &[(0, u32::from(percent).to_ne_bytes())],
            &format_args!("{percent} %"),
        );
    }
    // What holds an address.
    if let Some(event) = programmatic_event {
        let start = if event.at_block_start { TRUE } else { [0; 4] };
        let mut entry = words(Attribute::ProgrammaticEvent, &[(12, start)]);
        entry.put(0, event.event.cu_event().expose_provenance().to_ne_bytes());
        visit(Attribute::ProgrammaticEvent, entry, &"an event");
    }
    if let Some(event) = launch_completion_event {
        let mut entry = words(Attribute::LaunchCompletionEvent, &[]);
        entry.put(0, event.cu_event().expose_provenance().to_ne_bytes());
        visit(Attribute::LaunchCompletionEvent, entry, &"an event");
    }
    if let Some(window) = access_policy_window {
        let mut entry = words(
            Attribute::AccessPolicyWindow,
            &[
                (16, window.hit_ratio.to_ne_bytes()),
                (20, (window.hit as u32).to_ne_bytes()),
                (24, (window.miss as u32).to_ne_bytes()),
            ],
        );
        entry.put(0, window.base.to_ne_bytes());
        entry.put(8, window.bytes.to_ne_bytes());
        let value = format_args!("{} bytes at {:#x}", window.bytes, window.base);
        visit(Attribute::AccessPolicyWindow, entry, &value);
    }
    if device_updatable_node.is_some() {
        let entry = words(Attribute::DeviceUpdatableNode, &[(0, TRUE)]);
        visit(Attribute::DeviceUpdatableNode, entry, &true);
    }
}

/// C's `int` for true.
const TRUE: [u8; 4] = 1_i32.to_ne_bytes();

/// The members of a value that are four bytes long, by their offsets.
fn words(attribute: Attribute, parts: &[(usize, [u8; 4])]) -> LaunchAttribute {
    let mut entry = LaunchAttribute::new(attribute as u32);
    for &(offset, bytes) in parts {
        entry.put(offset, bytes);
    }
    entry
}

fn extents(dim: Dim3) -> [(usize, [u8; 4]); 3] {
    [
        (0, dim.x.to_ne_bytes()),
        (4, dim.y.to_ne_bytes()),
        (8, dim.z.to_ne_bytes()),
    ]
}

#[cfg(test)]
mod tests {
    use super::{super::super::config::Launch, Encoded};
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
            .programmatic_stream_serialization(false);
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
            .device_updatable_node(&node);
        let attributes = theirs(launch);
        assert_eq!(attributes.len(), 11, "each one once");
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

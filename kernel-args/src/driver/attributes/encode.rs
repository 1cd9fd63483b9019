//! Launch attributes as an array of `CUlaunchAttribute` for the driver.

use crate::{
    device::vector::Dim3,
    driver::{
        api::{LaunchAttribute, LaunchConfig},
        config::{Attribute, Attributes, DeviceNode},
    },
};

/// The offset of the handle in `CUlaunchAttributeValue::deviceUpdatableKernelNode`.
pub(super) const DEVICE_NODE: usize = 8;

/// The attributes of one launch.
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

    /// Only the attribute `cluster`.
    pub(crate) fn cluster(cluster: Dim3) -> Self {
        Self::new(&Attributes { cluster: Some(cluster), ..Attributes::default() })
    }

    /// `config` with the attributes.
    pub(crate) fn attach<'c>(&'c mut self, config: LaunchConfig<'c>) -> LaunchConfig<'c> {
        config.with_attributes(&mut self.attributes[..self.count])
    }

    /// The attributes in the order in which they were added.
    pub(crate) fn all(&self) -> &[LaunchAttribute<'e>] {
        &self.attributes[..self.count]
    }

    /// Stores the handle that the driver has written into `node`.
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
    use crate::driver::{
        api::LaunchAttribute,
        config::{
            AccessPolicyWindow, AccessProperty, Attribute, ClusterSchedulingPolicy, DeviceNode, Launch,
            MemorySyncDomain, MemorySyncDomainMap, PortableClusterMode, SharedMemoryMode,
        },
    };
    use core::mem::offset_of;
    use cudarc::driver::sys::{
        CUaccessPolicyWindow, CUaccessProperty, CUclusterSchedulingPolicy, CUlaunchAttributeID as Id,
        CUlaunchAttributeValue, CUlaunchAttributeValue_union__bindgen_ty_1 as Cluster,
        CUlaunchAttributeValue_union__bindgen_ty_4 as PreferredCluster,
        CUlaunchAttributeValue_union__bindgen_ty_5 as DeviceUpdatable, CUlaunchMemSyncDomain, CUlaunchMemSyncDomainMap,
    };
    use std::vec::Vec;

    /// The attributes that a launch passes to the driver.
    fn passed(launch: Launch<'_>) -> Vec<LaunchAttribute<'_>> {
        Encoded::new(&launch.attributes.unwrap_or_default()).all().to_vec()
    }

    /// The bytes of an attribute's value at `offset`.
    fn at<const N: usize>(attribute: &LaunchAttribute<'_>, offset: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&attribute.bytes()[offset..][..N]);
        bytes
    }

    /// Asserts that a member of the cudarc union has a value in the bytes of an attribute. The types are cudarc's types.
    macro_rules! lies {
        ($attribute:ident: $member:ident = $value:expr, $bytes:expr) => {
            let value = $value;
            let _ = CUlaunchAttributeValue { $member: value };
            let bytes = $bytes(value);
            let offset = offset_of!(CUlaunchAttributeValue, $member);
            assert_eq!(at($attribute, offset), bytes);
            assert_eq!(size_of_val(&value), bytes.len());
        };
        ($attribute:ident: $member:ident as $whole:ident . $($part:ident = $value:expr, $bytes:expr;)+) => {$(
            let value = None.map(|whole: $whole| whole.$part).unwrap_or($value);
            let _ = None.map(|whole: $whole| CUlaunchAttributeValue { $member: whole });
            let bytes = $bytes(value);
            let offset = offset_of!(CUlaunchAttributeValue, $member) + offset_of!($whole, $part);
            assert_eq!(at($attribute, offset), bytes);
            assert_eq!(size_of_val(&value), bytes.len());
        )+};
    }

    #[test]
    fn no_attribute_is_passed_unless_it_is_set() {
        assert!(passed(Launch::new(1, 1)).is_empty());
        let launch = Launch::new(1, 1)
            .cooperative(false)
            .programmatic_stream_serialization(false)
            .nvlink_util_centric_scheduling(false);
        assert!(passed(launch).is_empty());
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
            .memory_sync_domain_map(MemorySyncDomainMap { default: 3, remote: 1 })
            .access_policy_window(window)
            .preferred_shared_memory_carveout(40)
            .nvlink_util_centric_scheduling(true)
            .device_updatable_node(&node);
        let attributes = passed(launch);
        let attributes: Vec<_> = attributes.iter().collect();
        let &[
            cluster,
            preferred,
            policy,
            cooperative,
            priority,
            serialization,
            domain,
            map,
            carveout,
            nvlink,
            window,
            node,
        ] = attributes.as_slice()
        else {
            panic!("each one once");
        };
        for (attribute, id) in [
            (cluster.id(), Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION),
            (preferred.id(), Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION),
            (policy.id(), Id::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE),
            (cooperative.id(), Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE),
            (priority.id(), Id::CU_LAUNCH_ATTRIBUTE_PRIORITY),
            (serialization.id(), Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION),
            (Attribute::programmatic_event.id, Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT),
            (Attribute::launch_completion_event.id, Id::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT),
            (domain.id(), Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN),
            (map.id(), Id::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP),
            (carveout.id(), Id::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT),
            (nvlink.id(), Id::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING),
            (window.id(), Id::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW),
            (node.id(), Id::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE),
        ] {
            assert_eq!(attribute, id as u32, "{id:?}");
        }
        let (int, unsigned) = (i32::to_ne_bytes, u32::to_ne_bytes);
        lies! { cluster: clusterDim as Cluster. x = 2, unsigned; y = 3, unsigned; z = 4, unsigned; }
        lies! { preferred: preferredClusterDim as PreferredCluster. x = 4, unsigned; y = 6, unsigned; z = 1, unsigned; }
        lies! {
            policy: clusterSchedulingPolicyPreference =
                CUclusterSchedulingPolicy::CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING,
                |policy| (policy as u32).to_ne_bytes()
        }
        lies! { cooperative: cooperative = 1, int }
        lies! { priority: priority = -3, int }
        lies! { serialization: programmaticStreamSerializationAllowed = 1, int }
        lies! {
            domain: memSyncDomain = CUlaunchMemSyncDomain::CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE,
                |domain| (domain as u32).to_ne_bytes()
        }
        lies! { map: memSyncDomainMap as CUlaunchMemSyncDomainMap. default_ = 3, u8::to_ne_bytes; remote = 1, u8::to_ne_bytes; }
        lies! { carveout: sharedMemCarveout = 40, unsigned }
        lies! { nvlink: nvlinkUtilCentricScheduling = 1, unsigned }
        let property = |property| (property as u32).to_ne_bytes();
        lies! {
            window: accessPolicyWindow as CUaccessPolicyWindow.
                base_ptr = core::ptr::without_provenance_mut(0x1000), |base: *mut core::ffi::c_void| base.addr().to_ne_bytes();
                num_bytes = 0x2000, usize::to_ne_bytes;
                hitRatio = 0.25, f32::to_ne_bytes;
                hitProp = CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING, property;
                missProp = CUaccessProperty::CU_ACCESS_PROPERTY_STREAMING, property;
        }
        lies! { node: deviceUpdatableKernelNode as DeviceUpdatable. deviceUpdatable = 1, int; }
    }

    /// `cuda.h` of CUDA 13.5: both are an enum at the start of the value.
    #[test]
    fn the_modes_are_encoded() {
        let launch = Launch::new(1, 1)
            .portable_cluster_size_mode(PortableClusterMode::AllowNonPortable)
            .shared_memory_mode(SharedMemoryMode::PreferOversized);
        let attributes = passed(launch);
        let read = |one: &LaunchAttribute<'_>| (one.id(), u32::from_ne_bytes(at(one, 0)));
        assert_eq!(attributes.iter().map(read).collect::<Vec<_>>(), [(17, 2), (18, 4)]);
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

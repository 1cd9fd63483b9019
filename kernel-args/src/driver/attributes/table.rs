//! The launch attributes: number, name and requirements.

/// The requirements of an attribute of [`Launch`](crate::Launch).
pub(super) struct Requirement {
    /// The method of `Launch`, and the option of `launch!`.
    pub(super) name: &'static str,
    /// The oldest driver that supports it, as `cuDriverGetVersion` returns it: 12080 is CUDA 12.8.
    pub(super) version: u32,
    /// The oldest GPU that supports it, 90 for sm_90; 0 if every GPU supports it.
    pub(super) sm: u16,
    /// Whether it is also valid for a kernel node of a graph, not only for launches.
    #[cfg(feature = "graphs")]
    pub(super) nodes: bool,
}

macro_rules! attributes {
    ($($(#[$meta:meta])* $attribute:ident = $id:literal, $name:literal, $major:literal . $minor:literal, sm $sm:literal,
       nodes $nodes:literal;)*) => {
        /// A launch attribute, by its `CUlaunchAttributeID`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub(super) enum Attribute {
            $($(#[$meta])* $attribute = $id,)*
        }

        impl Attribute {
            /// Every attribute.
            pub(super) const ALL: &'static [Self] = &[$(Self::$attribute),*];

            pub(super) const fn requirement(self) -> Requirement {
                match self {
                    $(Self::$attribute => Requirement {
                        name: $name,
                        version: $major * 1000 + $minor * 10,
                        sm: $sm,
                        #[cfg(feature = "graphs")]
                        nodes: $nodes,
                    },)*
                }
            }
        }
    };
}

// CUDA Driver API, `CUlaunchAttributeID`, which also documents which attributes are valid for graph nodes. The version
// is the first toolkit whose `cuda.h` has the attribute; the GPU generation is from the programming guide's chapter on
// each feature.
attributes! {
    AccessPolicyWindow = 1, "access_policy_window", 11 . 8, sm 80, nodes true;
    Cooperative = 2, "cooperative", 11 . 8, sm 60, nodes true;
    Cluster = 4, "cluster", 11 . 8, sm 90, nodes true;
    ClusterSchedulingPolicy = 5, "cluster_scheduling_policy", 11 . 8, sm 90, nodes true;
    ProgrammaticStreamSerialization = 6, "programmatic_stream_serialization", 11 . 8, sm 90, nodes false;
    ProgrammaticEvent = 7, "programmatic_event", 11 . 8, sm 90, nodes false;
    Priority = 8, "priority", 11 . 8, sm 0, nodes true;
    MemorySyncDomainMap = 9, "memory_sync_domain_map", 12 . 0, sm 0, nodes true;
    MemorySyncDomain = 10, "memory_sync_domain", 12 . 0, sm 0, nodes true;
    PreferredCluster = 11, "preferred_cluster", 12 . 8, sm 90, nodes true;
    LaunchCompletionEvent = 12, "launch_completion_event", 12 . 3, sm 0, nodes false;
    DeviceUpdatableNode = 13, "device_updatable_node", 12 . 4, sm 0, nodes true;
    SharedMemoryCarveout = 14, "preferred_shared_memory_carveout", 12 . 5, sm 0, nodes true;
    NvlinkUtilCentricScheduling = 16, "nvlink_util_centric_scheduling", 13 . 0, sm 0, nodes true;
    PortableClusterSizeMode = 17, "portable_cluster_size_mode", 13 . 2, sm 90, nodes true;
    SharedMemoryMode = 18, "shared_memory_mode", 13 . 2, sm 0, nodes true;
}

/// The requirement of the values of `shared_memory_mode` for oversized configurations.
pub(super) const OVERSIZED: Requirement =
    Requirement { name: "shared_memory_mode", version: 13040, ..Attribute::SharedMemoryMode.requirement() };

#[cfg(test)]
mod tests {
    use super::Attribute;
    use cudarc::driver::sys::CUlaunchAttributeID as Theirs;

    #[test]
    fn the_numbers_are_those_of_cudarc() {
        let theirs = |attribute| {
            Some(match attribute {
                Attribute::AccessPolicyWindow => Theirs::CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
                Attribute::Cooperative => Theirs::CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
                Attribute::Cluster => Theirs::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                Attribute::ClusterSchedulingPolicy => Theirs::CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                Attribute::ProgrammaticStreamSerialization => {
                    Theirs::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
                }
                Attribute::ProgrammaticEvent => Theirs::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                Attribute::Priority => Theirs::CU_LAUNCH_ATTRIBUTE_PRIORITY,
                Attribute::MemorySyncDomainMap => Theirs::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
                Attribute::MemorySyncDomain => Theirs::CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
                Attribute::PreferredCluster => Theirs::CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
                Attribute::LaunchCompletionEvent => Theirs::CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
                Attribute::DeviceUpdatableNode => Theirs::CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
                Attribute::SharedMemoryCarveout => Theirs::CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                Attribute::NvlinkUtilCentricScheduling => Theirs::CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING,
                // The tests have cudarc's bindings for CUDA 13.0.
                Attribute::PortableClusterSizeMode | Attribute::SharedMemoryMode => return None,
            })
        };
        for &attribute in Attribute::ALL {
            if let Some(theirs) = theirs(attribute) {
                assert_eq!(attribute as u32, theirs as u32, "{attribute:?}");
            }
        }
    }

    #[test]
    fn each_attribute_needs_a_driver_that_has_cu_launch_kernel_ex() {
        for attribute in Attribute::ALL {
            assert!(attribute.requirement().version >= 11080, "{attribute:?}");
        }
    }
}

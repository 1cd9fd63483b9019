//! The table of launch attributes: one row each, from which options, limits and messages are made.

/// Passes each attribute to a macro, after the tokens that follow its name. A row has the attribute's method of
/// [`Launch`](crate::Launch), its number, its name after `CU_LAUNCH_ATTRIBUTE_`, and the oldest CUDA and GPU. The last
/// columns are whether nodes of graphs take it, and whether it contains an address.
macro_rules! attribute_table {
    ($apply:ident $($before:tt)*) => {
        // CUDA Driver API, `CUlaunchAttributeID`, which also documents which attributes are valid for graph nodes. The
        // version is the first toolkit whose `cuda.h` has the attribute; the GPU generation is from the programming
        // guide's chapter on each feature.
        $apply! { $($before)*
            /// The blocks of a cluster along each axis.
            ///
            /// Each extent of the grid must be a multiple of the cluster's extent. A cluster of more than 8 blocks is
            /// not portable: the kernel is opted in automatically if the GPU supports such a cluster.
            cluster(cluster: impl IntoDim) -> Dim3 = Some(cluster.into_dim()), 4, "CLUSTER_DIMENSION", 11 . 8, sm 90;
            /// A larger cluster, a multiple of [`cluster`](Self::cluster), which is used if the GPU has room for it.
            preferred_cluster(cluster: impl IntoDim) -> Dim3 = Some(cluster.into_dim()),
                11, "PREFERRED_CLUSTER_DIMENSION", 12 . 8, sm 90;
            /// How the clusters are distributed.
            cluster_scheduling_policy(policy: ClusterSchedulingPolicy) -> ClusterSchedulingPolicy = Some(policy),
                5, "CLUSTER_SCHEDULING_POLICY_PREFERENCE", 11 . 8, sm 90;
            /// Whether all blocks run at the same time and can wait for each other.
            ///
            /// The grid is at most [`Kernel::max_cooperative_blocks`](crate::Kernel::max_cooperative_blocks).
            cooperative(cooperative: bool) -> bool = cooperative.then_some(true), 2, "COOPERATIVE", 11 . 8, sm 60;
            /// The kernel's priority, which replaces the priority of the stream. A lower number is a higher priority.
            /// `cuCtxGetStreamPriorityRange` returns the range, often -5 to 0.
            priority(priority: i32) -> i32 = Some(priority), 8, "PRIORITY", 11 . 8;
            /// Whether the kernel can begin before the previous kernel in the stream has ended: programmatic dependent
            /// launch.
            ///
            /// It begins once all blocks of the previous kernel have executed `griddepcontrol.launch_dependents`
            /// (`cudaTriggerProgrammaticLaunchCompletion`) or have ended. The kernel must execute `griddepcontrol.wait`
            /// (`cudaGridDependencySynchronize`) before it reads memory that the previous kernel writes, and before it
            /// writes memory that the previous kernel still uses.
            programmatic_stream_serialization(allowed: bool) -> bool = allowed.then_some(true),
                6, "PROGRAMMATIC_STREAM_SERIALIZATION", 11 . 8, sm 90, nodes false;
            /// An event that the kernel triggers while it runs.
            ///
            /// In a [`Sequence`](crate::sequence::Sequence), the caller of the launch ensures that the event exists
            /// until the run is over.
            programmatic_event(event: impl Into<ProgrammaticEvent<'a>>) -> ProgrammaticEvent<'a> = Some(event.into()),
                7, "PROGRAMMATIC_EVENT", 11 . 8, sm 90, nodes false, address true;
            /// An event that triggers once all blocks have begun, as far as the driver can detect it. The event must
            /// not record times: create it with `CudaContext::new_event(None)`.
            ///
            /// In a [`Sequence`](crate::sequence::Sequence), the caller of the launch ensures that the event exists
            /// until the run is over.
            launch_completion_event(event: &'a CudaEvent) -> &'a CudaEvent = Some(event),
                12, "LAUNCH_COMPLETION_EVENT", 12 . 3, nodes false, address true;
            /// The domain in which the kernel's memory operations are ordered.
            memory_sync_domain(domain: MemorySyncDomain) -> MemorySyncDomain = Some(domain), 10, "MEM_SYNC_DOMAIN", 12 . 0;
            /// The GPU's domain for each [`memory_sync_domain`](Self::memory_sync_domain).
            memory_sync_domain_map(map: MemorySyncDomainMap) -> MemorySyncDomainMap = Some(map), 9, "MEM_SYNC_DOMAIN_MAP", 12 . 0;
            /// How accesses to a range of global memory use the L2 cache.
            access_policy_window(window: AccessPolicyWindow) -> AccessPolicyWindow = Some(window),
                1, "ACCESS_POLICY_WINDOW", 11 . 8, sm 80, address true;
            /// The percentage, 0 to 100, of the combined L1 cache and shared memory that should be shared memory; a
            /// hint.
            preferred_shared_memory_carveout(percent: u8) -> u8 = Some(percent), 14, "PREFERRED_SHARED_MEMORY_CARVEOUT", 12 . 5;
            /// A hint that the kernel should use as much NVLink bandwidth as possible, distributed evenly over the
            /// blocks.
            nvlink_util_centric_scheduling(enabled: bool) -> bool = enabled.then_some(true),
                16, "NVLINK_UTIL_CENTRIC_SCHEDULING", 13 . 0;
            /// Whether a cluster can have more than 8 blocks. Without this option it can.
            portable_cluster_size_mode(mode: PortableClusterMode) -> PortableClusterMode = Some(mode),
                17, "PORTABLE_CLUSTER_SIZE_MODE", 13 . 2, sm 90;
            /// How much dynamic shared memory the launch can have. Without this option it can have as much as
            /// [`AllowNonPortable`](SharedMemoryMode::AllowNonPortable).
            shared_memory_mode(mode: SharedMemoryMode) -> SharedMemoryMode = Some(mode), 18, "SHARED_MEMORY_MODE", 13 . 2;
            /// Lets kernels update the node of a captured launch, or of a launch that is added to a graph, and stores
            /// the node's handle in `node`. A launch with this option needs a stream that is capturing.
            device_updatable_node(node: &'a DeviceNode) -> &'a DeviceNode = Some(node),
                13, "DEVICE_UPDATABLE_KERNEL_NODE", 12 . 4, address true;
        }
    };
}
pub(crate) use attribute_table;

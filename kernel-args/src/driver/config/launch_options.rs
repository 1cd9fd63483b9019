//! Grid, block and options of a launch.

use super::{
    AccessPolicyWindow, AsStream, Attributes, ClusterSchedulingPolicy, DeviceNode, Form, IntoDim, MemorySyncDomain,
    MemorySyncDomainMap, PortableClusterMode, ProgrammaticEvent, SharedMemoryMode,
};
use crate::{
    device::vector::Dim3,
    driver::api::{LaunchConfig, StreamHandle},
};
use cudarc::driver::{CudaEvent, CudaStream};

/// Grid, block and options of one launch. The options of [`launch!`](crate::launch!) are its methods.
///
/// ```no_run
/// # use kernel_args::{Error, Kernel, KernelArgs, Launch, graph::Graph};
/// # #[derive(KernelArgs)]
/// # struct Fill { value: f32, n: u32 }
/// # fn add(graph: &mut Graph, fill: &Kernel<Fill>, args: Fill) -> Result<(), Error> {
/// let launch = Launch::new((4, 2), 256).shared(1024).cluster(2); // 4 × 2 blocks of 256 threads
/// graph.add_kernel_launch(fill, launch, args, &[])?;
/// # Ok(())
/// # }
/// ```
///
/// # Launch attributes
/// The methods from [`cluster`](Self::cluster) on set launch attributes (CUDA Driver API, `CUlaunchAttributeID`). They
/// need a driver of CUDA 11.8 or newer; some attributes need a newer driver or a GPU of a certain generation. If the
/// driver or the GPU lacks an attribute, the launch returns
/// [`Error::Launch`](crate::Error::Launch). The limits that CUDA documents for an attribute
/// are checked before the driver is called. A launch without attributes has no extra cost.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Launch<'a> {
    pub(crate) grid: Dim3,
    pub(crate) block: Dim3,
    pub(crate) shared: u32,
    /// Whether `shared` was set: then 0 requests no shared memory.
    pub(crate) shared_given: bool,
    pub(crate) stream: Option<&'a CudaStream>,
    /// For a launch in a sequence, whose stream is `stream`.
    #[cfg(feature = "graphs")]
    pub(crate) recording: Option<&'a super::Recording>,
    pub(crate) form: Option<Form>,
    /// `None` while no attribute is set, and then its fields are not written.
    pub(crate) attributes: Option<Attributes<'a>>,
}

impl<'a> Launch<'a> {
    /// A launch of `grid` blocks of `block` threads on the default stream: cudarc's `grid_dim` and `block_dim`.
    #[inline(always)]
    pub fn new(grid: impl IntoDim, block: impl IntoDim) -> Self {
        Self {
            grid: grid.into_dim(),
            block: block.into_dim(),
            shared: 0,
            shared_given: false,
            stream: None,
            #[cfg(feature = "graphs")]
            recording: None,
            form: None,
            attributes: None,
        }
    }

    /// The stream to launch on, or the [`Recorder`](crate::sequence::Recorder) of a sequence.
    #[inline(always)]
    pub fn stream(mut self, stream: &'a (impl AsStream + ?Sized)) -> Self {
        let target = stream.target();
        self.stream = Some(target.stream);
        #[cfg(feature = "graphs")]
        {
            self.recording = target.recording;
        }
        self
    }

    /// Dynamic shared memory per block, in bytes. Above 48 KiB the kernel is opted in automatically.
    ///
    /// If the PTX of a kernel shows that it uses dynamic shared memory (`extern __shared__`), a launch without this
    /// option is rejected; 0 explicitly requests none.
    #[inline(always)]
    pub fn shared(mut self, bytes: u32) -> Self {
        self.shared = bytes;
        self.shared_given = true;
        self
    }

    /// cudarc's name for [`shared`](Self::shared).
    #[inline(always)]
    pub fn shared_mem_bytes(self, bytes: u32) -> Self {
        self.shared(bytes)
    }

    /// The form in which to pass the parameters; the default is the faster form, [`Form::of`]. A struct with an
    /// alignment above 16 bytes is always passed as `kernelParams`.
    #[inline(always)]
    pub fn form(mut self, form: Form) -> Self {
        self.form = Some(form);
        self
    }

    /// The configuration without attributes.
    #[inline(always)]
    pub(crate) fn config<'s>(&self, stream: StreamHandle<'s>) -> LaunchConfig<'s> {
        let Self { grid, block, shared, .. } = *self;
        LaunchConfig::new([grid.x, grid.y, grid.z], [block.x, block.y, block.z], shared, stream)
    }

    #[inline(always)]
    fn with(mut self, set: impl FnOnce(&mut Attributes<'a>)) -> Self {
        set(self.attributes.get_or_insert_default());
        self
    }

    /// The blocks of a cluster along each axis: `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
    ///
    /// Each extent of the grid must be a multiple of the cluster's extent. A cluster of more than 8 blocks is not
    /// portable: the kernel is opted in automatically if the GPU supports such a cluster. Needs sm_90.
    #[inline(always)]
    pub fn cluster(self, cluster: impl IntoDim) -> Self {
        self.with(|attributes| attributes.cluster = Some(cluster.into_dim()))
    }

    /// A larger cluster, a multiple of [`cluster`](Self::cluster), which is used if the GPU has room for it:
    /// `CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION`. Needs CUDA 12.8.
    #[inline(always)]
    pub fn preferred_cluster(self, cluster: impl IntoDim) -> Self {
        self.with(|attributes| attributes.preferred_cluster = Some(cluster.into_dim()))
    }

    /// How the clusters are distributed: `CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE`. Needs sm_90.
    #[inline(always)]
    pub fn cluster_scheduling_policy(self, policy: ClusterSchedulingPolicy) -> Self {
        self.with(|attributes| attributes.cluster_scheduling_policy = Some(policy))
    }

    /// Whether all blocks run at the same time and can wait for each other: `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
    ///
    /// The grid is at most [`Kernel::max_cooperative_blocks`](crate::Kernel::max_cooperative_blocks).
    #[inline(always)]
    pub fn cooperative(self, cooperative: bool) -> Self {
        self.with(|attributes| attributes.cooperative = cooperative)
    }

    /// The kernel's priority, which replaces the priority of the stream: `CU_LAUNCH_ATTRIBUTE_PRIORITY`. A lower number
    /// is a higher priority. `cuCtxGetStreamPriorityRange` returns the range, often -5 to 0.
    #[inline(always)]
    pub fn priority(self, priority: i32) -> Self {
        self.with(|attributes| attributes.priority = Some(priority))
    }

    /// Whether the kernel can begin before the previous kernel in the stream has ended:
    /// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`, programmatic dependent launch.
    ///
    /// It begins once all blocks of the previous kernel have executed `griddepcontrol.launch_dependents`
    /// (`cudaTriggerProgrammaticLaunchCompletion`) or have ended. The kernel must execute `griddepcontrol.wait`
    /// (`cudaGridDependencySynchronize`) before it reads memory that the previous kernel writes, and before it writes
    /// memory that the previous kernel still uses. Needs sm_90.
    #[inline(always)]
    pub fn programmatic_stream_serialization(self, allowed: bool) -> Self {
        self.with(|attributes| attributes.programmatic_stream_serialization = allowed)
    }

    /// An event that the kernel triggers while it runs: `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT`. Needs sm_90.
    ///
    /// In a [`Sequence`](crate::sequence::Sequence), the caller of the launch ensures that the event exists until the run is over.
    #[inline(always)]
    pub fn programmatic_event(self, event: impl Into<ProgrammaticEvent<'a>>) -> Self {
        self.with(|attributes| attributes.programmatic_event = Some(event.into()))
    }

    /// An event that triggers once all blocks have begun, as far as the driver can detect it:
    /// `CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT`. The event must not record times: create it with
    /// `CudaContext::new_event(None)`. Needs CUDA 12.3.
    ///
    /// In a [`Sequence`](crate::sequence::Sequence), the caller of the launch ensures that the event exists until the run is over.
    #[inline(always)]
    pub fn launch_completion_event(self, event: &'a CudaEvent) -> Self {
        self.with(|attributes| attributes.launch_completion_event = Some(event))
    }

    /// The domain in which the kernel's memory operations are ordered: `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN`. Needs
    /// CUDA 12.0.
    #[inline(always)]
    pub fn memory_sync_domain(self, domain: MemorySyncDomain) -> Self {
        self.with(|attributes| attributes.memory_sync_domain = Some(domain))
    }

    /// The GPU's domain for each [`memory_sync_domain`](Self::memory_sync_domain):
    /// `CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP`. Needs CUDA 12.0.
    #[inline(always)]
    pub fn memory_sync_domain_map(self, map: MemorySyncDomainMap) -> Self {
        self.with(|attributes| attributes.memory_sync_domain_map = Some(map))
    }

    /// How accesses to a range of global memory use the L2 cache: `CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW`. Needs
    /// sm_80.
    #[inline(always)]
    pub fn access_policy_window(self, window: AccessPolicyWindow) -> Self {
        self.with(|attributes| attributes.access_policy_window = Some(window))
    }

    /// The percentage, 0 to 100, of the combined L1 cache and shared memory that should be shared memory; a hint:
    /// `CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT`. Needs CUDA 12.5.
    #[inline(always)]
    pub fn preferred_shared_memory_carveout(self, percent: u8) -> Self {
        self.with(|attributes| attributes.preferred_shared_memory_carveout = Some(percent))
    }

    /// A hint that the kernel should use as much NVLink bandwidth as possible, distributed evenly over the blocks:
    /// `CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING`. Needs CUDA 13.0.
    #[inline(always)]
    pub fn nvlink_util_centric_scheduling(self, enabled: bool) -> Self {
        self.with(|attributes| attributes.nvlink_util_centric_scheduling = enabled)
    }

    /// Lets kernels update the node of a captured launch, or of a launch that is added to a graph, and stores the
    /// node's handle in `node`: `CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE`. A launch with this option needs a
    /// stream that is capturing. Needs CUDA 12.4.
    #[inline(always)]
    pub fn device_updatable_node(self, node: &'a DeviceNode) -> Self {
        self.with(|attributes| attributes.device_updatable_node = Some(node))
    }

    /// Whether a cluster can have more than 8 blocks: `CU_LAUNCH_ATTRIBUTE_PORTABLE_CLUSTER_SIZE_MODE`. Without this option it can. Needs
    /// CUDA 13.2.
    #[inline(always)]
    pub fn portable_cluster_size_mode(self, mode: PortableClusterMode) -> Self {
        self.with(|attributes| attributes.portable_cluster_size_mode = Some(mode))
    }

    /// How much dynamic shared memory the launch can have: `CU_LAUNCH_ATTRIBUTE_SHARED_MEMORY_MODE`. Without this option it can have as much
    /// as [`AllowNonPortable`](SharedMemoryMode::AllowNonPortable). Needs CUDA 13.2.
    #[inline(always)]
    pub fn shared_memory_mode(self, mode: SharedMemoryMode) -> Self {
        self.with(|attributes| attributes.shared_memory_mode = Some(mode))
    }
}

//! The launch attributes that a caller sets: CUDA Driver API, `CUlaunchAttributeID`.

use super::{AccessPolicyWindow, DeviceNode};
use crate::device::vector::Dim3;
use cudarc::driver::CudaEvent;

/// The launch attributes of one launch. An attribute that is not set is not passed to the driver.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Attributes<'a> {
    pub(crate) cluster: Option<Dim3>,
    pub(crate) preferred_cluster: Option<Dim3>,
    pub(crate) cluster_scheduling_policy: Option<ClusterSchedulingPolicy>,
    pub(crate) cooperative: bool,
    pub(crate) priority: Option<i32>,
    pub(crate) programmatic_stream_serialization: bool,
    pub(crate) programmatic_event: Option<ProgrammaticEvent<'a>>,
    pub(crate) launch_completion_event: Option<&'a CudaEvent>,
    pub(crate) memory_sync_domain: Option<MemorySyncDomain>,
    pub(crate) memory_sync_domain_map: Option<MemorySyncDomainMap>,
    pub(crate) access_policy_window: Option<AccessPolicyWindow>,
    pub(crate) preferred_shared_memory_carveout: Option<u8>,
    pub(crate) nvlink_util_centric_scheduling: bool,
    pub(crate) device_updatable_node: Option<&'a DeviceNode>,
    pub(crate) portable_cluster_size_mode: Option<PortableClusterMode>,
    pub(crate) shared_memory_mode: Option<SharedMemoryMode>,
}

/// How the clusters of a launch are distributed over the GPU: `CUclusterSchedulingPolicy`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u32)]
pub enum ClusterSchedulingPolicy {
    /// `CU_CLUSTER_SCHEDULING_POLICY_DEFAULT`.
    #[default]
    Default = 0,
    /// The blocks of a cluster are distributed over the multiprocessors: `CU_CLUSTER_SCHEDULING_POLICY_SPREAD`.
    Spread = 1,
    /// The hardware balances the load: `CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING`.
    LoadBalancing = 2,
}

/// Whether a cluster can have more than the 8 blocks that every GPU with clusters supports: `CUlaunchAttributePortableClusterMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u32)]
pub enum PortableClusterMode {
    /// As the function allows, which this crate sets for a launch with a larger cluster: `CU_LAUNCH_PORTABLE_CLUSTER_MODE_DEFAULT`.
    #[default]
    Default = 0,
    /// A larger cluster is an error: `CU_LAUNCH_PORTABLE_CLUSTER_MODE_REQUIRE_PORTABLE`.
    RequirePortable = 1,
    /// `CU_LAUNCH_PORTABLE_CLUSTER_MODE_ALLOW_NON_PORTABLE`.
    AllowNonPortable = 2,
}

/// How much dynamic shared memory a launch can have: `CUsharedMemoryMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[repr(u32)]
pub enum SharedMemoryMode {
    /// As the function allows, which this crate sets for a launch with more: `CU_SHARED_MEMORY_MODE_DEFAULT`.
    #[default]
    Default = 0,
    /// More than every GPU supports (`CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK`) is an error:
    /// `CU_SHARED_MEMORY_MODE_REQUIRE_PORTABLE`.
    RequirePortable = 1,
    /// As much as the GPU supports: `CU_SHARED_MEMORY_MODE_ALLOW_NON_PORTABLE`.
    AllowNonPortable = 2,
    /// Oversized configurations, which leave 8 kB of L1 cache: `CU_SHARED_MEMORY_MODE_ALLOW_OVERSIZED_SHARED_MEMORY`. Needs CUDA 13.4.
    AllowOversized = 3,
    /// The same, and preferred: `CU_SHARED_MEMORY_MODE_PREFER_OVERSIZED_SHARED_MEMORY`. Needs CUDA 13.4.
    PreferOversized = 4,
}

impl SharedMemoryMode {
    /// The mode with this number.
    pub(crate) fn of(number: u32) -> Option<Self> {
        use SharedMemoryMode as Mode;
        let all =
            [Mode::Default, Mode::RequirePortable, Mode::AllowNonPortable, Mode::AllowOversized, Mode::PreferOversized];
        all.into_iter().find(|mode| *mode as u32 == number)
    }

    /// Whether more shared memory is allowed than the limits of the GPU for other launches.
    pub(crate) const fn is_oversized(self) -> bool {
        matches!(self, Self::AllowOversized | Self::PreferOversized)
    }
}

/// The domain in which a kernel's memory operations are ordered: `CUlaunchMemSyncDomain`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum MemorySyncDomain {
    /// `CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT`.
    #[default]
    Default = 0,
    /// For kernels that access memory of other GPUs: `CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE`.
    Remote = 1,
}

/// The GPU's domain for each [`MemorySyncDomain`]: `CUlaunchMemSyncDomainMap`.
///
/// A GPU has `CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT` domains, numbered from 0.
///
/// ```
/// use kernel_args::{Launch, attribute::{MemorySyncDomain, MemorySyncDomainMap}};
///
/// let map = MemorySyncDomainMap { default: 0, remote: 3 };
/// let launch = Launch::new(64, 256).memory_sync_domain_map(map).memory_sync_domain(MemorySyncDomain::Remote);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySyncDomainMap {
    /// The number of [`MemorySyncDomain::Default`].
    pub default: u8,
    /// The number of [`MemorySyncDomain::Remote`].
    pub remote: u8,
}

/// An event that a kernel triggers while it runs: `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT`.
///
/// It triggers once every block has executed `griddepcontrol.launch_dependents`
/// (`cudaTriggerProgrammaticLaunchCompletion`) or has ended. The event must not record times: create it with
/// `CudaContext::new_event(None)`.
///
/// ```no_run
/// use kernel_args::{Launch, attribute::ProgrammaticEvent};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let ctx = kernel_args::context(0)?;
/// let event = ctx.new_event(None)?;
/// let event = ProgrammaticEvent::new(&event).trigger_at_block_start();
/// let launch = Launch::new(64, 256).programmatic_event(event);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct ProgrammaticEvent<'a> {
    pub(crate) event: &'a CudaEvent,
    pub(crate) at_block_start: bool,
}

impl<'a> ProgrammaticEvent<'a> {
    /// An event that the kernel itself triggers.
    pub fn new(event: &'a CudaEvent) -> Self {
        Self { event, at_block_start: false }
    }

    /// Each block triggers the event when it begins: `triggerAtBlockStart`.
    pub fn trigger_at_block_start(mut self) -> Self {
        self.at_block_start = true;
        self
    }
}

impl<'a> From<&'a CudaEvent> for ProgrammaticEvent<'a> {
    fn from(event: &'a CudaEvent) -> Self {
        Self::new(event)
    }
}

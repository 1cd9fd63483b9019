//! `Launch`: the grid, the block and the options of a launch.

use super::{
    AccessPolicyWindow, AsStream, ClusterSchedulingPolicy, DeviceNode, Form, IntoDim, MemorySyncDomain,
    MemorySyncDomainMap, PortableClusterMode, ProgrammaticEvent, SharedMemoryMode, attribute_values::EncodedValue,
};
#[cfg(feature = "graphs")]
use crate::driver::run::RunRecord;
use crate::{
    device::vector::Dim3,
    driver::api::{LaunchAttribute, LaunchConfig, StreamHandle},
};
use core::fmt::Display;
use cudarc::driver::{CudaEvent, CudaStream};

/// Grid, block and options of one launch. The options of [`launch!`](crate::launch!) are its methods.
///
/// ```no_run
/// use kernel_args::Launch;
///
/// let launch = Launch::new((4, 2), 256).shared(1024).cluster(2); // 4 × 2 blocks of 256 threads
/// ```
///
/// # Launch attributes
/// The methods from [`cluster`](Self::cluster) on set launch attributes (CUDA Driver API, `CUlaunchAttributeID`):
/// [`launches`](crate::guide::launches#attributes) lists what each needs.
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
    pub(crate) recording: Option<&'a RunRecord>,
    pub(crate) form: Option<Form>,
    /// `None` while no attribute is set, and then its fields are not written.
    pub(crate) attributes: Option<Attributes<'a>>,
}

impl<'a> Launch<'a> {
    /// Creates a launch of `grid` blocks of `block` threads on the default stream: cudarc's `grid_dim` and `block_dim`.
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

    /// Sets the stream to launch on, or the [`Recorder`](crate::sequence::Recorder) of a sequence.
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

    /// Sets the form in which to pass the parameters; the default is the faster form, [`Form::of`]. A struct with an
    /// alignment above 16 bytes is always passed as `kernelParams`.
    #[inline(always)]
    pub fn form(mut self, form: Form) -> Self {
        self.form = Some(form);
        self
    }

    /// Returns the configuration without attributes.
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
}

/// What is known about an attribute, whatever its value is.
pub(crate) struct Attribute {
    /// The method of [`Launch`](crate::Launch), and the option of `launch!`.
    pub(crate) name: &'static str,
    /// `CUlaunchAttributeID`.
    pub(crate) id: u32,
    /// The oldest driver that supports it, as `cuDriverGetVersion` returns it: 12080 is CUDA 12.8.
    pub(crate) version: u32,
    /// The oldest GPU that supports it, 90 for sm_90; 0 if every GPU supports it.
    pub(crate) sm: u16,
    /// Whether it is also valid for a kernel node of a graph, not only for launches.
    #[cfg(feature = "graphs")]
    pub(crate) nodes: bool,
    /// Whether its value contains an address, which has no meaning in another process.
    #[cfg(feature = "record")]
    pub(crate) has_address: bool,
}

/// Options, limits, messages and the names of `launch!` are made from the row of an attribute: its method of
/// [`Launch`], its number, its name after `CU_LAUNCH_ATTRIBUTE_`, and the oldest CUDA and GPU. The last columns are
/// whether nodes of graphs take it, and whether it contains an address. `$d` is the `$` of the macro that this one
/// defines.
macro_rules! attributes {
    ($d:tt $($(#[$doc:meta])* $name:ident($given:ident: $from:ty) -> $ty:ty = $value:expr, $id:literal, $cuda:literal,
        $major:literal . $minor:literal $(, sm $sm:literal)? $(, nodes $nodes:literal)? $(, address $address:literal)?;)*) => {
        /// # Launch attributes
        impl<'a> Launch<'a> {$(
            $(#[$doc])*
            ///
            #[doc = concat!(
                "`CU_LAUNCH_ATTRIBUTE_", $cuda, "`. Needs CUDA ", $major, ".", $minor, $(" and sm_", $sm,)? "."
            )]
            #[inline(always)]
            pub fn $name(self, $given: $from) -> Self {
                self.with(|attributes| attributes.$name = $value)
            }
        )*}

        /// The launch attributes of one launch. An attribute that is not set is not passed to the driver.
        #[derive(Clone, Copy, Debug, Default)]
        pub(crate) struct Attributes<'a> {
            $(pub(crate) $name: Option<$ty>,)*
        }

        #[allow(non_upper_case_globals, reason = "an attribute has the name of its method")]
        impl Attribute {
            $(pub(crate) const $name: Self = Self {
                name: stringify!($name),
                id: $id,
                version: $major * 1000 + $minor * 10,
                sm: 0 $(+ $sm)?,
                #[cfg(feature = "graphs")]
                nodes: true $(&& $nodes)?,
                #[cfg(feature = "record")]
                has_address: false $(|| $address)?,
            };)*

            pub(crate) const ALL: &'static [Self] = &[$(Self::$name),*];
        }

        impl<'e> Attributes<'e> {
            pub(crate) fn for_each(&self, visit: &mut dyn FnMut(&'static Attribute, LaunchAttribute<'e>, &dyn Display)) {
                $(if let Some(value) = self.$name {
                    value.encoded($id, &mut |encoded, text| visit(&Attribute::$name, encoded, text));
                })*
            }
        }

        /// Compares two names of options: `a b {if they are one option} {if they are two, or none}`. Without names, all
        /// options as text.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! __launch_option {
            () => {
                ::core::concat!(
                    "`stream`, `shared` (or `shared_mem_bytes`), `form`", $(", `", ::core::stringify!($name), "`"),*
                )
            };
            (stream stream {$d($d yes:tt)*} $d no:tt) => { $d($d yes)* };
            (shared shared {$d($d yes:tt)*} $d no:tt) => { $d($d yes)* };
            (shared_mem_bytes shared_mem_bytes {$d($d yes:tt)*} $d no:tt) => { $d($d yes)* };
            (shared shared_mem_bytes {$d($d yes:tt)*} $d no:tt) => { $d($d yes)* };
            (shared_mem_bytes shared {$d($d yes:tt)*} $d no:tt) => { $d($d yes)* };
            (form form {$d($d yes:tt)*} $d no:tt) => { $d($d yes)* };
            $(($name $name {$d($d yes:tt)*} $d no:tt) => { $d($d yes)* };)*
            ($d option:ident $d other:ident $d yes:tt {$d($d no:tt)*}) => { $d($d no)* };
        }
    };
}

// CUDA Driver API, `CUlaunchAttributeID`, which also documents which attributes are valid for graph nodes. The version
// is the first toolkit whose `cuda.h` has the attribute; the GPU generation is from the programming guide's chapter on
// each feature.
attributes! { $
    /// The blocks of a cluster along each axis.
    ///
    /// Each extent of the grid must be a multiple of the cluster's extent. A cluster of more than 8 blocks is not
    /// portable: the kernel is opted in automatically if the GPU supports such a cluster.
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
    /// Whether the kernel can begin before the previous kernel in the stream has ended: programmatic dependent launch.
    ///
    /// It begins once all blocks of the previous kernel have executed `griddepcontrol.launch_dependents`
    /// (`cudaTriggerProgrammaticLaunchCompletion`) or have ended. The kernel must execute `griddepcontrol.wait`
    /// (`cudaGridDependencySynchronize`) before it reads memory that the previous kernel writes, and before it writes
    /// memory that the previous kernel still uses.
    programmatic_stream_serialization(allowed: bool) -> bool = allowed.then_some(true),
        6, "PROGRAMMATIC_STREAM_SERIALIZATION", 11 . 8, sm 90, nodes false;
    /// An event that the kernel triggers while it runs.
    ///
    /// In a [`Sequence`](crate::sequence::Sequence), the caller of the launch ensures that the event exists until the
    /// run is over.
    programmatic_event(event: impl Into<ProgrammaticEvent<'a>>) -> ProgrammaticEvent<'a> = Some(event.into()),
        7, "PROGRAMMATIC_EVENT", 11 . 8, sm 90, nodes false, address true;
    /// An event that triggers once all blocks have begun, as far as the driver can detect it. The event must not record
    /// times: create it with `CudaContext::new_event(None)`.
    ///
    /// In a [`Sequence`](crate::sequence::Sequence), the caller of the launch ensures that the event exists until the
    /// run is over.
    launch_completion_event(event: &'a CudaEvent) -> &'a CudaEvent = Some(event),
        12, "LAUNCH_COMPLETION_EVENT", 12 . 3, nodes false, address true;
    /// The domain in which the kernel's memory operations are ordered.
    memory_sync_domain(domain: MemorySyncDomain) -> MemorySyncDomain = Some(domain), 10, "MEM_SYNC_DOMAIN", 12 . 0;
    /// The GPU's domain for each [`memory_sync_domain`](Self::memory_sync_domain).
    memory_sync_domain_map(map: MemorySyncDomainMap) -> MemorySyncDomainMap = Some(map), 9, "MEM_SYNC_DOMAIN_MAP", 12 . 0;
    /// How accesses to a range of global memory use the L2 cache.
    access_policy_window(window: AccessPolicyWindow) -> AccessPolicyWindow = Some(window),
        1, "ACCESS_POLICY_WINDOW", 11 . 8, sm 80, address true;
    /// The percentage, 0 to 100, of the combined L1 cache and shared memory that should be shared memory; a hint.
    preferred_shared_memory_carveout(percent: u8) -> u8 = Some(percent), 14, "PREFERRED_SHARED_MEMORY_CARVEOUT", 12 . 5;
    /// A hint that the kernel should use as much NVLink bandwidth as possible, distributed evenly over the blocks.
    nvlink_util_centric_scheduling(enabled: bool) -> bool = enabled.then_some(true),
        16, "NVLINK_UTIL_CENTRIC_SCHEDULING", 13 . 0;
    /// Whether a cluster can have more than 8 blocks. Without this option it can.
    portable_cluster_size_mode(mode: PortableClusterMode) -> PortableClusterMode = Some(mode),
        17, "PORTABLE_CLUSTER_SIZE_MODE", 13 . 2, sm 90;
    /// How much dynamic shared memory the launch can have. Without this option it can have as much as
    /// [`AllowNonPortable`](SharedMemoryMode::AllowNonPortable).
    shared_memory_mode(mode: SharedMemoryMode) -> SharedMemoryMode = Some(mode), 18, "SHARED_MEMORY_MODE", 13 . 2;
    /// Lets kernels update the node of a captured launch, or of a launch that is added to a graph, and stores the
    /// node's handle in `node`. A launch with this option needs a stream that is capturing.
    device_updatable_node(node: &'a DeviceNode) -> &'a DeviceNode = Some(node),
        13, "DEVICE_UPDATABLE_KERNEL_NODE", 12 . 4, address true;
}

impl Attribute {
    /// `shared_memory_mode` with a value for oversized configurations.
    pub(crate) const OVERSIZED: Self = Self { version: 13040, ..Self::shared_memory_mode };
}

impl<'e> Attributes<'e> {
    /// Returns the first result of `find`, which is not called afterwards.
    pub(crate) fn find_map<T>(
        &self,
        mut find: impl FnMut(&'static Attribute, LaunchAttribute<'e>) -> Option<T>,
    ) -> Option<T> {
        let mut found = None;
        self.for_each(&mut |attribute, encoded, _| {
            if found.is_none() {
                found = find(attribute, encoded);
            }
        });
        found
    }
}

//! What is compared before a launch with attributes calls the driver.

use super::super::{
    api::{Api, Status},
    config::{AccessPolicyWindow, AccessProperty, Attributes, MemorySyncDomainMap},
    context::current,
    error::{Error, Limit, UnsupportedAttribute},
    function_attribute as attribute,
    launch_config::LaunchConfig,
    occupancy,
};
use super::{
    Encoded,
    encode::for_each,
    limits::{AttributeLimits, device_attribute},
    table::Attribute,
};
use crate::device::vector::Dim3;
use cudarc::driver::{
    CudaEvent,
    sys::{CUfunction, CUstreamCaptureStatus},
};
use std::{boxed::Box, format, string::String};

/// The most blocks of a cluster that every GPU with clusters runs.
const PORTABLE_CLUSTER: u64 = 8;

/// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
const MULTIPROCESSOR_COUNT: u32 = 16;
/// `CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE`.
const MAX_ACCESS_POLICY_WINDOW_SIZE: u32 = 109;
/// `CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT`.
const MEM_SYNC_DOMAIN_COUNT: u32 = 126;

/// A launch with attributes.
pub(in crate::driver) struct Request<'a> {
    pub(in crate::driver) api: &'static Api,
    pub(in crate::driver) function: CUfunction,
    /// Grid, block, shared memory and stream.
    pub(in crate::driver) config: LaunchConfig,
    pub(in crate::driver) attributes: &'a Attributes<'a>,
    pub(in crate::driver) limits: &'a AttributeLimits,
    /// The kernel's name, for errors.
    pub(in crate::driver) name: &'a dyn Fn() -> String,
}

/// Compares the attributes of a launch with what the driver, the GPU and the kernel allow.
///
/// # Errors
/// [`Error::UnsupportedAttribute`], [`Error::Limit`], [`Error::Driver`].
///
/// # Safety
/// The function is loaded, and its context is current; the stream is one of that context.
#[cold]
pub(in crate::driver) unsafe fn check(request: &Request<'_>) -> Result<(), Error> {
    request.supported()?;
    let attributes = request.attributes;
    // SAFETY: the caller vouches for function and context.
    unsafe { request.cluster() }?;
    if attributes.cooperative {
        // SAFETY: as above.
        unsafe { request.cooperative() }?;
    }
    if let Some(priority) = attributes.priority {
        request.priority(priority)?;
    }
    for (name, event) in [
        (
            "programmatic_event",
            attributes.programmatic_event.map(|event| event.event),
        ),
        (
            "launch_completion_event",
            attributes.launch_completion_event,
        ),
    ] {
        if let Some(event) = event {
            request.event(name, event)?;
        }
    }
    if let Some(map) = attributes.memory_sync_domain_map {
        request.memory_sync_domain_map(map)?;
    }
    if let Some(window) = attributes.access_policy_window {
        request.access_policy_window(window)?;
    }
    if let Some(percent) = attributes.shared_memory_carveout
        && percent > 100
    {
        return Err(request.limit(
            format!("{percent} % of the memory as shared memory"),
            "`shared_memory_carveout` is at most 100 %".into(),
            "write a percentage from 0 to 100",
        ));
    }
    if attributes.device_updatable_node.is_some() {
        // SAFETY: the caller vouches for the stream.
        unsafe { request.capturing() }?;
    }
    Ok(())
}

impl Request<'_> {
    /// Whether driver and GPU have every attribute.
    fn supported(&self) -> Result<(), Error> {
        let mut version = 0;
        // SAFETY: `version` outlives the call.
        let status = unsafe { (self.api.cuDriverGetVersion)(&raw mut version) };
        status.check("cuDriverGetVersion")?;
        let version = u32::try_from(version).unwrap_or(0);
        let mut error = None;
        for_each(self.attributes, &mut |attribute, _, _| {
            if error.is_none() {
                error = self.lacks(attribute, version);
            }
        });
        error.map_or(Ok(()), Err)
    }

    fn lacks(&self, attribute: Attribute, version: u32) -> Option<Error> {
        let needs = attribute.requirement();
        let cuda = |version: u32| format!("CUDA {}.{}", version / 1000, version % 1000 / 10);
        let (required, found, help) =
            if version < needs.version || self.api.cuLaunchKernelEx.is_none() {
                (
                    format!("a driver of {} or newer", cuda(needs.version)),
                    match self.api.cuLaunchKernelEx {
                        Some(_) => format!("this driver is of {}", cuda(version)),
                        None => "this driver has no `cuLaunchKernelEx`".into(),
                    },
                    "install a newer driver, or launch without the attribute",
                )
            } else if self.limits.sm.0 < needs.sm {
                (
                    format!("sm_{} or newer", needs.sm),
                    format!("this GPU is sm_{}", self.limits.sm.0),
                    "launch without the attribute on this GPU",
                )
            } else {
                return None;
            };
        Some(Error::UnsupportedAttribute(Box::new(
            UnsupportedAttribute {
                kernel: (self.name)(),
                attribute: needs.name,
                required,
                found,
                help,
            },
        )))
    }

    /// # Safety
    /// As [`check`].
    unsafe fn cluster(&self) -> Result<(), Error> {
        let preferred = self.attributes.preferred_cluster;
        let required = self.limits.required_cluster;
        if let Some(cluster) = self.attributes.cluster {
            self.cluster_fits("cluster", cluster)?;
            if let Some(required) = required.filter(|required| *required != cluster) {
                return Err(self.limit(
                    format!("cluster {cluster}"),
                    format!("this kernel is compiled for clusters of exactly {required}"),
                    "launch it with that cluster, which the kernel's `.reqnctapercluster` directive (`__cluster_dims__`) \
                     requires, or without one",
                ));
            }
            // SAFETY: the caller vouches for function and context.
            unsafe { self.cluster_size("cluster", cluster) }?;
        }
        let Some(preferred) = preferred else {
            return Ok(());
        };
        let Some(cluster) = self.attributes.cluster.or(required) else {
            return Err(self.limit(
                format!("preferred_cluster {preferred}"),
                "a preferred cluster takes the place of several clusters, and the launch has none"
                    .into(),
                "name the smaller cluster too: `cluster = …`",
            ));
        };
        self.cluster_fits("preferred_cluster", preferred)?;
        if !divides(cluster, preferred) {
            return Err(self.limit(
                format!("preferred_cluster {preferred}"),
                format!("it must be a multiple of the cluster {cluster} along each axis"),
                "write a multiple of the cluster",
            ));
        }
        // SAFETY: as above.
        unsafe { self.cluster_size("preferred_cluster", preferred) }
    }

    /// Compares a cluster with the grid.
    fn cluster_fits(&self, name: &str, cluster: Dim3) -> Result<(), Error> {
        if cluster.x == 0 || cluster.y == 0 || cluster.z == 0 {
            return Err(self.limit(
                format!("{name} {cluster}"),
                "a cluster has at least one block along each axis".into(),
                "write 1 for an axis that is not used",
            ));
        }
        let [x, y, z] = self.config.grid;
        let grid = Dim3::new(x, y, z);
        if !self.limits.directives.blocks_are_clusters && !divides(cluster, grid) {
            return Err(grid_of_clusters((self.name)(), name, cluster, grid));
        }
        Ok(())
    }

    /// Compares a cluster with what the kernel and the GPU run.
    ///
    /// # Safety
    /// As [`check`].
    unsafe fn cluster_size(&self, name: &str, cluster: Dim3) -> Result<(), Error> {
        let blocks = count(cluster);
        if let Some(max) = self.limits.directives.max_rank
            && blocks > u64::from(max)
        {
            return Err(self.limit(
                format!("{name} {cluster} of {blocks} blocks"),
                format!("this kernel is compiled for clusters of at most {max} blocks"),
                "use a smaller cluster; the limit is the kernel's `.maxclusterrank` directive (`__launch_bounds__`)",
            ));
        }
        if blocks <= PORTABLE_CLUSTER {
            return Ok(());
        }
        // The driver keeps this with the function. There is no harm in it: smaller clusters are launched as before.
        // SAFETY: the caller vouches for function and context.
        let status = unsafe {
            (self.api.cuFuncSetAttribute)(
                self.function,
                attribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                1,
            )
        };
        status.check("cuFuncSetAttribute")?;
        // SAFETY: as above; there are no attributes.
        let max = unsafe { occupancy::max_cluster_size(self.function, &self.config) }?;
        if blocks > u64::from(max) {
            return Err(self.limit(
                format!("{name} {cluster} of {blocks} blocks"),
                format!(
                    "this GPU runs at most {max} blocks of this kernel as one cluster, with these threads and this shared \
                     memory"
                ),
                "use a smaller cluster; up to 8 blocks run on every GPU that has clusters",
            ));
        }
        Ok(())
    }

    /// Whether all blocks run at the same time.
    ///
    /// # Safety
    /// As [`check`].
    unsafe fn cooperative(&self) -> Result<(), Error> {
        let (grid, block) = (self.config.grid, self.config.block);
        let blocks = grid.map(u64::from).into_iter().fold(1, u64::saturating_mul);
        // SAFETY: the caller vouches for function and context.
        let max = unsafe { self.max_cooperative_blocks() }?;
        if blocks <= max {
            return Ok(());
        }
        let [x, y, z] = block;
        Err(self.limit(
            format!("a cooperative grid of {blocks} blocks"),
            format!(
                "all blocks of a cooperative launch run at the same time, and this GPU runs at most {max} blocks of {} \
                 threads of this kernel at once",
                Dim3::new(x, y, z)
            ),
            "use a grid within that, and have each thread process several elements; `Kernel::max_cooperative_blocks` \
             tells the limit",
        ))
    }

    /// # Safety
    /// As [`check`].
    unsafe fn max_cooperative_blocks(&self) -> Result<u64, Error> {
        if let Some(cluster) = self.attributes.cluster.or(self.limits.required_cluster) {
            let (mut encoded, mut config) = (Encoded::cluster(cluster), self.config);
            encoded.attach(&mut config);
            // SAFETY: the caller vouches for function and context; the attributes outlive the call.
            let clusters = unsafe { occupancy::max_active_clusters(self.function, &config) }?;
            return Ok(u64::from(clusters) * count(cluster));
        }
        let threads = self
            .config
            .block
            .map(u64::from)
            .into_iter()
            .fold(1, u64::saturating_mul);
        let shared = self.config.shared;
        if let Some(max) = self.limits.cooperative.get(threads, u64::from(shared)) {
            return Ok(max);
        }
        // SAFETY: as above.
        let each = unsafe { occupancy::max_active_blocks(self.function, threads, shared) }?;
        let max = u64::from(each) * u64::from(device_attribute(MULTIPROCESSOR_COUNT)?);
        self.limits.cooperative.set(threads, u64::from(shared), max);
        Ok(max)
    }

    fn priority(&self, priority: i32) -> Result<(), Error> {
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both places outlive the call.
        let status =
            unsafe { (self.api.cuCtxGetStreamPriorityRange)(&raw mut least, &raw mut greatest) };
        status.check("cuCtxGetStreamPriorityRange")?;
        if (greatest..=least).contains(&priority) {
            return Ok(());
        }
        Err(self.limit(
            format!("priority {priority}"),
            format!("the priorities of this GPU are {greatest}, which comes first, to {least}"),
            "write a priority in that range; `cuCtxGetStreamPriorityRange` tells it",
        ))
    }

    fn event(&self, name: &str, event: &CudaEvent) -> Result<(), Error> {
        if event.context().cu_ctx() == current()? {
            return Ok(());
        }
        Err(self.limit(
            format!("a `{name}` of another context (another device?)"),
            "the event of a launch belongs to the context of its kernel".into(),
            "create the event with `new_event` of that context",
        ))
    }

    fn memory_sync_domain_map(&self, map: MemorySyncDomainMap) -> Result<(), Error> {
        let MemorySyncDomainMap { default, remote } = map;
        let count = device_attribute(MEM_SYNC_DOMAIN_COUNT)?;
        if u32::from(default.max(remote)) < count {
            return Ok(());
        }
        Err(self.limit(
            format!("memory_sync_domain_map with default {default} and remote {remote}"),
            format!("this GPU has {count} domains, numbered from 0"),
            "write numbers below that; GPUs before sm_90 have one domain",
        ))
    }

    fn access_policy_window(&self, window: AccessPolicyWindow) -> Result<(), Error> {
        let AccessPolicyWindow {
            bytes,
            hit_ratio,
            miss,
            ..
        } = window;
        // Not a number is not in the range either.
        if !(0.0..=1.0).contains(&hit_ratio) {
            return Err(self.limit(
                format!("an access policy window with the hit ratio {hit_ratio}"),
                "a hit ratio is a number from 0 to 1".into(),
                "write the part of the accesses that get the property of a hit",
            ));
        }
        if miss == AccessProperty::Persisting {
            return Err(self.limit(
                "an access policy window whose misses persist".into(),
                "CUDA allows `Normal` and `Streaming` for a miss".into(),
                "for a window all of which persists, leave `hit_ratio` at 1",
            ));
        }
        let max = device_attribute(MAX_ACCESS_POLICY_WINDOW_SIZE)?;
        if bytes > max as usize {
            return Err(self.limit(
                format!("an access policy window of {bytes} bytes"),
                format!("this GPU allows at most {max} bytes"),
                "use a window of the memory that is read most often",
            ));
        }
        Ok(())
    }

    /// Whether the stream is capturing.
    ///
    /// # Safety
    /// As [`check`].
    unsafe fn capturing(&self) -> Result<(), Error> {
        let mut capture = 0;
        // SAFETY: the caller vouches for the stream; `capture` outlives the call.
        let status: Status =
            unsafe { (self.api.cuStreamIsCapturing)(self.config.stream, &raw mut capture) };
        status.check("cuStreamIsCapturing")?;
        if capture == CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE as u32 {
            return Ok(());
        }
        Err(self.limit(
            "`device_updatable_node` on a stream that is not capturing".into(),
            "only a node of a graph can be updated".into(),
            "begin a capture on the stream before the launch",
        ))
    }

    fn limit(&self, requested: String, limit: String, help: &'static str) -> Error {
        Error::Limit(Box::new(Limit {
            kernel: (self.name)(),
            requested,
            limit,
            help,
        }))
    }
}

/// The error of a grid that is no multiple of its clusters.
#[cold]
pub(in crate::driver) fn grid_of_clusters(
    kernel: String,
    name: &str,
    cluster: Dim3,
    grid: Dim3,
) -> Error {
    // Saturates only where the grid is beyond its limits as well.
    let up = |extent: u32, part: u32| extent.div_ceil(part).saturating_mul(part);
    let next = Dim3::new(
        up(grid.x, cluster.x),
        up(grid.y, cluster.y),
        up(grid.z, cluster.z),
    );
    Error::Limit(Box::new(Limit {
        kernel,
        requested: format!("grid {grid} with {name} {cluster}"),
        limit: format!(
            "a grid is a multiple of its clusters along each axis; the next one is {next}"
        ),
        help: "round the grid up and have the kernel skip what is beyond its data, or use a cluster that divides the grid",
    }))
}

/// Whether `part` divides `whole` along each axis; no axis of `part` is 0.
pub(in crate::driver) fn divides(part: Dim3, whole: Dim3) -> bool {
    whole.x.is_multiple_of(part.x)
        && whole.y.is_multiple_of(part.y)
        && whole.z.is_multiple_of(part.z)
}

/// The blocks of a cluster, or `u64::MAX` where that is not enough.
fn count(dim: Dim3) -> u64 {
    [dim.x, dim.y, dim.z]
        .map(u64::from)
        .into_iter()
        .fold(1, u64::saturating_mul)
}

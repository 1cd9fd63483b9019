use super::limits::AttributeLimits;
use crate::{
    driver::{
        api::{Api, FunctionHandle, LaunchConfig, out},
        config::{
            AccessPolicyWindow, AccessProperty, Attribute, Attributes, DeviceNode, MemorySyncDomainMap,
            ProgrammaticEvent, SharedMemoryMode,
        },
        context::{current, named},
        error::{Error, LaunchError, Limit, UnsupportedAttribute},
        query::{attribute, device_attribute, number},
    },
    memory::ContextName,
};
use cudarc::driver::{CudaEvent, sys::CUstreamCaptureStatus};
use kernel_args_image::CudaVersion;

// `CUdevice_attribute`.
const MAX_ACCESS_POLICY_WINDOW_SIZE: u32 = 109;
const MAX_SHARED_MEMORY_PER_BLOCK: u32 = 8;
const MEM_SYNC_DOMAIN_COUNT: u32 = 126;

/// A launch with attributes. The context of its function is current.
pub(crate) struct AttributeCheck<'a> {
    pub(crate) api: &'static Api,
    pub(crate) function: FunctionHandle<'a>,
    pub(crate) config: LaunchConfig<'a>,
    pub(crate) attributes: &'a Attributes<'a>,
    pub(crate) limits: &'a AttributeLimits,
    /// Whether the attributes are for a node of a graph, not for a launch.
    pub(crate) is_node: bool,
    pub(crate) name: &'a dyn Fn() -> String,
}

#[cold]
pub(crate) fn check(request: &AttributeCheck<'_>) -> Result<(), Error> {
    request.supported()?;
    request.within_limits()
}

/// Each attribute with limits has a method of its name, which checks its value.
macro_rules! limits {
    ($($name:ident),*) => {
        impl AttributeCheck<'_> {
            fn within_limits(&self) -> Result<(), Error> {
                $(if let Some(value) = self.attributes.$name {
                    self.$name(value)?;
                })*
                Ok(())
            }
        }
    };
}

limits!(
    cluster,
    preferred_cluster,
    cooperative,
    priority,
    programmatic_event,
    launch_completion_event,
    memory_sync_domain_map,
    access_policy_window,
    preferred_shared_memory_carveout,
    shared_memory_mode,
    device_updatable_node
);

impl AttributeCheck<'_> {
    fn supported(&self) -> Result<(), Error> {
        let version = number(|version| self.api.cuDriverGetVersion(version))?;
        let mut error = self.attributes.find_map(|attribute, _| self.lacks(attribute, version));
        if self.attributes.shared_memory_mode.is_some_and(SharedMemoryMode::is_oversized) {
            error = error.or_else(|| self.lacks(&Attribute::OVERSIZED, version));
        }
        error.map_or(Ok(()), Err)
    }

    fn lacks(&self, needs: &Attribute, version: u32) -> Option<Error> {
        let cuda = CudaVersion::from_number;
        let (required, found, help) = if version < needs.version || self.api.cuLaunchKernelEx.is_none() {
            (
                format!("a driver of CUDA {} or newer", cuda(needs.version)),
                match self.api.cuLaunchKernelEx {
                    Some(_) => format!("this driver is of CUDA {}", cuda(version)),
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
        Some(Error::Launch(LaunchError::UnsupportedAttribute(Box::new(UnsupportedAttribute {
            kernel: (self.name)(),
            attribute: needs.name,
            required,
            found,
            help,
        }))))
    }

    fn preferred_shared_memory_carveout(&self, percent: u8) -> Result<(), Error> {
        if percent <= 100 {
            return Ok(());
        }
        Err(self.limit(
            format!("{percent} % of the memory as shared memory"),
            "`preferred_shared_memory_carveout` is at most 100 %",
            "write a percentage from 0 to 100",
        ))
    }

    fn shared_memory_mode(&self, mode: SharedMemoryMode) -> Result<(), Error> {
        if mode != SharedMemoryMode::RequirePortable {
            return Ok(());
        }
        let max = device_attribute(MAX_SHARED_MEMORY_PER_BLOCK)?;
        let used = attribute::get(self.function, attribute::SHARED_SIZE_BYTES)?;
        let left = max.saturating_sub(used);
        if self.config.shared <= left {
            return Ok(());
        }
        Err(self.limit(
            format!(
                "{} bytes of dynamic shared memory with `shared_memory_mode = RequirePortable`",
                self.config.shared
            ),
            format!("every GPU supports {max} bytes of shared memory per block, which leaves {left} for this kernel"),
            "use less, or `SharedMemoryMode::AllowNonPortable`",
        ))
    }

    fn priority(&self, priority: i32) -> Result<(), Error> {
        let (mut least, mut greatest) = (0, 0);
        self.api.cuCtxGetStreamPriorityRange(&mut least, &mut greatest)?;
        if (greatest..=least).contains(&priority) {
            return Ok(());
        }
        Err(self.limit(
            format!("priority {priority}"),
            format!("the priorities of this GPU are {greatest}, the highest, to {least}"),
            "write a priority in this range, which `cuCtxGetStreamPriorityRange` returns",
        ))
    }

    fn programmatic_event(&self, event: ProgrammaticEvent<'_>) -> Result<(), Error> {
        self.event("programmatic_event", event.event)
    }

    fn launch_completion_event(&self, event: &CudaEvent) -> Result<(), Error> {
        self.event("launch_completion_event", event)
    }

    fn event(&self, name: &str, event: &CudaEvent) -> Result<(), Error> {
        let launch = current()?;
        if event.context().cu_ctx() == launch {
            return Ok(());
        }
        Err(self.limit(
            format!("a `{name}` of another context (another device?), {}", ContextName::of(event.context())),
            format!("the event of a launch belongs to the context of its kernel, here {}", named(launch)),
            "create the event with `new_event` of this context",
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
            "write numbers in this range; GPUs before sm_90 have one domain",
        ))
    }

    fn access_policy_window(&self, window: AccessPolicyWindow) -> Result<(), Error> {
        let AccessPolicyWindow { bytes, hit_ratio, miss, .. } = window;
        // This also rejects NaN.
        if !(0.0..=1.0).contains(&hit_ratio) {
            return Err(self.limit(
                format!("an access policy window with the hit ratio {hit_ratio}"),
                "a hit ratio is a number from 0 to 1",
                "write the fraction of the accesses that get the property of a hit",
            ));
        }
        if miss == AccessProperty::Persisting {
            return Err(self.limit(
                "an access policy window whose misses persist",
                "CUDA allows `Normal` and `Streaming` for a miss",
                "for a window that persists completely, keep `hit_ratio` at 1",
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

    fn device_updatable_node(&self, _: &DeviceNode) -> Result<(), Error> {
        if self.is_node {
            return Ok(());
        }
        let capture = out(|capture| self.api.cuStreamIsCapturing(self.config.stream, capture))?;
        if capture == CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE as u32 {
            return Ok(());
        }
        Err(self.limit(
            "`device_updatable_node` on a stream that is not capturing",
            "only a node of a graph can be updated",
            "begin a capture on the stream before the launch",
        ))
    }

    pub(super) fn limit(&self, requested: impl Into<String>, limit: impl Into<String>, help: &'static str) -> Error {
        Limit::error((self.name)(), requested, limit, help)
    }
}

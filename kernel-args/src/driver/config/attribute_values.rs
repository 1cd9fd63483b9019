//! The values of launch attributes that are not numbers.

use super::{AccessPolicyWindow, DeviceNode};
use crate::{device::vector::Dim3, driver::api::LaunchAttribute};
use core::fmt::Display;
use cudarc::driver::CudaEvent;

/// Enums of `cuda.h`, which are the whole value of an attribute.
macro_rules! enums {
    ($($(#[$meta:meta])* $name:ident = $prefix:literal {
        $($(#[$about:meta])* $variant:ident = $number:literal, $suffix:literal;)*
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[repr(u32)]
        pub enum $name {$(
            $(#[$about])*
            ///
            #[doc = concat!("`", $prefix, $suffix, "`.")]
            $variant = $number,
        )*}

        impl $name {
            #[allow(dead_code, reason = "not every value is read back")]
            pub(crate) fn of(number: u32) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl<'e> EncodedValue<'e> for $name {
            fn encoded(self, id: u32, visit: &mut dyn FnMut(LaunchAttribute<'e>, &dyn Display)) {
                (self as u32).encoded(id, &mut |attribute, _| visit(attribute, &format_args!("{self:?}")));
            }
        }
    )*};
}

enums! {
    /// How the clusters of a launch are distributed over the GPU: `CUclusterSchedulingPolicy`.
    #[non_exhaustive]
    ClusterSchedulingPolicy = "CU_CLUSTER_SCHEDULING_POLICY_" {
        /// The driver's default.
        #[default]
        Default = 0, "DEFAULT";
        /// The blocks of a cluster are distributed over the multiprocessors.
        Spread = 1, "SPREAD";
        /// The hardware balances the load.
        LoadBalancing = 2, "LOAD_BALANCING";
    }

    /// Whether a cluster can have more than the 8 blocks that every GPU with clusters supports:
    /// `CUlaunchAttributePortableClusterMode`.
    #[non_exhaustive]
    PortableClusterMode = "CU_LAUNCH_PORTABLE_CLUSTER_MODE_" {
        /// As the function allows, which this crate sets for a launch with a larger cluster.
        #[default]
        Default = 0, "DEFAULT";
        /// A larger cluster is an error.
        RequirePortable = 1, "REQUIRE_PORTABLE";
        /// A larger cluster is allowed.
        AllowNonPortable = 2, "ALLOW_NON_PORTABLE";
    }

    /// How much dynamic shared memory a launch can have: `CUsharedMemoryMode`.
    #[non_exhaustive]
    SharedMemoryMode = "CU_SHARED_MEMORY_MODE_" {
        /// As the function allows, which this crate sets for a launch with more.
        #[default]
        Default = 0, "DEFAULT";
        /// More than every GPU supports (`CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK`) is an error.
        RequirePortable = 1, "REQUIRE_PORTABLE";
        /// As much as the GPU supports.
        AllowNonPortable = 2, "ALLOW_NON_PORTABLE";
        /// Oversized configurations, which leave 8 kB of L1 cache. Needs CUDA 13.4.
        AllowOversized = 3, "ALLOW_OVERSIZED_SHARED_MEMORY";
        /// Oversized configurations are preferred. Needs CUDA 13.4.
        PreferOversized = 4, "PREFER_OVERSIZED_SHARED_MEMORY";
    }

    /// The domain in which a kernel's memory operations are ordered: `CUlaunchMemSyncDomain`.
    MemorySyncDomain = "CU_LAUNCH_MEM_SYNC_DOMAIN_" {
        /// For all other kernels.
        #[default]
        Default = 0, "DEFAULT";
        /// For kernels that access memory of other GPUs.
        Remote = 1, "REMOTE";
    }
}

impl SharedMemoryMode {
    /// Returns whether more shared memory is allowed than the limits of the GPU for other launches.
    pub(crate) const fn is_oversized(self) -> bool {
        matches!(self, Self::AllowOversized | Self::PreferOversized)
    }
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
    /// Creates an event that the kernel itself triggers.
    pub fn new(event: &'a CudaEvent) -> Self {
        Self { event, at_block_start: false }
    }

    /// Lets each block trigger the event when it begins: `triggerAtBlockStart`.
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

pub(super) trait EncodedValue<'e> {
    /// Calls `visit` with the attribute `id` that has this value, and with the value as text.
    fn encoded(self, id: u32, visit: &mut dyn FnMut(LaunchAttribute<'e>, &dyn Display));
}

/// For each type its text, and its numbers at their offsets in the union of `cuda.h`, after an event if it begins with
/// one.
macro_rules! values {
    ($($ty:ty: |$value:ident| $text:expr, $new:ident($($event:expr)?) $(, $offset:literal: $number:expr)*;)*) => {$(
        impl<'e> EncodedValue<'e> for $ty {
            fn encoded(self, id: u32, visit: &mut dyn FnMut(LaunchAttribute<'e>, &dyn Display)) {
                let $value = self;
                #[allow(unused_mut)]
                let mut attribute = LaunchAttribute::$new(id $(, $event)?);
                $(attribute.put($offset, $number.to_ne_bytes());)*
                visit(attribute, &$text);
            }
        }
    )*};
}

values! {
    bool: |_on| true, new(), 0: 1_i32;
    i32: |number| number, new(), 0: number;
    u32: |number| number, new(), 0: number;
    u8: |percent| format_args!("{percent} %"), new(), 0: u32::from(percent);
    Dim3: |dim| dim, new(), 0: dim.x, 4: dim.y, 8: dim.z;
    MemorySyncDomainMap: |map| format_args!("default {}, remote {}", map.default, map.remote), new(),
        0: map.default, 1: map.remote;
    AccessPolicyWindow: |window| format_args!("{} bytes at {:#x}", window.bytes, window.base), new(),
        0: window.base, 8: window.bytes, 16: window.hit_ratio, 20: window.hit as u32, 24: window.miss as u32;
    ProgrammaticEvent<'e>: |event| "an event", with_event(event.event), 12: i32::from(event.at_block_start);
    &'e CudaEvent: |event| "an event", with_event(event);
    &DeviceNode: |_node| true, new(), 0: 1_i32;
}

//! Visits each attribute that is set, encoded for the driver.

use super::table::Attribute;
use crate::{
    device::vector::Dim3,
    driver::{api::LaunchAttribute, config::Attributes},
};
use core::fmt::{Debug, Display};
use cudarc::driver::CudaEvent;

/// The offset of a number in the value of an attribute, and its bytes.
type Part = (usize, [u8; 4]);

/// Calls `visit` with each attribute that is set: its encoding and its value as text.
pub(super) fn for_each<'e>(
    attributes: &Attributes<'e>,
    visit: &mut dyn FnMut(Attribute, LaunchAttribute<'e>, &dyn Display),
) {
    // The pattern names every field, so the compiler reports a new one that is missing here. Fields without a binding
    // hold an address.
    let Attributes {
        cluster,
        preferred_cluster,
        cluster_scheduling_policy,
        cooperative,
        priority,
        programmatic_stream_serialization,
        programmatic_event: _,
        launch_completion_event: _,
        memory_sync_domain,
        memory_sync_domain_map,
        access_policy_window: _,
        preferred_shared_memory_carveout,
        nvlink_util_centric_scheduling,
        device_updatable_node: _,
        portable_cluster_size_mode,
        shared_memory_mode,
    } = *attributes;
    let mut put = |attribute, parts: &[Part], value: &dyn Display| {
        visit(attribute, members(attribute, parts), value);
    };
    if let Some(dim) = cluster {
        put(Attribute::Cluster, &extents(dim), &dim);
    }
    if let Some(dim) = preferred_cluster {
        put(Attribute::PreferredCluster, &extents(dim), &dim);
    }
    if let Some(policy) = cluster_scheduling_policy {
        put_enum(Attribute::ClusterSchedulingPolicy, policy as u32, &policy, &mut put);
    }
    if cooperative {
        put(Attribute::Cooperative, &[(0, TRUE)], &true);
    }
    if let Some(priority) = priority {
        put(Attribute::Priority, &[(0, priority.to_ne_bytes())], &priority);
    }
    if programmatic_stream_serialization {
        put(Attribute::ProgrammaticStreamSerialization, &[(0, TRUE)], &true);
    }
    if let Some(domain) = memory_sync_domain {
        put_enum(Attribute::MemorySyncDomain, domain as u32, &domain, &mut put);
    }
    if let Some(map) = memory_sync_domain_map {
        put(
            Attribute::MemorySyncDomainMap,
            &[(0, [map.default, map.remote, 0, 0])],
            &format_args!("default {}, remote {}", map.default, map.remote),
        );
    }
    if let Some(percent) = preferred_shared_memory_carveout {
        put(Attribute::SharedMemoryCarveout, &[(0, u32::from(percent).to_ne_bytes())], &format_args!("{percent} %"));
    }
    if nvlink_util_centric_scheduling {
        put(Attribute::NvlinkUtilCentricScheduling, &[(0, TRUE)], &true);
    }
    if let Some(mode) = portable_cluster_size_mode {
        put_enum(Attribute::PortableClusterSizeMode, mode as u32, &mode, &mut put);
    }
    if let Some(mode) = shared_memory_mode {
        put_enum(Attribute::SharedMemoryMode, mode as u32, &mode, &mut put);
    }
    with_addresses(attributes, visit);
}

/// Puts the number of an enum, with its name as text.
fn put_enum(
    attribute: Attribute,
    number: u32,
    name: &dyn Debug,
    put: &mut impl FnMut(Attribute, &[Part], &dyn Display),
) {
    put(attribute, &[(0, number.to_ne_bytes())], &format_args!("{name:?}"));
}

/// The attributes whose values hold an address.
fn with_addresses<'e>(
    attributes: &Attributes<'e>,
    visit: &mut dyn FnMut(Attribute, LaunchAttribute<'e>, &dyn Display),
) {
    if let Some(event) = attributes.programmatic_event {
        let start = if event.at_block_start { TRUE } else { [0; 4] };
        let mut entry = event_of(Attribute::ProgrammaticEvent, event.event);
        entry.put(12, start);
        visit(Attribute::ProgrammaticEvent, entry, &"an event");
    }
    if let Some(event) = attributes.launch_completion_event {
        let entry = event_of(Attribute::LaunchCompletionEvent, event);
        visit(Attribute::LaunchCompletionEvent, entry, &"an event");
    }
    if let Some(window) = attributes.access_policy_window {
        let mut entry = members(
            Attribute::AccessPolicyWindow,
            &[
                (16, window.hit_ratio.to_ne_bytes()),
                (20, (window.hit as u32).to_ne_bytes()),
                (24, (window.miss as u32).to_ne_bytes()),
            ],
        );
        entry.put(0, window.base.to_ne_bytes());
        entry.put(8, window.bytes.to_ne_bytes());
        let (bytes, base) = (window.bytes, window.base);
        visit(Attribute::AccessPolicyWindow, entry, &format_args!("{bytes} bytes at {base:#x}"));
    }
    if attributes.device_updatable_node.is_some() {
        let entry = members(Attribute::DeviceUpdatableNode, &[(0, TRUE)]);
        visit(Attribute::DeviceUpdatableNode, entry, &true);
    }
}

/// C's `int` for true.
pub(super) const TRUE: [u8; 4] = 1_i32.to_ne_bytes();

/// A value that begins with an event.
fn event_of(attribute: Attribute, event: &CudaEvent) -> LaunchAttribute<'_> {
    LaunchAttribute::with_event(attribute as u32, event)
}

/// An attribute whose value has four-byte members, at these offsets.
fn members<'e>(attribute: Attribute, parts: &[Part]) -> LaunchAttribute<'e> {
    let mut entry = LaunchAttribute::new(attribute as u32);
    for &(offset, bytes) in parts {
        entry.put(offset, bytes);
    }
    entry
}

fn extents(dim: Dim3) -> [(usize, [u8; 4]); 3] {
    [(0, dim.x.to_ne_bytes()), (4, dim.y.to_ne_bytes()), (8, dim.z.to_ne_bytes())]
}

//! Launch attributes: their requirements, their encoding for the driver, and the checks before the driver is called.
//!
//! A launch without attributes never calls this module.

mod check;
mod cluster;
mod encode;
mod limits;
#[cfg(feature = "graphs")]
mod node;
#[cfg(feature = "record")]
mod recorded;
mod table;
mod visit;

pub(crate) use check::{Request, check};
#[cfg(feature = "graphs")]
pub(crate) use cluster::{divides, grid_of_clusters};
pub(crate) use encode::Encoded;
pub(crate) use limits::{AttributeLimits, device_attribute};
#[cfg(feature = "graphs")]
pub(crate) use node::{Refused, for_launches_only, make_device_updatable, set_on_node};
#[cfg(feature = "record")]
pub(crate) use recorded::{from_recording, to_recording};

use crate::driver::{
    api::{Api, KernelCall, LaunchConfig, Promise, Status},
    config::Attributes,
};
#[cfg(feature = "observe")]
use core::fmt::Display;
use core::fmt::Write;
use std::string::String;

/// Calls the driver with `attributes`.
#[cold]
pub(crate) fn launch(
    api: &Api,
    attributes: Attributes<'_>,
    config: LaunchConfig<'_>,
    call: KernelCall<'_>,
    promise: Promise<'_>,
) -> Status {
    let mut encoded = Encoded::new(&attributes);
    let status = api.launch(&encoded.attach(config), call, promise);
    if let (Status::SUCCESS, Some(node)) = (status, attributes.device_updatable_node) {
        encoded.store_handle(node);
    }
    status
}

/// The attributes with their values and requirements, for the error of a launch; empty without attributes.
pub(crate) fn attributes_text(attributes: &Attributes<'_>) -> String {
    let mut text = String::new();
    visit::for_each(attributes, &mut |attribute, _, value| {
        let needs = attribute.requirement();
        let (major, minor) = (needs.version / 1000, needs.version % 1000 / 10);
        let separator = if text.is_empty() { "" } else { "; " };
        // Writing to a String cannot fail.
        let _ = write!(text, "{separator}{} = {value} (CUDA {major}.{minor}", needs.name);
        let _ = match needs.sm {
            0 => write!(text, ")"),
            sm => write!(text, ", sm_{sm})"),
        };
    });
    text
}

/// Calls `visit` with the name and the value of each attribute.
#[cfg(feature = "observe")]
pub(crate) fn for_each_text(attributes: &Attributes<'_>, visit: &mut dyn FnMut(&'static str, &dyn Display)) {
    visit::for_each(attributes, &mut |attribute, _, value| {
        visit(attribute.requirement().name, value);
    });
}

#[cfg(test)]
mod tests {
    use super::attributes_text;
    use crate::driver::config::{Launch, MemorySyncDomain};
    use std::string::String;

    #[test]
    fn attributes_are_described_with_what_they_need() {
        let none = Launch::new(1, 1).cooperative(false);
        assert_eq!(attributes_text(&none.attributes.unwrap_or_default()), String::new());
        let launch = Launch::new(4, 32).cluster(2).priority(-1).memory_sync_domain(MemorySyncDomain::Remote);
        assert_eq!(
            attributes_text(&launch.attributes.unwrap_or_default()),
            "cluster = (2, 1, 1) (CUDA 11.8, sm_90); priority = -1 (CUDA 11.8); memory_sync_domain = Remote (CUDA 12.0)"
        );
    }
}

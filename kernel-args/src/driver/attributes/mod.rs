//! Launch attributes: their requirements, their encoding for the driver, and the checks before the driver is called.
//!
//! A launch without attributes never calls this module.
//!
//! | to change | open |
//! |---|---|
//! | a launch attribute | its row in `launch_options.rs` of `config`; its limits: the method of its name in `check.rs` or `cluster.rs` |

mod check;
mod cluster;
mod encode;
mod limits;
#[cfg(feature = "graphs")]
mod node;
#[cfg(feature = "record")]
mod recorded;

pub(crate) use check::{AttributeCheck, check};
pub(crate) use encode::Encoded;
pub(crate) use limits::AttributeLimits;
#[cfg(feature = "graphs")]
pub(crate) use node::{Refused, for_launches_only, make_device_updatable, set_on_node};
#[cfg(feature = "record")]
pub(crate) use recorded::{from_recording, to_recording};

use crate::driver::{
    api::{Api, KernelCall, LaunchConfig, Promise, Status},
    config::{Attribute, Attributes},
};
use kernel_args_image::CudaVersion;

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

/// Returns the attributes with their values and requirements, for the error of a launch; empty without attributes.
pub(crate) fn attributes_text(attributes: &Attributes<'_>) -> String {
    let mut texts = Vec::new();
    attributes.for_each(&mut |&Attribute { name, version, sm, .. }, _, value| {
        let sm = if sm == 0 { String::new() } else { format!(", sm_{sm}") };
        texts.push(format!("{name} = {value} (CUDA {}{sm})", CudaVersion::from_number(version)));
    });
    texts.join("; ")
}

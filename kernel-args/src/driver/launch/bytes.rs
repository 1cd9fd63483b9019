//! Launches of recorded parameters, which are bytes.

use super::explain;
use crate::driver::{
    api::{LaunchAttribute, Promise, Status},
    config::{Attribute, Launch},
    context::bind,
    error::Error,
    function::Function,
};
use cudarc::driver::CudaStream;
use std::{string::String, vec::Vec};

pub(crate) struct ByteArguments {
    /// A parameter each.
    pub(crate) values: Vec<Vec<u8>>,
    /// As text, for errors.
    pub(crate) text: String,
    pub(crate) attributes: Vec<LaunchAttribute<'static>>,
}

pub(crate) fn launch_bytes(
    function: &Function,
    launch: &Launch<'_>,
    stream: &CudaStream,
    arguments: &mut ByteArguments,
    promise: Promise<'_>,
) -> Result<(), Error> {
    let loaded = function.loaded();
    let ByteArguments { values, text, attributes } = arguments;
    let names_cluster = attributes.iter().any(|attribute| attribute.id() == Attribute::cluster.id);
    loaded.check_with(launch, names_cluster)?;
    bind(loaded.api, &loaded.context)?;
    let config = launch.config(stream.into());
    let with_attributes = config.with_attributes(attributes);
    match function.with_bytes(values, |call| loaded.api.launch(&with_attributes, call, promise))? {
        Status::SUCCESS => Ok(()),
        status => Err(explain::launch(
            loaded.name.clone(),
            loaded.handle(),
            status,
            config,
            None,
            text.clone(),
            Some(&loaded.context),
        )),
    }
}
